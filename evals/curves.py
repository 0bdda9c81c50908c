"""How coverage moves with one setting, and what to conclude: the sweeps of `ragloop sweep`.

Evidence coverage is the share of the labelled evidence that stands in the final context, after
packing and trimming. Differences come with paired bootstrap intervals over the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from ..nodes.context import format_context, select
from ..nodes.context.measures import fallback_share
from ..stores.errors import EvaluationError
from ..stores.tokens import count_tokens
from .budget_cases import BudgetCase
from .statistics import paired_difference

Sweep = Literal["lambda", "k", "budget", "layers", "selectors"]
Progress = Callable[[int, int, str], None]

POINT = 0.01
"""A layer, or a lambda, that moves coverage by less does not earn its place."""
LAMBDAS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
KS = (3, 5, 10, 20, 50)
SHARES = (0.10, 0.15, 0.25, 0.40, 0.60, 1.0)
PLAIN: dict[str, Any] = {"layers": (), "trim": False, "agreement_share": 0.0}
"""The two rivals as they are usually written: no duplicate layers, whole passages."""


@dataclass(frozen=True)
class Point:
    """What one setting gave on all cases."""

    name: str
    x: float
    coverage: list[float]
    """Share of evidence in the context, one a case."""
    tokens: float
    """Mean tokens of the context."""
    redundancy: float
    fell_back: float

    @property
    def mean(self) -> float:
        """Mean coverage."""
        return sum(self.coverage) / len(self.coverage)

    @property
    def complete(self) -> float:
        """Share of cases with all their evidence in."""
        return sum(share > 0.999 for share in self.coverage) / len(self.coverage)


def budgets(cases: Sequence[BudgetCase], share: float) -> list[int]:
    """A share of what all candidates would cost together, for each case."""
    return [int(share * count_tokens(format_context(case.candidates))) for case in cases]


def measure(
    cases: Sequence[BudgetCase],
    limits: Sequence[int],
    options: Mapping[str, Any],
    name: str = "",
    x: float = 0.0,
    k: int | None = None,
) -> Point:
    """Select for every case with the same options; `k` keeps only the best-scored candidates."""
    if not cases:
        raise EvaluationError("There are no cases with labelled evidence. Give another data set.")
    coverage, tokens, repeated, reasons = [], 0, 0.0, []
    for case, limit in zip(cases, limits, strict=True):
        found = sorted(case.candidates, key=lambda c: (-c["score"], c["id"]))[:k]
        selection = select(
            found, case.question, limit, question_vector=case.question_vector, **options
        )
        coverage.append(case.covered(selection.passages))
        tokens += selection.tokens
        repeated += selection.redundancy
        reasons.append(selection.fell_back)
    n = len(cases)
    return Point(name, x, coverage, tokens / n, repeated / n, fallback_share(reasons))


def _settings(what: Sweep) -> list[tuple[str, float, dict[str, Any], float | None, int | None]]:
    """Name, place on the axis, options, share of the budget (None: as asked), k."""
    if what == "lambda":
        return [
            (f"lambda {x:.1f}", x, {**PLAIN, "selector": "mmr", "mmr_lambda": x}, None, None)
            for x in LAMBDAS
        ]
    if what == "k":
        return [(f"k {k}", k, {}, None, k) for k in KS]
    if what == "budget":
        return [(f"budget {share:.0%}", share, {}, share, None) for share in SHARES]
    if what == "layers":
        layers = ("structural", "literal", "semantic")
        names = ("none", *(f"+ {layer}" for layer in layers))
        return [(name, at, {"layers": layers[:at]}, None, None) for at, name in enumerate(names)]
    mmr = [(f"mmr {x:.1f}", x, {**PLAIN, "selector": "mmr", "mmr_lambda": x}) for x in LAMBDAS]
    rows = [("score", 0.0, {**PLAIN, "selector": "score"}), *mmr, ("auto", 2.0, {})]
    return [(name, x, options, None, None) for name, x, options in rows]


def sweep(
    what: Sweep,
    cases: Sequence[BudgetCase],
    share: float = 0.25,
    progress: Progress | None = None,
    paid_by: Sequence[BudgetCase] | None = None,
) -> list[Point]:
    """Measure a range of one setting at a budget of `share` of the candidates' tokens.

    `paid_by`: the same cases before copies were added, whose candidates set the budget then.
    """
    rows = _settings(what)
    points = []
    for at, (name, x, options, own_share, k) in enumerate(rows):
        if progress:
            progress(at, len(rows), name)
        limits = budgets(paid_by or cases, own_share if own_share is not None else share)
        points.append(measure(cases, limits, options, name, x, k))
    return points


def verdict(what: str, points: Sequence[Point]) -> list[str]:
    """What the figures say to do, in words."""
    by_name = {point.name: point for point in points}
    if what == "lambda":
        return _lambda_verdict(by_name)
    if what == "layers":
        return [_layer_verdict(before, after) for before, after in pairwise(points)]
    if what == "selectors":
        rivals = [point for point in points if point.name != "auto"]
        score, mmr = rivals[0], max(rivals[1:], key=lambda p: p.mean)
        return [_against(by_name["auto"], rival) for rival in (score, mmr)]
    top = max(point.mean for point in points)
    enough = next(point for point in points if point.mean > top - POINT)
    return [
        f"{enough.name} is enough: {enough.mean:.1%} of the evidence for "
        f"{enough.tokens:.0f} tokens; the best of all reaches {top:.1%}."
    ]


def _lambda_verdict(by_name: Mapping[str, Point]) -> list[str]:
    high, low = by_name["lambda 0.9"], by_name["lambda 0.6"]
    if abs(high.mean - low.mean) < POINT:
        return ["Lambda 0.9 and 0.6 differ by less than a point: do not use MMR here."]
    best = max(by_name.values(), key=lambda point: point.mean)
    if best.x == 1.0:
        return ["Lambda 1.0 is best, and that is truncation by cosine: do not use MMR here."]
    return [f"{best.name.capitalize()} is best with {best.mean:.1%} of the evidence."]


def _layer_verdict(before: Point, after: Point) -> str:
    gain, low, high = paired_difference(before.coverage, after.coverage)
    layer = after.name.removeprefix("+ ")
    span = f"{100 * gain:+.1f} points (95 %: {100 * low:+.1f} to {100 * high:+.1f})"
    if gain < POINT:
        return f"The {layer} layer gains {span}, less than one: leave it out for such data."
    return f"The {layer} layer gains {span}: keep it."


def _against(ours: Point, rival: Point) -> str:
    gain, low, high = paired_difference(rival.coverage, ours.coverage)
    return (
        f"{ours.name} against {rival.name}: {ours.mean:.1%} and {rival.mean:.1%}, "
        f"{100 * gain:+.1f} points (95 %: {100 * low:+.1f} to {100 * high:+.1f})."
    )


def table(points: Sequence[Point]) -> str:
    """The points as lines of text."""
    lines = [
        f"{'':<16}{'coverage':>10}{'complete':>10}{'tokens':>8}{'repeated':>10}{'fell back':>11}"
    ]
    lines += [
        f"{p.name:<16}{p.mean:>10.1%}{p.complete:>10.1%}{p.tokens:>8.0f}"
        f"{p.redundancy:>10.1%}{p.fell_back:>11.1%}"
        for p in points
    ]
    return "\n".join(lines)


def plot(points: Sequence[Point], title: str, path: Path) -> None:
    """Draw coverage over the setting. Raises EvaluationError when matplotlib is not there."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise EvaluationError(
            "A plot needs matplotlib. Install it with: pip install 'ragloop[evals]'"
        ) from error
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    places = range(len(points))
    axes.plot(places, [p.mean for p in points], marker="o", label="evidence coverage")
    axes.plot(places, [p.complete for p in points], marker="s", label="all evidence in")
    axes.set_xticks(places, [p.name for p in points], rotation=30, ha="right")
    axes.set_ylim(0, 1.02)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path)
