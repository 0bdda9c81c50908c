"""Cutting a long passage down to the sentences that matter, as one verbatim stretch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...stores.text import Span, fold, sentences
from .candidates import Candidate

MAX_SENTENCES = 400
"""A longer passage is looked at up to here; windows are compared in pairs."""


def window(values: NDArray[np.float64], costs: Sequence[int], limit: int) -> tuple[int, int]:
    """The stretch of sentences worth most within `limit` tokens: first and one past the last.

    Of equals the longer, then the earlier: context that is free is kept. (0, 0) when nothing fits.
    """
    best, found = (-1.0, 0, 0), (0, 0)
    start, cost, value = 0, 0, 0.0
    for end in range(1, len(costs) + 1):
        cost += costs[end - 1]
        value += float(values[end - 1])
        while cost > limit:
            cost -= costs[start]
            value -= float(values[start])
            start += 1
        key = (round(value, 9), end - start, -start)
        if end > start and key > best:
            best, found = key, (start, end)
    return found


def trim(
    candidate: Candidate,
    limit: int,
    count_tokens: Callable[[str], int],
    worth: Callable[[Sequence[str]], NDArray[np.float64]],
) -> Candidate | None:
    """The best stretch of whole sentences within `limit` tokens of text, or None.

    `worth` values folded sentences. A stretch keeps neighbours around what matters as far as they
    fit, so a kept sentence does not lose its context first. Offsets stay true.
    """
    spans = sentences(candidate.text)[:MAX_SENTENCES]
    if not spans:
        return None
    pieces = [candidate.text[s.start : n.start] for s, n in _with_next(spans, len(candidate.text))]
    costs = [count_tokens(piece) for piece in pieces]
    first, last = window(worth([fold(piece) for piece in pieces]), costs, limit)
    while first < last:
        start, end = spans[first].start, spans[last - 1].end
        if count_tokens(candidate.text[start:end]) <= limit:
            return candidate.cut(start, end)
        last -= 1
    return None


def _with_next(spans: Sequence[Span], length: int) -> list[tuple[Span, Span]]:
    return list(zip(spans, [*spans[1:], Span(length, length)], strict=True))
