"""What the two searching nodes share: the filter, fusion of several queries, lean passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph.settings import Settings
from ..graph.state import State
from ..stores.passage import Passage

RANK_OFFSET = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009)."""


def filter_of(state: State, settings: Settings) -> dict[str, Any] | None:
    """The metadata filter of this question. What the settings demand, no request can loosen."""
    where = {**(state.get("where") or {}), **(settings.where or {})}
    return where or None


def fused(hits: Sequence[Sequence[Passage]], k: int) -> list[Passage]:
    """Merge the results of several queries by reciprocal rank; one query keeps its own scores."""
    if len(hits) == 1:
        return list(hits[0])
    score: dict[str, float] = {}
    known: dict[str, Passage] = {}
    for passages in hits:
        for rank, passage in enumerate(passages):
            known.setdefault(passage["id"], passage)
            score[passage["id"]] = score.get(passage["id"], 0.0) + 1 / (RANK_OFFSET + rank + 1)
    best = sorted(score, key=lambda id: (-score[id], id))[:k]
    return [{**known[id], "score": round(score[id], 6), "score_kind": "fusion"} for id in best]


def lean(passage: Passage) -> Passage:
    """A passage as the state keeps it: plain numbers, and no vector."""
    kept: dict[str, Any] = {key: value for key, value in passage.items() if key != "vector"}
    if (score := kept.get("score")) is not None:
        kept["score"] = float(score)
    return kept  # type: ignore[return-value]  # the same keys, less one


def reranked(passages: Sequence[Passage], ranked: Sequence[Any]) -> list[Passage]:
    """The passages in a reranker's order, with its scores where it gives any.

    `ranked` are LangChain documents that carry the passage's id; a reranker may leave some out.
    """
    known = {passage["id"]: passage for passage in passages}
    found: list[Passage] = []
    for document in ranked:
        passage = known.get(document.id or document.metadata.get("id", ""))
        if passage is None:
            continue
        score = document.metadata.get("relevance_score")
        scored: Passage = {**passage}
        if score is not None:
            scored["score"], scored["score_kind"] = float(score), "rerank"
        found.append(scored)
    return found
