"""What the two searching nodes share: the filter, fusion of several queries, lean passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph.settings import Settings
from ..graph.state import State
from ..stores.passage import Passage
from ..stores.text import content_terms, fold

RANK_OFFSET = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009)."""


LONGEST_PASSAGE = 10_000
"""Characters. Pieces of 300 words have about 2,000; other stores may hold longer ones."""


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


def lean(passage: Passage, question: str) -> Passage:
    """A passage as the state keeps it: plain numbers, no vector, and not a whole book."""
    kept: dict[str, Any] = {key: value for key, value in passage.items() if key != "vector"}
    if (score := kept.get("score")) is not None:
        kept["score"] = float(score)
    return shortened(kept, question)  # type: ignore[arg-type]  # the same keys, less one


def shortened(passage: Passage, question: str) -> Passage:
    """The stretch of a long passage that holds most of the question's words; offsets stay true.

    The state is saved at every step, and no prompt could take more of a single passage.
    """
    text = passage["text"]
    if len(text) <= LONGEST_PASSAGE:
        return passage
    wanted = content_terms(question)
    starts = range(0, len(text) - LONGEST_PASSAGE // 2, LONGEST_PASSAGE // 2)
    folded = fold(text) if len(fold(text)) == len(text) else text.lower()

    def held(start: int) -> int:
        return sum(term in folded[start : start + LONGEST_PASSAGE] for term in wanted)

    start = max(starts, key=lambda at: (held(at), -at))
    short = text[start : start + LONGEST_PASSAGE]
    offset = passage["start"] + start
    return {**passage, "text": short, "start": offset, "end": offset + len(short)}


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
