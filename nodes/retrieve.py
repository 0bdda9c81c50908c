"""Search the store for every query of this round, at once."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.answer import QueryRecord
from ..graph.settings import Settings
from ..graph.state import State
from ..stores.passage import Passage
from .run import Run
from .searching import LONGEST_PASSAGE, filter_of, fused, lean
from .steps import Rerank, Search, Steps


def retrieve(state: State, run: Run) -> Steps[State]:
    """Bring the passages of this round, best first, and note which query found which."""
    queries = tuple(state["searching"])
    where = filter_of(state, run.settings)
    hits: list[list[Passage]] = yield Search(queries, passages_wanted(state, run.settings), where)
    found = fused(without_kept(hits, state), passages_wanted(state, run.settings))
    if run.engine.reranker is not None and found:
        found = yield Rerank(state["question"], tuple(found))
    long = [passage["id"] for passage in found if len(passage["text"]) > LONGEST_PASSAGE]
    if long:
        run.warn(f"Cut to {LONGEST_PASSAGE} characters around what was asked: {', '.join(long)}")
    found = [lean(passage, state["question"]) for passage in found]
    records = [*state["queries"], *records_of(state, queries, hits)]
    if not found and not state["kept"]:
        run.warn(f"{run.node}: nothing was found. Does the store hold documents?")
    update: State = {
        "found": found,
        "queries": records,
        "stalled": goes_in_circles(records),
    }
    if not run.settings.grade_retrieval or state["tier"]["level"] < 2:
        update["kept"] = found
    return update


def passages_wanted(state: State, settings: Settings) -> int:
    """How many passages a search brings: more for a broad question (Self-Route, section 5)."""
    return 2 * settings.k if state["failure"] == "general" else settings.k


def without_kept(hits: Sequence[Sequence[Passage]], state: State) -> list[list[Passage]]:
    """What a round adds: a passage that was kept before is not graded again, nor takes a place."""
    kept = {passage["id"] for passage in state["kept"]}
    return [[passage for passage in found if passage["id"] not in kept] for found in hits]


def goes_in_circles(queries: Sequence[QueryRecord]) -> bool:
    """True when two rewrites in a row brought the very passages that were there before.

    One such round is no proof: the next wording may still find something else.
    """
    rounds: dict[int, dict[str, None]] = {}
    for record in queries:
        rounds.setdefault(record["round"], {}).update(dict.fromkeys(record["passage_ids"]))
    last = [list(ids) for _, ids in sorted(rounds.items())][-3:]
    return len(last) == 3 and last[0] == last[1] == last[2]


def records_of(
    state: State, queries: Sequence[str], hits: Sequence[Sequence[Passage]]
) -> list[QueryRecord]:
    """One record a query; grading adds the verdict."""
    reason = state["why_not"] if state["rounds"] else "the question as asked"
    return [
        {
            "query": query,
            "reason": reason,
            "failure": state["failure"],
            "passage_ids": [passage["id"] for passage in passages],
            "verdict": "not graded",
            "round": state["rounds"],
            "where": "store",
        }
        for query, passages in zip(queries, hits, strict=True)
    ]
