"""Every reason of every edge has a row: what the state says, and where the run goes."""

from __future__ import annotations

from typing import Any

import pytest
from small_graph import passage, state_of

from ragloop.graph import edges
from ragloop.graph.build import ARROWS, NODES
from ragloop.graph.settings import Settings

GOOD = {"support": 1.0, "fault": "", "text": "Yes.", "usefulness": 5}
HALF = {"support": 0.5, "fault": "unsupported", "text": "Yes. No.", "usefulness": 5}
BAD = {"support": 0.0, "fault": "unsupported", "text": "No.", "usefulness": 5}
ANSWERS = {"text": "31 m.", "answerable": True, "missing": "", "citations": [], "uncited": []}
DECLINES = {**ANSWERS, "text": "", "answerable": False}
KEPT = [passage("well")]
ALL = ["search_again", "search_elsewhere", "read_whole"]
BROKEN = {"stopped_by": "model_error"}
SPENT = {"calls": 60}
MODEL = {"costs_calls": True}

ROWS: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
    # the node, the case, the reason, what the state says, what the settings say
    (
        "decide_retrieval",
        "small talk",
        "common knowledge",
        {"decision": {"needs_sources": False}},
        {},
    ),
    ("decide_retrieval", "a question", "needs sources", {"decision": {"needs_sources": True}}, {}),
    (
        "decide_retrieval",
        "whole documents at once",
        "read it all",
        {"decision": {"needs_sources": True, "read_all": True}},
        {},
    ),
    ("decide_retrieval", "model error", "give up", BROKEN, {}),
    ("retrieve", "gate on", "doubtful", {}, {}),
    ("retrieve", "gate off", "trusted", {}, {"grade_retrieval": False}),
    ("retrieve", "low tier", "trusted", {"tier": {"level": 1, "why": ""}}, {}),
    ("grade_passages", "correct", "usable", {"relevance": "correct", "kept": KEPT}, {}),
    ("grade_passages", "incorrect", "search again", {"relevance": "incorrect"}, {}),
    ("grade_passages", "ambiguous", "search again", {"relevance": "ambiguous", "kept": KEPT}, {}),
    (
        "grade_passages",
        "correct, but the draft from it did not do",
        "search again",
        {"relevance": "correct", "kept": KEPT, "drafted_from": ["well"]},
        {},
    ),
    ("grade_passages", "rounds used up", "elsewhere", {"rounds": 2}, {}),
    ("grade_passages", "nothing new", "elsewhere", {"stalled": True}, {}),
    (
        "grade_passages",
        "asked everywhere, something kept",
        "usable",
        {"rounds": 2, "asked_elsewhere": True, "relevance": "ambiguous", "kept": KEPT},
        {},
    ),
    (
        "grade_passages",
        "asked everywhere, nothing kept",
        "read it all",
        {"rounds": 2, "asked_elsewhere": True, "found": KEPT},
        {},
    ),
    (
        "grade_passages",
        "implicit",
        "read it all",
        {"failure": "implicit", "found": KEPT},
        {},
    ),
    ("grade_passages", "no remedy", "give up", {"remedies": []}, {}),
    (
        "grade_passages",
        "max_calls, something kept",
        "usable",
        {**MODEL, "spent": SPENT, "kept": KEPT},
        {},
    ),
    ("grade_passages", "max_calls, nothing kept", "give up", {**MODEL, "spent": SPENT}, {}),
    (
        "grade_passages",
        "max_tokens",
        "give up",
        {**MODEL, "spent": {"input_tokens": 200_000}},
        {},
    ),
    ("grade_passages", "deadline", "give up", {"spent": {"started": 0.0}}, {}),
    (
        "grade_passages",
        "model error",
        "give up",
        {**BROKEN, "relevance": "correct", "kept": KEPT},
        {},
    ),
    ("rewrite_query", "new queries", "search again", {"searching": ["well depth"]}, {}),
    (
        "rewrite_query",
        "implicit",
        "read it all",
        {"searching": ["well"], "failure": "implicit", "found": KEPT},
        {},
    ),
    ("rewrite_query", "no new query", "elsewhere", {"searching": [], "stalled": True}, {}),
    (
        "rewrite_query",
        "no new query, something kept",
        "usable",
        {"searching": [], "stalled": True, "asked_elsewhere": True, "kept": KEPT},
        {},
    ),
    (
        "rewrite_query",
        "no new query, nothing kept",
        "read it all",
        {"searching": [], "stalled": True, "asked_elsewhere": True, "found": KEPT},
        {},
    ),
    ("rewrite_query", "no remedy", "give up", {"searching": [], "remedies": []}, {}),
    ("rewrite_query", "max_calls", "give up", {**MODEL, "searching": ["x"], "spent": SPENT}, {}),
    ("rewrite_query", "deadline", "give up", {"searching": ["x"], "spent": {"started": 0.0}}, {}),
    ("rewrite_query", "model error", "give up", {**BROKEN, "searching": ["x"]}, {}),
    ("generate", "an answer", "drafted + rate it", {"draft": ANSWERS}, {}),
    ("generate", "no rating", "drafted", {"draft": ANSWERS}, {"rate_usefulness": False}),
    ("generate", "no support check", "rate it", {"draft": ANSWERS}, {"check_support": False}),
    ("generate", "tier 0", "unchecked", {"draft": ANSWERS, "tier": {"level": 0, "why": ""}}, {}),
    ("generate", "unanswerable", "search again", {"draft": DECLINES}, {}),
    ("generate", "unanswerable, rounds used up", "elsewhere", {"draft": DECLINES, "rounds": 2}, {}),
    (
        "generate",
        "unanswerable, asked everywhere",
        "read it all",
        {"draft": DECLINES, "rounds": 2, "asked_elsewhere": True, "kept": KEPT},
        {},
    ),
    (
        "generate",
        "unanswerable, read whole",
        "give up",
        {"draft": DECLINES, "rounds": 2, "asked_elsewhere": True, "whole": {"tokens": 9}},
        {},
    ),
    ("generate", "max_calls", "give up", {**MODEL, "draft": DECLINES, "spent": SPENT}, {}),
    ("generate", "model error", "give up", {**BROKEN, "draft": ANSWERS}, {}),
    ("read_whole_document", "an answer", "drafted + rate it", {"draft": ANSWERS}, {}),
    (
        "read_whole_document",
        "no support check",
        "rate it",
        {"draft": ANSWERS},
        {"check_support": False},
    ),
    (
        "read_whole_document",
        "no checks",
        "unchecked",
        {"draft": ANSWERS},
        {"check_support": False, "rate_usefulness": False},
    ),
    ("read_whole_document", "unanswerable", "give up", {"draft": DECLINES}, {}),
    ("read_whole_document", "model error", "give up", {**BROKEN, "draft": ANSWERS}, {}),
    ("weigh_draft", "good", "good enough", {"fault": "", "best_draft": GOOD}, {}),
    ("weigh_draft", "unsupported", "search again", {"fault": "unsupported", "best_draft": BAD}, {}),
    (
        "weigh_draft",
        "unsupported, to be written again",
        "write again",
        {"fault": "unsupported", "best_draft": BAD, "drafts": 1},
        {"unsupported": "regenerate"},
    ),
    (
        "weigh_draft",
        "in another language",
        "write again",
        {"fault": "another language", "best_draft": GOOD, "drafts": 1},
        {},
    ),
    (
        "weigh_draft",
        "in another language, drafts used up",
        "good enough",
        {"fault": "another language", "best_draft": GOOD, "drafts": 2},
        {},
    ),
    (
        "weigh_draft",
        "drafts used up",
        "search again",
        {"fault": "unsupported", "best_draft": BAD, "drafts": 2},
        {"unsupported": "regenerate"},
    ),
    (
        "weigh_draft",
        "off the point, rounds used up",
        "elsewhere",
        {"fault": "off the point", "best_draft": GOOD, "rounds": 2},
        {},
    ),
    (
        "weigh_draft",
        "asked everywhere",
        "read it all",
        {
            "fault": "unsupported",
            "best_draft": BAD,
            "rounds": 2,
            "asked_elsewhere": True,
            "kept": KEPT,
        },
        {},
    ),
    (
        "weigh_draft",
        "no remedy, half of it holds",
        "good enough",
        {"fault": "unsupported", "best_draft": HALF, "remedies": []},
        {},
    ),
    (
        "weigh_draft",
        "no remedy, nothing holds",
        "give up",
        {"fault": "unsupported", "best_draft": BAD, "remedies": []},
        {},
    ),
    (
        "weigh_draft",
        "verdicts that nobody could read",
        "give up",
        {"fault": "unchecked", "best_draft": BAD},
        {},
    ),
    (
        "weigh_draft",
        "max_calls",
        "good enough",
        {**MODEL, "fault": "unsupported", "best_draft": HALF, "spent": SPENT},
        {},
    ),
    (
        "weigh_draft",
        "model error",
        "good enough",
        {**BROKEN, "fault": "unchecked", "best_draft": BAD},
        {},
    ),
]


@pytest.mark.parametrize(
    ("node", "reason", "says", "changes"),
    [(node, reason, says, changes) for node, _, reason, says, changes in ROWS],
    ids=[f"{node}: {case} -> {reason}" for node, case, reason, _, _ in ROWS],
)
def test_an_edge_gives_its_reason(
    node: str, reason: str, says: dict[str, Any], changes: dict[str, Any]
) -> None:
    settings = Settings(**changes)
    state = state_of(settings, **{"remedies": ALL, **says})

    given = ARROWS[node][0](state, settings)

    assert (" + ".join(given) if isinstance(given, list) else given) == reason


def test_every_reason_of_every_edge_has_a_row() -> None:
    told = {(node, part) for node, _, reason, _, _ in ROWS for part in reason.split(" + ")}

    mapped = {(node, reason) for node, (_, reasons) in ARROWS.items() for reason in reasons}

    assert told == mapped


def test_an_edge_leads_only_to_nodes_that_there_are_each_by_one_reason() -> None:
    for _, reasons in ARROWS.values():
        targets = list(reasons.values())

        assert set(targets) <= set(NODES)
        assert len(set(targets)) == len(targets)


def test_no_edge_writes_to_the_state() -> None:
    settings = Settings()
    state = state_of(settings, best_draft=BAD, fault="unsupported", remedies=ALL)
    before = repr(state)

    edges.route_after_weighing(state, settings)
    edges.route_after_grading(state, settings)

    assert repr(state) == before
