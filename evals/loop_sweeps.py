"""How coverage moves with a setting of the whole loop: rounds, and the threshold of grading.

The real graph runs on every question, so that what one step loses another may find.
"""

from __future__ import annotations

from typing import Any, Literal

from ..graph.settings import preset
from .curves import Point, Progress
from .datasets import Dataset
from .evidence import Gathered, gather

LoopSweep = Literal["rounds", "threshold"]
ROUNDS = (0, 1, 2, 3)
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)


def sweep_loop(
    what: LoopSweep, found: Dataset, budget: int, progress: Progress | None = None
) -> list[Point]:
    """Run the loop over a range of one setting; `budget` is the ceiling of the context in tokens.

    `rounds` varies `max_rounds`, `threshold` varies `relevance_lower`. Nothing is read whole, so
    that every point has the same to spend. Raises EvaluationError when no evidence is labelled.
    """
    rows = _rows(what)
    points = []
    for at, (name, x, changes) in enumerate(rows):
        if progress:
            progress(at, len(rows), name)
        settings = preset("loop", context_tokens=budget, remedies=["search_again"], **changes)
        points.append(_point(name, x, gather(found, settings)))
    return points


def _rows(what: LoopSweep) -> list[tuple[str, float, dict[str, Any]]]:
    if what == "rounds":
        return [(f"max_rounds {n}", n, {"max_rounds": n}) for n in ROUNDS]
    return [(f"threshold {x:.1f}", x, {"relevance_lower": x}) for x in THRESHOLDS]


def _point(name: str, x: float, runs: list[Gathered]) -> Point:
    return Point(
        name,
        x,
        [len(run.held) / len(run.needed) for run in runs],
        sum(run.tokens for run in runs) / len(runs),
        sum(run.redundancy for run in runs) / len(runs),
        sum(run.fell_back for run in runs) / len(runs),
    )
