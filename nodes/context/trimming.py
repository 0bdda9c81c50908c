"""Cutting a long passage down to the sentences that matter, as one verbatim stretch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...stores.text import fold, sentences
from .candidates import Candidate
from .slots import holds

MAX_SENTENCES = 400
"""Of a longer passage only so many are looked at."""
LEAST = 160
"""No passage is tightened below so many tokens: a short one is its own context."""
SHARE = 0.5
"""A tightened passage keeps about this share of its tokens."""
OPENING = 0.5
"""The first sentence names the topic; it is worth this part of the best sentence more."""


def window(values: NDArray[np.float64], costs: Sequence[int], limit: int) -> tuple[int, int]:
    """The stretch of sentences worth most within `limit` tokens: first, and one past the last.

    Values are not negative. Of equals the longer, then the earlier: context that is free is kept.
    (0, 0) when no sentence fits.
    """
    best, found = (-1.0, 0, 0), (0, 0)
    start, cost = 0, 0
    for end in range(1, len(costs) + 1):
        cost += costs[end - 1]
        while cost > limit:
            cost -= costs[start]
            start += 1
        key = (round(float(values[start:end].sum()), 9), end - start, -start)
        if end > start and key > best:
            best, found = key, (start, end)
    return found


class Trimmer:
    """Trims passages for one question; a sentence is worth the question's words that it has."""

    def __init__(
        self,
        words: Sequence[str],
        weights: NDArray[np.float64],
        count_tokens: Callable[[str], int],
    ) -> None:
        self._words, self._weights, self._count = words, weights, count_tokens

    def tighten(self, candidate: Candidate) -> Candidate:
        """The better half of a long passage, or the passage itself."""
        tokens = self._count(candidate.text)
        limit = max(LEAST, int(SHARE * tokens))
        return candidate if tokens <= limit else self.trim(candidate, limit) or candidate

    def trim(self, candidate: Candidate, limit: int) -> Candidate | None:
        """The best stretch of whole sentences within `limit` tokens of text; None if none fits.

        The stretch grows around what matters as far as the limit allows, so that a kept sentence
        does not lose its context. Offsets stay true.
        """
        text = candidate.text
        spans = sentences(text)[:MAX_SENTENCES]
        if not spans or limit <= 0:
            return None
        ends = [following.start for _, following in pairwise(spans)] + [spans[-1].end]
        pieces = [text[span.start : end] for span, end in zip(spans, ends, strict=True)]
        values = holds(self._words, [fold(piece) for piece in pieces]) @ self._weights
        values[0] += OPENING * values.max()
        first, last = window(values, [self._count(piece) for piece in pieces], limit)
        while first < last:
            start, end = spans[first].start, spans[last - 1].end
            if self._count(text[start:end]) <= limit:
                return candidate.cut(start, end)
            last -= 1
        return None
