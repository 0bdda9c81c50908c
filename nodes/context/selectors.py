"""Ways to choose: what a passage adds to those already chosen, and the greedy loop over it.

Candidates come best first in a total order (relevance, id), and the first of equals wins, so the
order in which a caller lists them changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ...stores.errors import SettingsError
from .slots import Cover
from .vectors import Matrix

Selector = Literal["auto", "score", "mmr", "coverage", "novelty"]
SELECTORS = ("auto", "score", "mmr", "coverage", "novelty")
Floats = NDArray[np.float64]

RELEVANCE_SHARE, BRIDGE_SHARE = 0.3, 0.4
"""Against all slots together, which weigh 1. Fitted on one half of three labelled data sets and
confirmed on the other (`evals/curves.py`); 0.2 to 0.5 for either changes coverage by a point."""


class Gain(Protocol):
    """What each candidate would add now; shape (candidates,)."""

    def gains(self) -> Floats: ...
    def take(self, index: int) -> None: ...


class ByScore:
    """The candidates' own order: the baseline and the fallback."""

    def __init__(self, relevance: Floats) -> None:
        self._gains = np.arange(len(relevance), 0, -1, dtype=np.float64)

    def gains(self) -> Floats:
        return self._gains

    def take(self, index: int) -> None:
        return None


class Mmr:
    """lambda * cos(question, d) - (1 - lambda) * max cos(d, chosen) (Carbonell, Goldstein 1998).

    Cosines only; a rerank or BM25 score is on another scale and raises SettingsError. With
    lambda 1 this is score truncation by cosine.
    """

    def __init__(self, to_question: Floats, rows: Matrix, mmr_lambda: float) -> None:
        if to_question.size and float(np.abs(to_question).max()) > 1.0 + 1e-3:
            raise SettingsError(
                "MMR mixes cosines only, and these are not cosines. Give vectors, and leave "
                "rerank or BM25 scores to settle which candidates come in."
            )
        self._to_question, self._rows, self._lambda = to_question, rows, mmr_lambda
        self._nearest = np.zeros(len(rows))

    def gains(self) -> Floats:
        return self._lambda * self._to_question - (1.0 - self._lambda) * self._nearest

    def take(self, index: int) -> None:
        self._nearest = np.maximum(self._nearest, self._rows @ self._rows[index])


class Novelty:
    """relevance^alpha * (1 - max cos)^beta: a product, so a zero in either factor is zero."""

    def __init__(
        self, relevance: Floats, rows: Matrix, alpha: float = 1.0, beta: float = 1.0
    ) -> None:
        self._relevance = np.clip(relevance, 0.0, 1.0) ** alpha
        self._rows, self._beta = rows, beta
        self._nearest = np.zeros(len(rows))

    def gains(self) -> Floats:
        novel: Floats = self._relevance * (1.0 - np.clip(self._nearest, 0.0, 1.0)) ** self._beta
        return novel

    def take(self, index: int) -> None:
        self._nearest = np.maximum(self._nearest, self._rows @ self._rows[index])


class Coverage:
    """The weight of newly covered slots, plus a share of relevance, plus bridges.

    The first two are monotone and submodular in the chosen set. A bridge is what the second hop of
    a question needs: a chosen passage names another candidate's title, or is named by it.
    """

    def __init__(
        self, cover: Cover, relevance: Floats, bridges: Callable[[int], Floats] | None = None
    ) -> None:
        self._share, self._weights = cover.share, cover.weights
        self._relevance = RELEVANCE_SHARE * relevance
        self._bridges = bridges
        self._covered = np.zeros(len(cover.weights))
        self._named = np.zeros(len(relevance))

    def gains(self) -> Floats:
        new: Floats = np.maximum(self._share - self._covered, 0.0) @ self._weights
        return new + self._relevance + BRIDGE_SHARE * self._named

    def take(self, index: int) -> None:
        self._covered = np.maximum(self._covered, self._share[index])
        if self._bridges is not None:
            self._named = np.maximum(self._named, self._bridges(index))


@dataclass(frozen=True)
class Thrift:
    """When a passage is worth its tokens."""

    exponent: float = 0.5
    """Gain is divided by tokens to this power: 0 takes no account of length, 1 is the plain ratio,
    which buys short passages too eagerly when the gain is an estimate."""
    min_tokens: int = 32
    """Shorter passages are charged as if they had this many, so being short is no merit in itself;
    a passage that alone covers a slot is charged as it is."""
    floor: float = 0.0
    """A passage that adds no more than this is never chosen."""
    plateau: float = 0.0
    """Stop when the gain falls under this share of the first gain."""
    best_single: bool = True
    """Compare with the best single addition. Needs gains that add up; a ranking's do not."""


def greedy(
    source: Gain,
    costs: Sequence[int],
    budget: int,
    thrift: Thrift,
    exempt: Sequence[bool] | None = None,
) -> list[int]:
    """Choose by gain per token until nothing that fits adds enough; indices in choosing order.

    Ratio greedy alone has no bound, so each step also remembers what the best single addition by
    plain gain would reach, and the better of the two ends wins (Greedy+Max, Yaroslavtsev et al.
    2020: half of the optimum is certain). The best single passage is the first of those.
    """
    cost = np.asarray(costs, dtype=np.float64)
    short = np.zeros(len(cost), dtype=bool) if exempt is None else np.asarray(exempt, dtype=bool)
    charged = np.where(short, cost, np.maximum(cost, thrift.min_tokens))
    per = np.maximum(charged, 1.0) ** thrift.exponent
    open_, left, total, first = np.ones(len(cost), dtype=bool), float(budget), 0.0, 0.0
    chosen: list[int] = []
    best_end: tuple[float, list[int]] = (0.0, [])
    while (fits := open_ & (cost <= left)).any():
        gains = source.gains()
        least = max(thrift.floor, thrift.plateau * first) if thrift.plateau else thrift.floor
        able = fits & (gains > least)
        if not able.any():
            break
        widest = int(np.argmax(np.where(able, gains, -np.inf)))
        if thrift.best_single and total + gains[widest] > best_end[0] + 1e-12:
            best_end = (total + float(gains[widest]), [*chosen, widest])
        index = int(np.argmax(np.where(able, gains / per, -np.inf)))
        first = first or float(gains[index])
        total += float(gains[index])
        left -= float(cost[index])
        open_[index] = False
        chosen.append(index)
        source.take(index)
    return best_end[1] if thrift.best_single and best_end[0] > total + 1e-9 else chosen
