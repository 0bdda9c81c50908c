"""What a caller hands in, read once into one shape and put into one order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from ...stores.errors import SettingsError
from ...stores.passage import Passage
from ...stores.text import fold
from .units import units

_KEPT = tuple(Passage.__annotations__.keys() - {"vector"})


LEAST = 0.1
"""Relevance of the worst-scored candidate where a score of 0 does not mean "nothing shared"."""


@dataclass(frozen=True)
class Candidate:
    """A passage that may be bought."""

    id: str
    document_id: str
    text: str
    relevance: float
    """0 to 1, from the candidates' own scores; higher is better."""
    start: int
    end: int
    given: Mapping[str, Any] = field(repr=False)
    vector: Sequence[float] | None = field(default=None, repr=False)

    def get(self, name: str) -> str:
        """A field as text; empty when it is not there."""
        value = self.given.get(name)
        return "" if value is None else str(value)

    @property
    def verbatim(self) -> bool:
        """True when the offsets fit the text, so that a part of it has offsets too."""
        return self.end - self.start == len(self.text)

    @cached_property
    def folded(self) -> str:
        """The text for comparing."""
        return self.text.lower() if self.text.isascii() else fold(self.text)

    @cached_property
    def units(self) -> list[str]:
        """The text as words and CJK characters."""
        return units(self.folded)

    @cached_property
    def folded_head(self) -> str:
        """What stands in the passage's header, for comparing."""
        return fold(" ".join(self.get(key) for key in ("title", "section", "source", "date")))

    def cut(self, start: int, end: int) -> Candidate:
        """The same passage, only `text[start:end]` of it, with offsets moved along."""
        return replace(
            self, text=self.text[start:end], start=self.start + start, end=self.start + end
        )

    def passage(self) -> Passage:
        """Give it back in the shape that everything else uses; no vector."""
        kept = {key: self.given[key] for key in _KEPT if self.given.get(key) is not None}
        kept |= {"id": self.id, "document_id": self.document_id, "text": self.text}
        kept |= {"start": self.start, "end": self.end}
        return cast(Passage, kept)


def rank_key(candidate: Candidate) -> tuple[float, str]:
    """The order of equals everywhere: relevance, then id."""
    return (-candidate.relevance, candidate.id)


def _number(value: object) -> float:
    try:
        number = float(cast(float, value))
    except (TypeError, ValueError):
        return -math.inf
    return number if math.isfinite(number) else -math.inf


def _relevances(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Scores on a scale of 0 to 1. Scores of different kinds are never compared, only ranks."""
    kinds: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        kinds.setdefault(str(row.get("score_kind") or "unknown"), []).append(at)
    relevance = [0.0] * len(rows)
    for kind, members in kinds.items():
        sign = -1.0 if kind == "distance" else 1.0
        scores = {at: sign * _number(rows[at].get("score", 0.0)) for at in members}
        scores = {at: s if math.isfinite(s) else -math.inf for at, s in scores.items()}
        if len(kinds) > 1:
            levels = sorted(set(scores.values()), reverse=True)
            relevance_of = {level: 1.0 / (1 + at) for at, level in enumerate(levels)}
            for at in members:
                nothing = scores[at] == 0.0 and kind in ("bm25", "fusion")
                relevance[at] = 0.0 if nothing else relevance_of[scores[at]]
            continue
        finite = [s for s in scores.values() if math.isfinite(s)]
        low, high = min(finite, default=0.0), max(finite, default=0.0)
        low = min(low, 0.0) if kind in ("bm25", "fusion") else low
        for at in members:
            if math.isfinite(scores[at]):
                share = (scores[at] - low) / (high - low) if high > low else 1.0
                relevance[at] = share if low == 0.0 else LEAST + (1.0 - LEAST) * share
    return relevance


def read_candidates(given: Iterable[Mapping[str, Any]]) -> list[Candidate]:
    """Read, check and sort candidates; the same set in any order gives the same list.

    A passage id stands for one passage: of two candidates with one id the better-scored stays.
    Raises SettingsError when a candidate has no id or no text.
    """
    rows = list(given)
    for row in rows:
        if not row.get("id") or not isinstance(row.get("text"), str):
            raise SettingsError(
                f"A candidate needs an id and a text; this one has {sorted(row)!r}. "
                "Give each passage a stable id and its text."
            )
    best: dict[str, Candidate] = {}
    for row, relevance in zip(rows, _relevances(rows), strict=True):
        start = int(row.get("start") or 0)
        end = row.get("end")
        vector = row.get("vector")
        candidate = Candidate(
            id=str(row["id"]),
            document_id=str(row.get("document_id") or row["id"]),
            text=row["text"],
            relevance=relevance,
            start=start,
            end=int(end) if end is not None else start + len(row["text"]),
            given=row,
            vector=vector if vector is not None and len(vector) else None,
        )
        other = best.get(candidate.id)
        if other is None or (-relevance, candidate.text) < (-other.relevance, other.text):
            best[candidate.id] = candidate
    return sorted(best.values(), key=rank_key)
