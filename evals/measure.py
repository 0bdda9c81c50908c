"""Turning verdicts on labelled rows into figures, with thresholds fitted honestly.

Thresholds are cross-fitted: the rows are cut into folds that share no question or document, and
each fold is judged with the threshold fitted on the other folds. What is written to the
calibration file is fitted on all rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..nodes.judges import verdict as scales
from ..nodes.judges.verdict import Verdict
from . import statistics
from .datasets import Labelled

FOLDS = 5
POSITIVE = {
    "relevance": ("yes",),
    "support": ("full",),
    "retrieve": ("yes",),
    "suffices": ("yes",),
    "useful": ("4", "5"),
}
"""Labels that count as a yes; all others are a no."""
SCALES = {
    "relevance": scales.RELEVANT,
    "support": scales.SUPPORTED,
    "retrieve": scales.RETRIEVE,
    "suffices": scales.SUFFICES,
    "useful": scales.USEFUL,
}


@dataclass(frozen=True)
class Judged:
    """A row, what the judge said, and whether that counts as a yes."""

    row: Labelled
    verdict: Verdict
    truth: bool
    said: bool

    @property
    def right(self) -> bool:
        """True when the judge and the label agree."""
        return self.truth == self.said

    @property
    def score(self) -> float:
        """The verdict's score; 1, 0.5 or 0 by its label where there is none."""
        if self.verdict.score is not None:
            return self.verdict.score
        return {"partial": 0.5, scales.UNCLEAR: 0.5}.get(self.verdict.label, float(self.said))


def fold_of(group: str, folds: int = FOLDS) -> int:
    """The fold of a group, by its hash: the same on every machine and in every order."""
    return int(hashlib.sha256(group.encode()).hexdigest()[:8], 16) % folds


def soft(verdicts: Sequence[Verdict]) -> bool:
    """True when there are graded scores, so that a threshold can be fitted."""
    return len({v.score for v in verdicts if v.score is not None}) > 3


def judged(
    judge: str, rows: Sequence[Labelled], verdicts: Sequence[Verdict], fixed: bool
) -> tuple[list[Judged], dict[str, float]]:
    """Rows with their verdicts, and the thresholds by language that were fitted (none: empty)."""
    yes = POSITIVE[judge]
    truth = [row.label in yes for row in rows]
    said = [verdict.label in yes for verdict in verdicts]
    thresholds: dict[str, float] = {}
    if not fixed and judge in ("relevance", "support", "suffices") and soft(verdicts):
        for language in sorted({row.language for row in rows}):
            mine = [i for i, row in enumerate(rows) if row.language == language]
            scored = [i for i in mine if verdicts[i].score is not None]
            thresholds[language] = _cross_fit(rows, verdicts, truth, said, scored)
    return [
        Judged(row, verdict, t, s)
        for row, verdict, t, s in zip(rows, verdicts, truth, said, strict=True)
    ], thresholds


def _cross_fit(
    rows: Sequence[Labelled],
    verdicts: Sequence[Verdict],
    truth: Sequence[bool],
    said: list[bool],
    mine: Sequence[int],
) -> float:
    """Set `said` fold by fold; give the threshold of all rows."""

    def fitted(some: Sequence[int]) -> float:
        if not some:
            return 0.5
        scores = [verdicts[i].score or 0.0 for i in some]
        return round(statistics.best_threshold([truth[i] for i in some], scores), 4)

    for fold in range(FOLDS):
        others = [i for i in mine if fold_of(rows[i].group) != fold]
        threshold = fitted(others)
        for i in mine:
            if fold_of(rows[i].group) == fold:
                said[i] = (verdicts[i].score or 0.0) >= threshold
    return fitted(mine)


def figures(found: Sequence[Judged], seed: int = 0) -> dict[str, Any]:
    """Agreement with its interval, balanced accuracy, kappa, AUC, recall, share unclear."""
    truth = [j.truth for j in found]
    said = [j.said for j in found]
    curve = statistics.auc(truth, [j.score for j in found])
    low, high = statistics.interval(truth, said, seed=seed)
    by_class = statistics.recall(truth, said)
    return {
        "rows": len(found),
        "agreement": round(statistics.agreement(truth, said), 4),
        "interval": [round(low, 4), round(high, 4)],
        "balanced_accuracy": round(statistics.balanced_accuracy(truth, said), 4),
        "kappa": round(statistics.kappa(truth, said), 4),
        "auc": None if curve is None else round(curve, 4),
        "recall": {"yes" if k else "no": round(v, 4) for k, v in by_class.items()},
        "unclear": round(sum(j.verdict.unclear for j in found) / len(found), 4),
    }


def by(found: Sequence[Judged], key: Callable[[Labelled], str]) -> dict[str, dict[str, Any]]:
    """Figures of each part of the rows, without intervals."""
    names = sorted({key(j.row) for j in found})
    parts: dict[str, dict[str, Any]] = {}
    for name in names:
        some = [j for j in found if key(j.row) == name]
        truth, said = [j.truth for j in some], [j.said for j in some]
        curve = statistics.auc(truth, [j.score for j in some])
        parts[name or "unnamed"] = {
            "rows": len(some),
            "agreement": round(statistics.agreement(truth, said), 4),
            "balanced_accuracy": round(statistics.balanced_accuracy(truth, said), 4),
            "kappa": round(statistics.kappa(truth, said), 4),
            "auc": None if curve is None else round(curve, 4),
        }
    return parts
