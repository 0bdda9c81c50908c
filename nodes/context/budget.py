"""The exact ceiling: what passages cost as they go into the prompt, and whether they fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ...stores.errors import SettingsError
from .candidates import Candidate, rank_key
from .formatting import format_context, format_passage

CountTokens = Callable[[str], int]
Order = Literal["score", "document", "edges"]
ORDERS = ("score", "document", "edges")
_PLACEHOLDER = 10
"""A number of two digits stands for the marker while a passage has none yet."""


def block_tokens(candidate: Candidate, count_tokens: CountTokens) -> int:
    """What one passage costs with its fence, attributes and line end."""
    return count_tokens(format_passage(candidate.passage(), _PLACEHOLDER) + "\n")


def context_tokens(chosen: Sequence[Candidate], count_tokens: CountTokens) -> int:
    """What the chosen passages cost together, exactly as they are sent."""
    return count_tokens(format_context(c.passage() for c in chosen)) if chosen else 0


def arrange(chosen: Sequence[Candidate], order: Order) -> list[Candidate]:
    """Put the chosen passages in the order that the model reads them.

    `score`: best first. `document`: documents by their best passage, inside one by offset.
    `edges`: the best first and last, the weakest in the middle, where models read least
    carefully (Liu et al. 2023, "Lost in the Middle").
    """
    ranked = sorted(chosen, key=rank_key)
    if order == "document":
        place: dict[str, int] = {}
        for at, candidate in enumerate(ranked):
            place.setdefault(candidate.document_id, at)
        return sorted(ranked, key=lambda c: (place[c.document_id], c.start, c.id))
    if order == "edges":
        return ranked[::2] + ranked[1::2][::-1]
    if order != "score":
        raise SettingsError(f"There is no order {order!r}. Use one of: {', '.join(ORDERS)}.")
    return ranked


def seal(
    chosen: Sequence[Candidate], order: Order, budget: int, count_tokens: CountTokens
) -> tuple[list[Candidate], int, list[Candidate]]:
    """Arrange, count the whole, and take the last-chosen out until it fits.

    `chosen` is in the order of choosing, the most valuable first. Counters are not additive, so
    the sum of the parts settles nothing; only this count does. Returns the arranged passages,
    their tokens and what had to go.
    """
    kept = list(chosen)
    removed: list[Candidate] = []
    while kept:
        arranged = arrange(kept, order)
        tokens = context_tokens(arranged, count_tokens)
        if tokens <= budget:
            return arranged, tokens, removed
        removed.append(kept.pop())
    return [], 0, removed
