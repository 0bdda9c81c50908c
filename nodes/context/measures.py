"""Figures about a selected context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
