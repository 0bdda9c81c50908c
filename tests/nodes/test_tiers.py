"""Which checks a question gets, and why."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import ScriptedModel
from small_graph import QUESTION, store_of

from ragloop.graph.build import Parts, build_graph
from ragloop.graph.settings import Settings
from ragloop.nodes.tiers import is_sampled, rounds_allowed, tier_of


def tier(asked: str, flags: list[str] | None = None, **settings: Any) -> dict[str, Any]:
    return dict(tier_of(asked, {"flags": flags or []}, Settings(**settings)))


def test_a_fixed_tier_is_the_settings_own() -> None:
    assert tier(QUESTION, tier=2) == {"level": 2, "why": "fixed by the settings"}


@pytest.mark.parametrize(
    ("asked", "level"),
    [
        pytest.param("How deep is the well at Orsa?", 1, id="plain"),
        pytest.param("奥尔萨的井有多深？", 1, id="plain, Chinese"),
        pytest.param("Who founded the town where the Orsa well is?", 3, id="describes"),
        pytest.param("Which is deeper, the Orsa well or the Ulm well?", 3, id="compares"),
        pytest.param("奥尔萨的井和乌尔姆的井哪个更深？", 3, id="compares, Chinese"),
        pytest.param("Summarise the whole report.", 3, id="whole text"),
        pytest.param("总结全文的主题", 3, id="whole text, Chinese"),
        pytest.param("What did the group think of the remote control?", 3, id="broad"),
    ],
)
def test_the_kind_of_question_settles_the_tier(asked: str, level: int) -> None:
    assert tier(asked, tier_policy="kind")["level"] == level


@pytest.mark.parametrize("flag", ["valued", "negative_feedback"])
@pytest.mark.parametrize("policy", ["kind", "sample", "hard"])
def test_a_flag_on_the_request_asks_for_the_highest_tier(flag: str, policy: str) -> None:
    found = tier(QUESTION, [flag], tier_policy=policy, tier_share=0.0)

    assert found["level"] == 3
    assert found["why"]


def test_an_unknown_flag_changes_nothing() -> None:
    assert tier(QUESTION, ["blue"], tier_policy="kind")["level"] == 1


def test_the_sampled_share_is_near_what_was_asked_for() -> None:
    drawn = sum(is_sampled(f"question number {n}", 0.2) for n in range(2000))

    assert 340 <= drawn <= 460


def test_the_same_question_is_always_in_or_always_out() -> None:
    asked = [f"Question {n}" for n in range(50)]

    first = [is_sampled(one, 0.5) for one in asked]
    again = [is_sampled(f"  {one.lower()}?", 0.5) for one in asked]

    assert first == again
    assert len(set(first)) == 2


@pytest.mark.parametrize(
    ("share", "level"), [pytest.param(0.0, 1, id="none"), pytest.param(1.0, 3, id="all")]
)
def test_a_share_of_none_or_all_is_kept(share: float, level: int) -> None:
    assert tier(QUESTION, tier_policy="sample", tier_share=share)["level"] == level


@pytest.mark.parametrize(
    ("level", "policy", "rounds"),
    [
        pytest.param(3, "fixed", 2, id="tier 3"),
        pytest.param(2, "fixed", 0, id="tier 2 has no rounds"),
        pytest.param(1, "kind", 0, id="tier 1 has none"),
        pytest.param(2, "hard", 1, id="hard starts with one"),
        pytest.param(3, "hard", 2, id="hard, but flagged"),
    ],
)
def test_rounds_belong_to_the_third_tier(level: int, policy: Any, rounds: int) -> None:
    settings = Settings(tier_policy=policy)

    assert rounds_allowed({"level": level, "why": ""}, settings) == rounds


def run(model: ScriptedModel, **settings: Any) -> dict[str, Any]:
    parts = Parts(passages=store_of(), judge=model, writer=model, reader=model)
    made = Settings(remedies=("search_again",), **settings)
    answer: dict[str, Any] = build_graph(parts, made).compile().invoke({"question": QUESTION})
    return dict(answer["answer"])


def test_an_easy_question_stays_in_the_second_tier() -> None:
    answer = run(ScriptedModel(), tier_policy="hard")

    assert (answer["tier"]["level"], answer["rounds"]) == (2, 0)


def test_a_question_that_the_second_tier_calls_hard_gets_one_round_and_says_so() -> None:
    model = ScriptedModel(script={"grade_passages": "no"})

    answer = run(model, tier_policy="hard")

    assert (answer["tier"]["level"], answer["rounds"]) == (3, 1)
    assert answer["tier"]["why"].startswith("called hard: none of the")


def test_a_question_that_a_policy_leaves_in_the_first_tier_is_not_graded_and_not_mended() -> None:
    model = ScriptedModel(script={"check_grounding": "none"})

    answer = run(model, tier_policy="sample", tier_share=0.0)

    assert model.calls["grade_passages"] == model.calls["rewrite_query"] == 0
    assert model.calls["check_grounding"] > 0
    assert answer["rounds"] == 0
