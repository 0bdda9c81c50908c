"""Search outside the store, once a question; what comes back is graded like any passage."""

from __future__ import annotations

from ..graph.answer import QueryRecord
from ..graph.state import State
from ..stores.passage import Passage
from .run import Run
from .searching import filter_of, fused, lean
from .steps import Search, Steps


def search_elsewhere(state: State, run: Run) -> Steps[State]:
    """Ask the other source the question and the newest queries, at once."""
    queries = tuple(dict.fromkeys([state["question"], *state["searching"]]))
    where = filter_of(state, run.settings)
    hits: list[list[Passage]] = yield Search(queries, run.settings.k, where, elsewhere=True)
    found = [
        lean(from_elsewhere(passage), state["question"]) for passage in fused(hits, run.settings.k)
    ]
    records: list[QueryRecord] = [
        {
            "query": query,
            "reason": state["why_not"] or "the store does not suffice",
            "failure": state["failure"],
            "passage_ids": [passage["id"] for passage in passages],
            "verdict": "not graded",
            "round": state["rounds"],
            "where": "elsewhere",
        }
        for query, passages in zip(queries, hits, strict=True)
    ]
    return {"found": found, "asked_elsewhere": True, "queries": [*state["queries"], *records]}


def from_elsewhere(passage: Passage) -> Passage:
    """Mark where a passage comes from; its address, title and date stay with it."""
    return {**passage, "metadata": {**passage.get("metadata", {}), "origin": "elsewhere"}}
