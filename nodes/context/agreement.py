"""Independent sources that say the same: agreement makes invention less likely."""

from __future__ import annotations

from collections.abc import Sequence

from .budget import CountTokens, block_tokens
from .candidates import Candidate
from .duplicates import Merge


def independent(a: Candidate, b: Candidate) -> bool:
    """Different documents of different sources; a copy from the same source never counts."""
    sources = a.get("source") or a.document_id, b.get("source") or b.document_id
    return a.document_id != b.document_id and sources[0] != sources[1]


def witnesses(
    chosen: Sequence[Candidate],
    merges: Sequence[Merge],
    reserve: int,
    count_tokens: CountTokens,
) -> list[Candidate]:
    """Passages merged as variants that back a chosen one independently, within `reserve` tokens.

    One for each chosen passage, in the order of choosing. Copies and reprints are the same words
    again and prove nothing.
    """
    by_kept: dict[str, list[Candidate]] = {}
    for merge in merges:
        if merge.kind == "variant":
            by_kept.setdefault(merge.kept_id, []).append(merge.gone)
    found: list[Candidate] = []
    for candidate in chosen:
        for other in by_kept.get(candidate.id, ()):
            cost = block_tokens(other, count_tokens)
            if cost <= reserve and independent(candidate, other):
                found.append(other)
                reserve -= cost
                break
    return found
