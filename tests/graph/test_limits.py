"""No limit is ever passed, and reaching one is no error: the run ends with what it has."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from loopback import Loopback
from scripted import ScriptedModel, always_no
from small_graph import (
    QUESTION,
    OtherPassagesEachTime,
    compiled,
    passage,
    searches,
    state_of,
    trail,
    within_bounds,
)

from ragloop.graph.build import recursion_limit
from ragloop.graph.limits import bounds, next_remedy
from ragloop.graph.prompts import DEFAULTS
from ragloop.graph.settings import Settings, preset
from ragloop.stores.errors import SettingsError

NO = {"failure": "other", "queries": []}


def new_query_each_time() -> Any:
    """A rewriter that never repeats itself."""
    return [{"failure": "other", "queries": [f"wording {at}"]} for at in range(50)]


def never_content() -> ScriptedModel:
    return ScriptedModel(script={**always_no(), "rewrite_query": new_query_each_time()})


@pytest.mark.parametrize("limit", [None, 10_011])
@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_judges_that_always_say_no_get_exactly_max_rounds(rounds: int, limit: int | None) -> None:
    model, source = never_content(), OtherPassagesEachTime()
    app = compiled(model, preset("loop", max_rounds=rounds, max_calls=200), passages=source)
    config = {"recursion_limit": limit} if limit else None

    answer = app.invoke({"question": QUESTION}, config)["answer"]

    assert model.calls["rewrite_query"] == answer["rounds"] == rounds
    assert len(source.searches) == searches(answer["queries"]) == rounds + 1
    assert answer["outcome"] in ("refused", "partial")
    assert answer["stopped_by"] == "max_rounds"


def test_the_same_over_http_and_the_server_counts_the_same_calls() -> None:
    rewrites = [f'{{"failure": "other", "queries": ["wording {at}"]}}' for at in range(9)]
    script = {"grade_passages": ["no"], "rewrite_query": rewrites}
    with Loopback(script) as server:
        app = compiled(None, over(server, max_rounds=3), passages=OtherPassagesEachTime())

        answer = app.invoke({"question": QUESTION})["answer"]

        assert server.calls("rewrite_query") == answer["rounds"] == 3
        assert server.calls() == answer["spent"]["calls"]
        assert answer["spent"]["input_tokens"] == server.tokens_in
        assert answer["spent"]["output_tokens"] == server.tokens_out


def over(server: Loopback, **changes: Any) -> Settings:
    """Settings with a model of its own name for each node."""
    return preset("loop", base_url=server.url, models={node: node for node in DEFAULTS}, **changes)


@pytest.mark.parametrize("most", [0, 1, 2, 5, 6, 9])
def test_no_call_is_made_beyond_max_calls(most: int) -> None:
    with Loopback({"grade_passages": ["no", "no", "no", "yes"]}) as server:
        app = compiled(None, over(server, max_calls=most))

        answer = app.invoke({"question": QUESTION})["answer"]

        assert server.calls() <= most
        assert answer["spent"]["calls"] == server.calls()


def test_five_calls_of_which_four_are_grades_leave_one_for_the_draft() -> None:
    with Loopback({"generate": ["31 metres. [1]"]}) as server:
        app = compiled(None, over(server, max_calls=5))

        answer = app.invoke({"question": QUESTION})["answer"]

        assert server.calls("grade_passages") == 4
        assert server.calls("generate") == 1
        assert answer["text"].startswith("31 metres.")
        assert answer["stopped_by"] in ("max_calls", "done")


def test_refused_tries_count_as_calls_too() -> None:
    no_schema = {"if": "response_format.type=json_schema", "status": 400, "message": "no schema"}
    with Loopback(reject=[no_schema]) as server:
        app = compiled(None, over(server))

        answer = app.invoke({"question": QUESTION})["answer"]

        assert server.refused() > 0
        assert answer["spent"]["calls"] == server.calls()


def test_no_token_is_spent_beyond_max_tokens() -> None:
    model = never_content()
    app = compiled(model, preset("loop", max_tokens=2_500), passages=OtherPassagesEachTime())

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["spent"]["input_tokens"] + answer["spent"]["output_tokens"] <= 2_500
    assert answer["stopped_by"] == "max_tokens"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_deadline_ends_the_run_within_one_call(asynchronous: bool) -> None:
    with Loopback({"grade_passages": ["no"]}, delay_s=0.4) as server:
        app = compiled(None, over(server, deadline_s=1.0, max_rounds=9, max_concurrency=1))

        if asynchronous:
            answer = asyncio.run(app.ainvoke({"question": QUESTION}))["answer"]
        else:
            answer = app.invoke({"question": QUESTION})["answer"]

        assert answer["stopped_by"] == "deadline"
        assert server.calls() <= 4  # the one under way at the deadline is given up


CAPS: dict[str, dict[str, Any]] = {
    "max_rounds": {"max_rounds": 1},
    "max_calls": {"max_calls": 8},
    "max_tokens": {"max_tokens": 4_700},
}


@pytest.mark.parametrize("cap", CAPS)
def test_the_best_draft_so_far_is_given_at_every_cap(cap: str) -> None:
    script = {
        "generate": ["The well is deep. [1]", "The mill grinds. [1]"],
        "check_grounding": ["partial", "none"],
        "check_usefulness": "4",
        "rewrite_query": new_query_each_time(),
        "read_whole_document": {"answerable": False, "answer": "", "missing": "it"},
    }
    app = compiled(
        ScriptedModel(script=script),
        preset("loop", max_concurrency=1, **CAPS[cap]),
        passages=OtherPassagesEachTime(),
    )

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["text"].startswith("The well is deep.")
    assert answer["outcome"] == "partial"
    assert answer["stopped_by"] == cap


def test_the_best_draft_so_far_is_given_at_the_deadline() -> None:
    script = {
        "generate": ["The well is deep. [1]"],
        "check_grounding": ["partial"],
        "rewrite_query": [{"delay_s": 30}],
    }
    with Loopback(script) as server:
        settings = over(server, deadline_s=2.5)
        app = compiled(None, settings, passages=OtherPassagesEachTime())

        answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["text"].startswith("The well is deep.")
    assert answer["stopped_by"] == "deadline"


def test_a_search_that_goes_in_circles_ends_early_and_says_so() -> None:
    model = never_content()
    app = compiled(model, preset("loop", max_rounds=6, remedies=["search_again"]), passages=Same())

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["stopped_by"] == "no_progress"
    assert answer["rounds"] == 2


class Same(OtherPassagesEachTime):
    """A source that knows one passage."""

    def search(self, query: str, k: int, where: Any = None) -> Any:
        return [passage("well")]


def test_a_recursion_limit_that_is_too_low_is_named_with_what_to_do() -> None:
    app = compiled(never_content(), preset("loop"))

    with pytest.raises(SettingsError, match=r"recursion_limit .*max_rounds"):
        app.invoke({"question": QUESTION}, {"recursion_limit": 5})


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("rounds", [0, 2, 7])
def test_the_worst_run_fits_the_recursion_limit_that_the_settings_give(
    rounds: int, given: bool
) -> None:
    settings = preset("loop", max_rounds=rounds, max_calls=1_000, unsupported="regenerate")
    script = {**always_no(), "grade_passages": "yes", "rewrite_query": new_query_each_time()}
    app = compiled(ScriptedModel(script=script), settings, passages=OtherPassagesEachTime())
    config = {"recursion_limit": recursion_limit(settings)} if given else None

    taken = trail(app, {"question": QUESTION}, config)

    assert taken[-1] == "finish"
    assert len(taken) <= bounds(settings).steps


ALL = ["search_again", "search_elsewhere", "read_whole"]
FOUND = {"found": [passage("well")]}
REMEDY_ROWS: list[tuple[str, dict[str, Any], dict[str, Any], str | None]] = [
    ("fresh", {}, {}, "search_again"),
    ("order of the settings", FOUND, {"remedies": ["read_whole", "search_again"]}, "read_whole"),
    ("no parts for it", {"remedies": ["read_whole"], **FOUND}, {}, "read_whole"),
    ("rounds used up", {"rounds": 2}, {}, "search_elsewhere"),
    ("rounds raised by hand", {"rounds": 2, "max_rounds": 3}, {}, "search_again"),
    ("no progress", {"stalled": True}, {}, "search_elsewhere"),
    ("asked elsewhere", {"rounds": 2, "asked_elsewhere": True, **FOUND}, {}, "read_whole"),
    ("nothing to read", {"rounds": 2, "asked_elsewhere": True}, {}, None),
    (
        "a named document needs no hit",
        {"rounds": 2, "asked_elsewhere": True},
        {"whole_document": "corpus"},
        "read_whole",
    ),
    ("all used up", {"rounds": 2, "asked_elsewhere": True, "whole": {"tokens": 1}}, {}, None),
    ("implicit", {"failure": "implicit", **FOUND}, {}, "read_whole"),
    ("implicit, read before", {"failure": "implicit", "whole": {"tokens": 1}}, {}, "search_again"),
    ("implicit, none found", {"failure": "implicit"}, {}, "search_again"),
    ("one call left", {"costs_calls": True, "spent": {"calls": 59}}, {}, "search_elsewhere"),
    ("no call left", {"costs_calls": True, "spent": {"calls": 60}}, {}, None),
    ("calls cost nothing offline", {"spent": {"calls": 60}}, {}, "search_again"),
    ("no token left", {"costs_calls": True, "spent": {"output_tokens": 200_000}}, {}, None),
    ("past the deadline", {"spent": {"started": 0.0}}, {}, None),
    ("none allowed", {}, {"remedies": []}, None),
]


@pytest.mark.parametrize(
    ("says", "changes", "remedy"),
    [row[1:] for row in REMEDY_ROWS],
    ids=[row[0] for row in REMEDY_ROWS],
)
def test_the_next_remedy(says: dict[str, Any], changes: dict[str, Any], remedy: str | None) -> None:
    settings = Settings(**changes)
    state = state_of(settings, **{"remedies": ALL, **says})

    assert next_remedy(state, settings) == remedy


WORDS = {
    "grade_passages": ["yes", "no", "perhaps"],
    "decide_retrieval": ["yes", "yes", "yes", "no", "continue", "who knows"],
    "check_grounding": ["full", "partial", "none", "it depends"],
    "check_usefulness": ["1", "2", "3", "4", "5", "fine"],
    "rewrite_query": [
        *({"failure": kind, "queries": ["new"]} for kind in ("implicit", "complex", "other")),
        NO,
        "I cannot",
    ],
    "generate": ["A claim. [1] Another. [2]", {"answerable": False}, "", "One. Two. Three. [7]"],
    "read_whole_document": ["All of it. [1]", {"answerable": False}, ""],
}


def judges_by_chance(seed: int) -> tuple[ScriptedModel, Settings]:
    """A model that says anything at any time, and settings to match."""
    chance = random.Random(seed)

    def anything(node: str) -> Any:
        def reply(prompt: str) -> Any:
            said = chance.choice(WORDS[node])
            if isinstance(said, dict) and said.get("queries"):
                return {**said, "queries": [f"query {chance.randrange(9)}"]}
            return said

        return reply

    settings = preset(
        chance.choice(["loop", "crag", "self_rag", "self_route", "guard", "whole_document"]),
        max_rounds=chance.randrange(4),
        max_calls=chance.choice([0, 3, 7, 15, 40]),
        max_tokens=chance.choice([500, 3_000, 200_000]),
        unsupported=chance.choice(["remove", "mark", "regenerate"]),
        max_drafts=chance.choice([1, 2, 3]),
        judge_sufficiency=chance.random() < 0.3,
        k=3,
        max_concurrency=1,
    )
    return ScriptedModel(script={node: anything(node) for node in WORDS}), settings


def run_by_chance(seed: int) -> None:
    model, settings = judges_by_chance(seed)
    source = OtherPassagesEachTime() if seed % 2 else None
    app = compiled(model, settings, passages=source, elsewhere=(lambda query: ["A text."]))

    answer = app.invoke({"question": QUESTION}, {"recursion_limit": recursion_limit(settings)})[
        "answer"
    ]

    assert answer["outcome"] in ("answered", "partial", "direct", "refused")
    assert answer["spent"]["calls"] == sum(model.calls.values())
    assert within_bounds(answer, settings), (answer["spent"], bounds(settings))


@pytest.mark.parametrize("seed", range(0, 60, 20))
def test_judges_that_say_anything_never_pass_the_bounds(seed: int) -> None:
    for each in range(seed, seed + 20):
        run_by_chance(each)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1_000, 250))
def test_a_thousand_judges_that_say_anything_never_pass_the_bounds(first: int) -> None:
    for seed in range(first, first + 250):
        run_by_chance(seed)
