"""Choosing what a token budget buys: the one function that puts the parts together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from typing_extensions import TypedDict

from ...stores.errors import SettingsError
from ...stores.passage import Passage
from ...stores.tokens import count_tokens as default_count
from .bridges import Bridges
from .budget import CountTokens, Order, arrange, block_tokens, seal
from .candidates import Candidate, read_candidates
from .duplicates import LAYERS, Conflict, Distinct, Kind, Layer, Rules, remove_duplicates
from .measures import redundancy
from .selectors import SELECTORS, ByScore, Coverage, Gain, Mmr, Novelty, Selector, Thrift, greedy
from .slots import Cover, cover, find_slots, holds
from .trimming import trim
from .vectors import unit_rows

LOW_CONFIDENCE = 0.3
"""Below this share of asked-for words found among the candidates, slots are not trusted."""


class Dropped(TypedDict):
    """A candidate that did not go in."""

    passage_id: str
    why: str


@dataclass
class Selection:
    """What goes into the prompt, and why the rest does not."""

    passages: list[Passage] = field(default_factory=list)
    """In the order of the formatted context; a trimmed one has its own `start` and `end`."""
    tokens: int = 0
    """Of `format_context(passages)`, by the counter in use; never above the budget."""
    dropped: list[Dropped] = field(default_factory=list)
    selector: str = "score"
    fell_back: str = ""
    """Why the asked-for selector could not be used; empty when it was."""
    redundancy: float = 0.0
    """Share of sentences said before, 0 to 1; below 0.10 is healthy, above 0.30 broken."""
    conflicts: list[Conflict] = field(default_factory=list)
    trimmed: list[str] = field(default_factory=list)
    """Ids of passages that went in shortened."""

    def summary(self) -> dict[str, Any]:
        """Everything but the passages, as JSON."""
        return {key: value for key, value in asdict(self).items() if key != "passages"}


@dataclass(frozen=True)
class _Plan:
    """One call's inputs, read."""

    candidates: list[Candidate]
    cover: Cover
    count_tokens: CountTokens
    budget: int
    words: list[str]


def _check(budget: int, selector: str, agreement_share: float, layers: Collection[str]) -> None:
    if budget < 0:
        raise SettingsError(f"A budget of {budget} tokens cannot be spent. Give 0 or more.")
    if selector not in SELECTORS:
        raise SettingsError(
            f"There is no selector {selector!r}. Use one of: {', '.join(SELECTORS)}."
        )
    if not 0.0 <= agreement_share < 1.0:
        raise SettingsError(
            f"agreement_share is {agreement_share}. Give a share from 0 to below 1."
        )
    for layer in layers:
        if layer not in LAYERS:
            raise SettingsError(f"There is no layer {layer!r}. Use any of: {', '.join(LAYERS)}.")


def select(
    candidates: Iterable[Mapping[str, Any]],
    question: str,
    budget: int,
    *,
    selector: Selector = "auto",
    count_tokens: CountTokens | None = None,
    order: Order = "score",
    layers: Collection[Layer] = LAYERS,
    mmr_lambda: float = 0.7,
    agreement_share: float = 0.12,
    question_vector: Sequence[float] | None = None,
) -> Selection:
    """Choose the passages that add most for at most `budget` tokens of formatted context."""
    _check(budget, selector, agreement_share, layers)
    count = count_tokens or default_count
    arrange([], order)
    given = read_candidates(candidates)
    distinct = remove_duplicates(given, Rules(layers=layers))
    kept = [c for c in distinct.kept if c.text.strip()]
    costs = [block_tokens(c, count) for c in kept]
    used, why = selector, ""
    if used == "auto":
        used = "coverage"
    slots = find_slots(question)
    covering = cover(slots, kept)
    relevance = np.array([c.relevance for c in kept])
    if used == "coverage" and covering.confidence < LOW_CONFIDENCE:
        used, why = "score", "the candidates hold too few of the question's words"
    source: Gain = ByScore(relevance)
    if used == "coverage":
        source = Coverage(covering, relevance, Bridges(kept))
    chosen = [kept[i] for i in greedy(source, costs, budget, Thrift())] if kept else []
    arranged, tokens, removed = seal(chosen, order, budget, count)
    out = [c.passage() for c in arranged]
    ids = {c.id for c in arranged}
    merged = {m.gone.id: m.why for m in distinct.merges}
    dropped: list[Dropped] = [
        {"passage_id": c.id, "why": merged.get(c.id, "over the budget")}
        for c in given
        if c.id not in ids
    ]
    return Selection(out, tokens, dropped, used, why, redundancy(out), distinct.conflicts)
