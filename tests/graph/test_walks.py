"""Ways through the graph, as the nodes that ran; steps of the same moment are joined by `+`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from loopback import Loopback
from scripted import ScriptedModel
from small_graph import QUESTION, OtherPassagesEachTime, compiled, trail

from ragloop.graph.build import ARROWS, NODES
from ragloop.graph.prompts import DEFAULTS
from ragloop.graph.settings import preset

START = ["restate_question", "decide_retrieval"]
SEARCH = ["retrieve", "grade_passages"]
WRITE = ["select_context", "generate"]
CHECK = ["check_grounding+check_usefulness", "weigh_draft"]
AGAIN = ["rewrite_query", *SEARCH]
REFUSE = ["refuse", "finish"]
UNANSWERABLE = {"answerable": False, "answer": "", "missing": "the depth"}
READ = ["read_whole_document"]


def elsewhere(query: str) -> list[str]:
    """Another source, which holds one text."""
    return ["The well at Orsa is deep."]


WALKS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    # what the model says; settings and parts; the way
    "undisturbed": ({}, {}, [*START, *SEARCH, *WRITE, *CHECK, "finish"]),
    "one rewrite": (
        {"grade_passages": ["no", "no", "no", "no", "yes"]},
        {},
        [*START, *SEARCH, *AGAIN, *WRITE, *CHECK, "finish"],
    ),
    "rewrites in vain, then whole documents": (
        {"grade_passages": "no"},
        {"max_rounds": 1},
        [*START, *SEARCH, *AGAIN, *READ, *CHECK, "finish"],
    ),
    "rewrites in vain, then elsewhere": (
        {"grade_passages": [*["no"] * 8, "yes"]},
        {"max_rounds": 1, "elsewhere": elsewhere},
        [*START, *SEARCH, *AGAIN, "search_elsewhere", "grade_passages", *WRITE, *CHECK, "finish"],
    ),
    "nothing helps": (
        {"grade_passages": "no"},
        {"max_rounds": 1, "remedies": ["search_again"]},
        [*START, *SEARCH, *AGAIN, *REFUSE],
    ),
    "no new query": (
        {"grade_passages": "no", "rewrite_query": {"failure": "other", "queries": [QUESTION]}},
        {"remedies": ["search_again"]},
        [*START, *SEARCH, "rewrite_query", *REFUSE],
    ),
    "no new query, then whole documents": (
        {"grade_passages": "no", "rewrite_query": {"failure": "other", "queries": []}},
        {},
        [*START, *SEARCH, "rewrite_query", *READ, *CHECK, "finish"],
    ),
    "no new query, then elsewhere": (
        {
            "grade_passages": [*["no"] * 4, "yes"],
            "rewrite_query": {"failure": "other", "queries": []},
        },
        {"elsewhere": elsewhere},
        [
            *[*START, *SEARCH, "rewrite_query", "search_elsewhere", "grade_passages"],
            *[*WRITE, *CHECK, "finish"],
        ],
    ),
    "the failure is implicit": (
        {"grade_passages": "no", "rewrite_query": {"failure": "implicit", "queries": ["well"]}},
        {},
        [*START, *SEARCH, "rewrite_query", *READ, *CHECK, "finish"],
    ),
    "whole documents do not hold it either": (
        {"grade_passages": "no", "read_whole_document": UNANSWERABLE},
        {"max_rounds": 0},
        [*START, *SEARCH, *READ, *REFUSE],
    ),
    "unanswerable from passages": (
        {"generate": UNANSWERABLE},
        {"max_rounds": 0},
        [*START, *SEARCH, *WRITE, *READ, *CHECK, "finish"],
    ),
    "unanswerable, then one rewrite": (
        {"generate": [UNANSWERABLE, "It is deep. [1]"]},
        {"passages": OtherPassagesEachTime},
        [*START, *SEARCH, *WRITE, *AGAIN, *WRITE, *CHECK, "finish"],
    ),
    "unanswerable, then elsewhere": (
        {"generate": [UNANSWERABLE, "It is deep. [1]"]},
        {"max_rounds": 0, "elsewhere": elsewhere},
        [
            *[*START, *SEARCH, *WRITE, "search_elsewhere", "grade_passages"],
            *[*WRITE, *CHECK, "finish"],
        ],
    ),
    "unanswerable and no remedy": (
        {"generate": UNANSWERABLE},
        {"remedies": []},
        [*START, *SEARCH, *WRITE, *REFUSE],
    ),
    "unsupported, then whole documents": (
        {"check_grounding": ["none", "full"]},
        {"max_rounds": 0},
        [*START, *SEARCH, *WRITE, *CHECK, *READ, *CHECK, "finish"],
    ),
    "unsupported, then one rewrite": (
        {"check_grounding": ["none", "full"]},
        {"passages": OtherPassagesEachTime},
        [*START, *SEARCH, *WRITE, *CHECK, *AGAIN, *WRITE, *CHECK, "finish"],
    ),
    "unsupported, then elsewhere": (
        {"check_grounding": ["none", "full"]},
        {"max_rounds": 0, "elsewhere": elsewhere},
        [
            *[*START, *SEARCH, *WRITE, *CHECK, "search_elsewhere", "grade_passages"],
            *[*WRITE, *CHECK, "finish"],
        ],
    ),
    "unsupported, then written again": (
        {"check_grounding": ["none", "full"]},
        {"unsupported": "regenerate"},
        [*START, *SEARCH, *WRITE, *CHECK, "generate", *CHECK, "finish"],
    ),
    "unsupported and no remedy": (
        {"check_grounding": "none"},
        {"remedies": []},
        [*START, *SEARCH, *WRITE, *CHECK, *REFUSE],
    ),
    "half supported and no remedy": (
        {"check_grounding": "partial"},
        {"remedies": []},
        [*START, *SEARCH, *WRITE, *CHECK, "finish"],
    ),
    "no rating": (
        {},
        {"rate_usefulness": False},
        [*START, *SEARCH, *WRITE, "check_grounding", "weigh_draft", "finish"],
    ),
    "no support check": (
        {},
        {"check_support": False},
        [*START, *SEARCH, *WRITE, "check_usefulness", "weigh_draft", "finish"],
    ),
    "no checks of a whole document": (
        {"generate": UNANSWERABLE},
        {"preset": "self_route"},
        [*START, "retrieve", *WRITE, *READ, "weigh_draft", "finish"],
    ),
    "no gate and no checks": (
        {},
        {"preset": "plain"},
        [*START, "retrieve", *WRITE, "weigh_draft", "finish"],
    ),
    "whole documents at once": (
        {},
        {"preset": "whole_document"},
        [*START, *READ, "weigh_draft", "finish"],
    ),
    "small talk": (
        {},
        {"question": "Good morning!"},
        [*START, "answer_directly", "finish"],
    ),
    "the judge says that no sources are needed": (
        {"decide_retrieval": "no"},
        {"ask_retrieval": True},
        [*START, "answer_directly", "finish"],
    ),
}


def way(script: dict[str, Any], given: dict[str, Any]) -> list[str]:
    """Run a graph and name the nodes in order."""
    given = dict(given)
    question = given.pop("question", QUESTION)
    parts = {name: given.pop(name) for name in ("elsewhere",) if name in given}
    source = given.pop("passages", None)
    settings = preset(given.pop("preset", "loop"), max_concurrency=1, **given)
    model = ScriptedModel(
        script={k: list(v) if isinstance(v, list) else v for k, v in script.items()}
    )
    app = compiled(model, settings, passages=source() if source else None, **parts)
    return trail(app, {"question": question})


@pytest.mark.parametrize("name", WALKS)
def test_a_run_takes_this_way(name: str) -> None:
    script, given, expected = WALKS[name]

    taken = way(script, given)

    assert taken == expected


def test_the_walks_pass_every_node_and_all_arrows_but_two() -> None:
    ways = [[step.split("+") for step in taken] for _, _, taken in WALKS.values()]
    arrows = {(node, target) for node, (_, to) in ARROWS.items() for target in to.values()}

    walked = {
        (one, two) for way in ways for here, then in pairwise(way) for one in here for two in then
    }

    assert {name for way in ways for step in way for name in step} == set(NODES)
    assert arrows - walked == {
        ("decide_retrieval", "refuse"),  # a model error, see below
        ("rewrite_query", "select_context"),  # nothing new, but something was kept, see below
    }


def test_the_offline_engine_takes_the_same_ways() -> None:
    app = compiled(None, preset("loop"))

    answerable = trail(app, {"question": QUESTION})
    not_there = trail(app, {"question": "Who painted the ceiling of the Sistine Chapel?"})

    assert answerable == [*START, *SEARCH, *WRITE, *CHECK, "finish"]
    assert not_there[:4] == [*START, *SEARCH]
    assert not_there[-2:] == REFUSE


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("decide_retrieval", [*START, *REFUSE]),
        ("grade_passages", [*START, *SEARCH, *REFUSE]),
        ("generate", [*START, *SEARCH, *WRITE, *REFUSE]),
        ("check_grounding", [*START, *SEARCH, *WRITE, *CHECK, "finish"]),
    ],
)
def test_a_model_that_fails_for_good_leads_straight_to_the_end(
    node: str, expected: list[str]
) -> None:
    with Loopback(
        {node: [{"status": 401, "body": {"error": {"message": "no such key"}}}]}
    ) as server:
        models = {name: name for name in DEFAULTS}
        settings = preset("loop", base_url=server.url, models=models, ask_retrieval=True)
        app = compiled(None, settings)

        taken = trail(app, {"question": QUESTION})
        answer = app.invoke({"question": QUESTION})["answer"]

    assert taken == expected
    assert answer["stopped_by"] == "model_error"


def test_something_kept_is_used_when_no_new_query_is_found() -> None:
    replies = {"failure": "other", "queries": []}
    model = ScriptedModel(script={"grade_passages": "hm, maybe", "rewrite_query": replies})
    app = compiled(model, preset("loop"))

    taken = trail(app, {"question": QUESTION})

    assert taken[:6] == [*START, *SEARCH, "rewrite_query", "select_context"]
