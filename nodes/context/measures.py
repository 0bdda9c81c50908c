"""Figures about a selected context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...stores.text import content_terms, sentences

HEALTHY, BROKEN = 0.10, 0.30
"""Redundancy below the first is healthy, above the second something is broken."""
SAID = 0.8
"""A sentence counts as said before when so much of its words stand in one earlier sentence."""


def redundancy(passages: Sequence[Mapping[str, Any]]) -> float:
    """The share of sentences, 0 to 1, that an earlier passage has said already.

    Measured by content words of single sentences, which no duplicate layer looks at: a measure
    shared with the filter would be zero by construction.
    """
    seen: list[set[str]] = []
    total = repeated = 0
    for passage in passages:
        text = str(passage["text"])
        own = [set(content_terms(text[a:b])) for a, b in sentences(text)]
        own = [terms for terms in own if len(terms) >= 3]
        total += len(own)
        repeated += sum(any(len(t & s) >= SAID * len(t) for s in seen) for t in own)
        seen.extend(own)
    return repeated / total if total else 0.0


def marginal_gains(right_with: Sequence[float]) -> list[float]:
    """What the i-th passage added, from the share of right answers with the first i passages.

    `right_with[0]` is the share without any passage.
    """
    return [after - before for before, after in pairwise(right_with)]


def plateau(right_with: Sequence[float], least: float = 0.01) -> int:
    """The number of passages after which no later one adds `least` in all; 0 when none helps.

    The budget should hold one passage more than that.
    """
    if not right_with:
        return 0
    top = max(right_with)
    return next(at for at, share in enumerate(right_with) if share > top - least)


def token_efficiency(accuracy: float, mean_tokens: float) -> float:
    """Accuracy (0 to 1) for a thousand tokens of context; 0 without any context."""
    return 1000.0 * accuracy / mean_tokens if mean_tokens > 0 else 0.0


def fallback_share(reasons: Sequence[str]) -> float:
    """The share of selections that fell back, from their `fell_back`; 0 for none at all."""
    return sum(bool(reason) for reason in reasons) / len(reasons) if reasons else 0.0
