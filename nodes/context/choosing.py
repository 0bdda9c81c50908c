"""From distinct candidates to the chosen ones: the selector, trimming, and what is given back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .agreement import witnesses
from .bridges import Bridges
from .budget import CountTokens, block_tokens
from .candidates import Candidate
from .duplicates import Merge
from .parts import named_fields, part_relevance
from .selectors import ByScore, Coverage, Gain, Mmr, Novelty, Selector, Thrift, greedy
from .slots import FULL, Asked, Cover, asked, cover, find_slots
from .trimming import Trimmer
from .vectors import unit_rows

LOW_CONFIDENCE = 0.3
"""Below this share of the asked-for words among the candidates, slots are not trusted."""
PART_SHARE = 0.3
"""What a passage's fit to its best part counts against its score."""
REST = 0.15
"""What the cut-off rest of a passage is worth, against an equal share of what the passage adds: the
words of a question lead to the right passage, and often not to the sentence that answers. With 0
long passages lose answers (CMRC); with 1 questions for several facts lose evidence (RGB)."""
LOOK_AHEAD = 6
"""Passages are tightened, best first, until they would fill the budget so many times."""

RANKED = Thrift(exponent=0.0, min_tokens=0, floor=-np.inf, best_single=False)
"""For selectors whose order is the point: length, floor and plateau play no part."""


@dataclass(frozen=True)
class Wish:
    """How a caller wants the budget spent."""

    question: str
    budget: int
    selector: Selector
    count_tokens: CountTokens
    mmr_lambda: float
    agreement_share: float
    question_vector: Sequence[float] | None
    sub_questions: dict[str, float]
    trim: bool
    thrift: Thrift


@dataclass
class Choice:
    """What was chosen, in choosing order, and how."""

    chosen: list[Candidate] = field(default_factory=list)
    selector: str = "score"
    fell_back: str = ""
    witnesses: list[Candidate] = field(default_factory=list)
    costs: dict[str, int] = field(default_factory=dict)
    """Tokens of each distinct candidate as a whole, with its fence."""


def _settle(wish: Wish, kept: Sequence[Candidate], covering: Cover) -> tuple[Selector, str]:
    """The selector that can be used, and why not the one asked for."""
    selector: Selector = "coverage" if wish.selector == "auto" else wish.selector
    missing = sum(1 for c in kept if c.vector is None)
    if selector == "coverage" and not covering.slots:
        return "score", "the question names nothing that could be covered"
    if selector == "coverage" and covering.confidence < LOW_CONFIDENCE:
        return "score", "the candidates hold too few of the question's words"
    if selector in ("mmr", "novelty") and missing:
        return "score", f"{missing} of {len(kept)} candidates have no vector"
    if selector == "mmr" and wish.question_vector is None:
        return "score", "the question has no vector"
    return selector, ""


def _source(
    selector: Selector, wish: Wish, kept: list[Candidate], covering: Cover, wanted: Asked
) -> Gain:
    """What each candidate adds, by the selector's own measure."""
    relevance = np.array([c.relevance for c in kept])
    if selector == "coverage":
        fit = relevance + PART_SHARE * part_relevance(wish.question, kept, wanted)
        return Coverage(covering, fit * named_fields(wish.question, kept), Bridges(kept))
    if selector == "score":
        return ByScore(relevance)
    rows = unit_rows([c.vector for c in kept if c.vector is not None])
    if selector == "novelty":
        return Novelty(relevance, rows)
    question = unit_rows([wish.question_vector or ()])[0]
    return Mmr(rows @ question, rows, wish.mmr_lambda)


def choose(kept: list[Candidate], merges: Sequence[Merge], wish: Wish) -> Choice:
    """Choose from distinct candidates, best first, within the budget by the sum of their costs."""
    if not kept:
        return Choice()
    wanted = asked([wish.question, *wish.sub_questions], kept)
    covering = cover(find_slots(wish.question, wish.sub_questions), wanted)
    selector, why = _settle(wish, kept, covering)
    purse = _Purse(wish, kept, selector, covering, wanted)
    backed: list[Candidate] = []
    if any(merge.kind == "variant" for merge in merges):
        reserve = int(wish.agreement_share * wish.budget)
        first = purse.spend(wish.budget - reserve)
        backed = witnesses(first, merges, reserve, wish.count_tokens)
    spent = sum(block_tokens(c, wish.count_tokens) for c in backed)
    chosen = purse.spend(wish.budget - spent)
    costs = {c.id: cost for c, cost in zip(kept, purse.costs, strict=True)}
    return Choice(chosen, selector, why, backed, costs)


class _Purse:
    """Spends a budget on one set of candidates; costs and tightened texts are worked out once."""

    def __init__(
        self,
        wish: Wish,
        kept: list[Candidate],
        selector: Selector,
        covering: Cover,
        wanted: Asked,
    ) -> None:
        self._wish, self._kept = wish, kept
        self._selector, self._covering, self._wanted = selector, covering, wanted
        self.costs = [block_tokens(c, wish.count_tokens) for c in kept]
        full = covering.share >= FULL
        self._sole = (full & (full.sum(axis=0) == 1)).any(axis=1).tolist()
        # Only these two measure what a passage adds; the others rank, and are left to rank.
        self._weighs = selector in ("coverage", "novelty")
        self._thrift = wish.thrift if self._weighs else RANKED
        self._trimmer = Trimmer(wanted.words, wanted.rarity, wish.count_tokens)
        self._short, self._short_costs = self._tightened()

    def _gain(self) -> Gain:
        return _source(self._selector, self._wish, self._kept, self._covering, self._wanted)

    def _tightened(self) -> tuple[list[Candidate], list[int]]:
        """Long passages cut to their better half, as many as could matter, where space is short."""
        short, costs, ahead = list(self._kept), list(self.costs), 0
        if not (self._weighs and self._wish.trim) or sum(costs) <= self._wish.budget:
            return short, costs
        for at in np.argsort(-self._gain().gains(), kind="stable").tolist():
            short[at] = self._trimmer.tighten(self._kept[at])
            if short[at] is not self._kept[at]:
                costs[at] = block_tokens(short[at], self._wish.count_tokens)
            ahead += costs[at]
            if ahead > LOOK_AHEAD * self._wish.budget:
                break
        return short, costs

    def spend(self, budget: int) -> list[Candidate]:
        """Choose, then give whole texts back, best first; in choosing order.

        Where no space is left the last ones chosen make way, if they add less than the rest of a
        better one is worth.
        """
        order = greedy(self._gain(), self._short_costs, budget, self._thrift, self._sole)
        if not order and self._wish.trim:
            return self._squeeze(budget)
        if all(self._short[at] is self._kept[at] for at in order):
            return [self._kept[at] for at in order]
        adds = self._added(order)
        left = budget - sum(self._short_costs[at] for at in order)
        chosen: list[Candidate] = []
        for place, at in enumerate(order):  # which may get shorter on the way
            more = self.costs[at] - self._short_costs[at]
            rest = REST * adds[at] * more / self.costs[at]
            while more > left and len(order) > place + 1 and adds[order[-1]] < rest:
                left += self._short_costs[order.pop()]
            chosen.append(self._kept[at] if more <= left else self._short[at])
            left -= more if more <= left else 0
        return chosen

    def _added(self, order: Sequence[int]) -> dict[int, float]:
        """What each of the chosen passages added when it was chosen."""
        gain, adds = self._gain(), {}
        for at in order:
            adds[at] = float(gain.gains()[at])
            gain.take(at)
        return adds

    def _squeeze(self, budget: int) -> list[Candidate]:
        """Nothing fits whole: the best passage, cut to what fits."""
        for at, candidate in enumerate(self._kept[:LOOK_AHEAD]):
            frame = self.costs[at] - self._wish.count_tokens(candidate.text)
            if (cut := self._trimmer.trim(candidate, budget - frame)) is not None:
                return [cut]
        return []
