"""A run told step by step."""

from __future__ import annotations

from typing import Any

import pytest

from ragloop.cli.story import tell

QUERIES = [
    {"query": "ferry", "round": 0},
    {"query": "ferry times", "round": 1},
    {"query": "渡轮 时刻", "round": 1},
]


@pytest.mark.parametrize(
    ("node", "update", "told"),
    [
        pytest.param(
            "restate_question",
            {
                "question": "How long does the ferry take?",
                "asked": "How long?",
                "tier": {"level": 3, "why": "as set"},
            },
            "reads: 'How long does the ferry take?'; tier 3 (as set)",
            id="restated",
        ),
        pytest.param(
            "decide_retrieval",
            {"decision": {"needs_sources": False, "reason": "a greeting"}},
            "needs no sources: a greeting",
            id="no sources",
        ),
        pytest.param(
            "retrieve",
            {"queries": QUERIES, "found": [{}, {}]},
            "'ferry times', '渡轮 时刻' brought 2 passages",
            id="the queries of this round",
        ),
        pytest.param(
            "grade_passages",
            {
                "grades": [{"label": "yes"}, {"label": "no"}, {"label": "no"}],
                "relevance": "ambiguous",
                "why_not": "the time is missing",
            },
            "1 yes, 2 no so far; the search was ambiguous: the time is missing",
            id="grades",
        ),
        pytest.param(
            "rewrite_query",
            {"searching": ["ferry times"], "failure": "vocabulary"},
            "'ferry times' (failure: vocabulary)",
            id="rewritten",
        ),
        pytest.param("rewrite_query", {"searching": []}, "found no new query", id="stalled"),
        pytest.param(
            "select_context",
            {
                "context": [{}],
                "selection": {
                    "tokens": 40,
                    "selector": "score",
                    "dropped": [{"passage_id": "a", "why": "duplicate"}],
                },
            },
            "1 passage, 40 tokens by score; left out: 1 duplicate",
            id="selected",
        ),
        pytest.param(
            "generate",
            {"draft": {"answerable": False, "missing": "the price", "text": "", "citations": []}},
            "cannot answer from this: the price",
            id="unanswerable",
        ),
        pytest.param(
            "check_grounding",
            {"grounding": [{"verdict": "full"}, {"verdict": "none"}]},
            "support of the sentences: 1 full, 1 none",
            id="grounding",
        ),
        pytest.param(
            "weigh_draft",
            {"fault": "unsupported", "why_not": "not borne out: x"},
            "unsupported: not borne out: x",
            id="fault",
        ),
    ],
)
def test_a_step_is_told_with_its_reason(node: str, update: dict[str, Any], told: str) -> None:
    assert told in tell(node, update)


def test_a_step_is_told_with_what_it_cost() -> None:
    cost = {"calls": 5, "input_tokens": 900, "output_tokens": 20, "seconds": 0.25}

    line = tell("grade_passages", {"spent": {"by_node": {"grade_passages": cost}}})

    assert line.endswith("[5 calls, 900 + 20 tokens, 0.250 s]")


def test_the_limit_that_ended_it_is_told() -> None:
    assert "stopped by max_calls" in tell("generate", {"stopped_by": "max_calls"})


def test_a_story_is_one_line_a_step() -> None:
    draft = {"answerable": False, "missing": "two\nlines", "text": "", "citations": []}

    assert "\n" not in tell("generate", {"draft": draft})
