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
