"""Several drafts at once, second drafts, and what passes for an answer: through the graph."""

from __future__ import annotations

from typing import Any

import pytest
from loopback import Loopback
from scripted import ScriptedModel
from small_graph import QUESTION, compiled, offline

from ragloop.graph.settings import Settings

DRAFTS = ["It is 31 metres deep. [1]", "It is 90 metres deep. [1]", "It is deep, made of gold. [1]"]


def judged_by_words(*good: str) -> Any:
    """A judge of support that likes statements with any of some words."""

    def judge(prompt: str) -> str:
        statement = prompt.rsplit("<sentence>", 1)[-1]
        return "full" if any(word in statement for word in good) else "none"

    return judge


def settings(**changes: Any) -> Settings:
    return offline(remedies=(), refine="off", **changes)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_of_several_drafts_the_best_supported_is_kept_wherever_it_comes(
    order: tuple[int, ...],
) -> None:
    model = ScriptedModel(
        script={
            "generate": [DRAFTS[at] for at in order],
            "check_grounding": judged_by_words("31"),
        }
    )
    app = compiled(model, settings(candidates=3))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["text"] == DRAFTS[0]


def test_of_equally_supported_drafts_the_most_useful_is_kept() -> None:
    model = ScriptedModel(
        script={
            "generate": ["The well is at Orsa. [1]", "It is 31 metres deep. [1]"],
            "check_usefulness": lambda prompt: "5" if "31 metres" in prompt else "2",
        }
    )
    app = compiled(model, settings(candidates=2))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["text"], answer["usefulness"]) == ("It is 31 metres deep. [1]", 5)


def test_the_checks_of_the_kept_draft_are_not_paid_twice() -> None:
    model = ScriptedModel(script={"generate": [*DRAFTS]})
    app = compiled(model, settings(candidates=3))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (model.calls["check_grounding"], model.calls["check_usefulness"]) == (3, 3)
    assert [said["how"] for said in answer["grounding"]] == ["label"]


def test_drafts_that_are_the_same_are_checked_once() -> None:
    model = ScriptedModel(script={"generate": DRAFTS[0]})
    app = compiled(model, settings(candidates=3))

    app.invoke({"question": QUESTION})

    assert (model.calls["generate"], model.calls["check_grounding"]) == (3, 1)


def test_where_calls_are_short_the_offline_judge_ranks_and_the_limit_holds() -> None:
    model = ScriptedModel(script={"generate": [*DRAFTS], "check_grounding": "full"})
    app = compiled(model, settings(candidates=3, max_calls=9, k=4))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["text"] == DRAFTS[0]
    assert model.calls["check_grounding"] == 1
    assert answer["spent"]["calls"] <= 9


def test_a_draft_that_declines_gives_way_to_one_that_answers() -> None:
    declines = {"answerable": False, "answer": "", "missing": "the depth"}
    model = ScriptedModel(script={"generate": [declines, declines, DRAFTS[0]]})
    app = compiled(model, settings(candidates=3))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["outcome"], answer["text"]) == ("answered", DRAFTS[0])


def test_several_drafts_are_asked_for_at_a_temperature_that_lets_them_differ() -> None:
    with Loopback({"writer": DRAFTS}) as server:
        app = compiled(None, settings(candidates=3, models={"generate": "writer"},
                                      base_url=server.url))  # fmt: skip
        app.invoke({"question": QUESTION})

        sent = [body["temperature"] for body in server.chats("writer")]

    assert len(sent) == 3
    assert min(sent) >= 0.7


def test_one_draft_is_asked_for_at_the_temperature_that_is_set() -> None:
    with Loopback({"writer": DRAFTS}) as server:
        app = compiled(None, settings(models={"generate": "writer"}, base_url=server.url))
        app.invoke({"question": QUESTION})

        sent = [body["temperature"] for body in server.chats("writer")]

    assert sent == [0.0]


def test_a_temperature_that_is_never_sent_is_not_sent_for_drafts_either() -> None:
    with Loopback({"writer": DRAFTS}) as server:
        models = {"generate": "writer"}
        unset = settings(candidates=2, temperature=None, models=models, base_url=server.url)
        app = compiled(None, unset)
        app.invoke({"question": QUESTION})

        sent = [body.get("temperature") for body in server.chats("writer")]

    assert sent == [None, None]
