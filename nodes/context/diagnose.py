"""From figures to what is probably wrong: symptom, likely cause, action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from .measures import BROKEN, HEALTHY

POINT = 0.01
"""A change of less than a point is no change."""


@dataclass(frozen=True)
class Figures:
    """What was measured on a data set; None where it was not. Shares are 0 to 1."""

    accuracy: float | None = None
    accuracy_at_double_budget: float | None = None
    coverage: float | None = None
    """Labelled passages in the final context."""
    coverage_of_candidates: float | None = None
    """Labelled passages among the candidates: the ceiling of `coverage`."""
    accuracy_with_mmr: float | None = None
    redundancy: float | None = None
    changed_by_order: float | None = None
    """Questions whose selection changes when the candidates are shuffled."""
    fallback: float | None = None
    accuracy_of_rare: float | None = None
    """Accuracy on long-tail questions."""


class Finding(NamedTuple):
    """One row of the table."""

    symptom: str
    cause: str
    action: str


def _gap(figures: Figures) -> float:
    """How much of what was found does not get in; 0 when unknown."""
    if figures.coverage is None or figures.coverage_of_candidates is None:
        return 0.0
    return figures.coverage_of_candidates - figures.coverage


def _flat(figures: Figures) -> bool:
    once, twice = figures.accuracy, figures.accuracy_at_double_budget
    return once is not None and twice is not None and twice - once < POINT


def _mmr_hurts(figures: Figures) -> bool:
    plain, mmr = figures.accuracy, figures.accuracy_with_mmr
    return plain is not None and mmr is not None and plain - mmr >= POINT


def _rare_are_worse(figures: Figures) -> bool:
    plain, rare = figures.accuracy, figures.accuracy_of_rare
    return plain is not None and rare is not None and plain - rare >= 0.1


_TABLE: tuple[tuple[Callable[[Figures], bool], Finding], ...] = (
    (
        _flat,
        Finding(
            "doubling the budget changes nothing",
            "the evidence is not among the candidates, or it is in already",
            "look at evidence coverage first; if it is low among the candidates, raise `k`",
        ),
    ),
    (
        _mmr_hurts,
        Finding(
            "MMR lowers accuracy",
            "it pushes out passages that are alike but needed, as in questions of several steps",
            "use selector `coverage`, or lambda 0.9",
        ),
    ),
    (
        lambda f: (f.redundancy or 0.0) > HEALTHY,
        Finding(
            f"visible repetition (redundancy above {HEALTHY:.0%}; above {BROKEN:.0%} it is broken)",
            "copies, overlaps or old versions pass as different passages",
            "switch on the structural and literal layers; check offsets and versions",
        ),
    ),
    (
        lambda f: _gap(f) >= 0.1,
        Finding(
            "key passages are found but stay outside the budget",
            "long passages, or passages that alone cover something, lose against relevant ones",
            "select by gain per token with slots (`coverage`), allow trimming, raise the budget",
        ),
    ),
    (
        lambda f: (f.changed_by_order or 0.0) > 0.0,
        Finding(
            "the same question gives different contexts",
            "ties are broken by the order in which candidates arrive",
            "give candidates stable ids; equal gains are settled by score, then id",
        ),
    ),
    (
        lambda f: _rare_are_worse(f) or (f.fallback or 0.0) > 0.2,
        Finding(
            "long-tail questions are wrong, or many selections fall back",
            "slots are missing or not trusted for them",
            "let score order serve them (`auto` does), and look at the reasons in `fell_back`",
        ),
    ),
)


def diagnose(figures: Figures) -> list[Finding]:
    """The rows whose symptom shows in the figures, in the order in which to act on them."""
    return [finding for shows, finding in _TABLE if shows(figures)]
