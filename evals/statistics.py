"""How well a judge agrees with people, and how sure that figure is.

Labels are strings, scores are floats (higher: more of the first label of a scale). Everything is
seeded, so that the same rows give the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from ..stores.errors import EvaluationError

if TYPE_CHECKING:
    import numpy as np

Label = Hashable
Measure = Callable[[Sequence[Label], Sequence[Label]], float]
RESAMPLES = 2000


def _same_length(truth: Sequence[object], said: Sequence[object]) -> None:
    if len(truth) != len(said):
        raise EvaluationError(f"{len(truth)} true labels but {len(said)} given ones: pair them up.")
    if not truth:
        raise EvaluationError("There are no labels to compare: give at least one labelled row.")


def agreement(truth: Sequence[Label], said: Sequence[Label]) -> float:
    """Share of rows with the same label."""
    _same_length(truth, said)
    return sum(t == s for t, s in zip(truth, said, strict=True)) / len(truth)


def recall(truth: Sequence[Label], said: Sequence[Label]) -> dict[Label, float]:
    """For each true label, the share of its rows that were given it."""
    _same_length(truth, said)
    all_of = Counter(truth)
    right = Counter(t for t, s in zip(truth, said, strict=True) if t == s)
    return {label: right[label] / count for label, count in sorted(all_of.items(), key=str)}


def balanced_accuracy(truth: Sequence[Label], said: Sequence[Label]) -> float:
    """Mean of the per-class recalls: 0.5 for a judge of two labels that always says the same."""
    each = recall(truth, said)
    return sum(each.values()) / len(each)


def kappa(truth: Sequence[Label], said: Sequence[Label]) -> float:
    """Agreement beyond chance (Cohen, 1960): 1 is perfect, 0 is chance.

    0 when both give one and the same single label, where chance alone explains everything.
    """
    _same_length(truth, said)
    n = len(truth)
    rows, columns = Counter(truth), Counter(said)
    by_chance = sum(rows[label] * columns[label] for label in rows) / n**2
    if by_chance == 1:
        return 0.0
    return (agreement(truth, said) - by_chance) / (1 - by_chance)


def auc(truth: Sequence[bool], scores: Sequence[float]) -> float | None:
    """Chance that a true row scores above a false one, ties half; None when one class is absent.

    Computed from ranks (Mann and Whitney, 1947), so no threshold enters.
    """
    _same_length(truth, scores)
    import numpy as np

    values = np.asarray(scores, dtype=float)
    yes = np.asarray(truth, dtype=bool)
    positive, negative = int(yes.sum()), int((~yes).sum())
    if not positive or not negative:
        return None
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[inverse]
    return float((ranks[yes].sum() - positive * (positive + 1) / 2) / (positive * negative))


def _resamples(n: int, seed: int, count: int) -> np.ndarray:
    import numpy as np

    return np.random.default_rng(seed).integers(0, n, size=(count, n))


def interval(
    truth: Sequence[Label],
    said: Sequence[Label],
    measure: Measure = agreement,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """95 % bootstrap interval of a measure: percentiles over rows drawn with replacement."""
    _same_length(truth, said)
    import numpy as np

    values = [
        measure([truth[i] for i in rows], [said[i] for i in rows])
        for rows in _resamples(len(truth), seed, resamples).tolist()
    ]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def mean_interval(
    values: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """95 % bootstrap interval of a mean."""
    _same_length(values, values)
    import numpy as np

    held = np.asarray(values, dtype=float)
    means = held[_resamples(len(values), seed, resamples)].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float, float]:
    """Mean of second minus first over the same rows, with its 95 % paired bootstrap interval.

    Rows are drawn as pairs, so what makes a row hard for both does not widen the interval.
    """
    _same_length(first, second)
    gains = [b - a for a, b in zip(first, second, strict=True)]
    low, high = mean_interval(gains, seed=seed, resamples=resamples)
    return sum(gains) / len(gains), low, high


def reliability(
    truth: Sequence[bool], scores: Sequence[float], bins: int = 10
) -> list[tuple[float, float, int]]:
    """For each filled tenth of the score: mean score, share of true rows, number of rows."""
    _same_length(truth, scores)
    held: list[list[tuple[bool, float]]] = [[] for _ in range(bins)]
    for yes, score in zip(truth, scores, strict=True):
        held[min(bins - 1, max(0, int(score * bins)))].append((yes, score))
    return [
        (sum(s for _, s in part) / len(part), sum(y for y, _ in part) / len(part), len(part))
        for part in held
        if part
    ]


def best_threshold(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """The threshold (yes from it on) with the best balanced accuracy on these rows.

    Of a stretch of equally good thresholds its middle is taken, which carries over best. With one
    class only, 0.5.
    """
    _same_length(truth, scores)
    ordered = sorted(set(scores))
    positive = sum(truth)
    negative = len(truth) - positive
    if not positive or not negative:
        return 0.5
    pairs = sorted(zip(scores, truth, strict=True))
    best, where = -1.0, 0.5
    below_yes = below_no = at = 0
    for low, high in zip([None, *ordered], [*ordered, None], strict=True):
        while low is not None and at < len(pairs) and pairs[at][0] <= low:
            below_yes += pairs[at][1]
            below_no += not pairs[at][1]
            at += 1
        value = ((positive - below_yes) / positive + below_no / negative) / 2
        if value > best + 1e-12:
            best = value
            left = ordered[0] - 1e-6 if low is None else low
            right = ordered[-1] + 1e-6 if high is None else high
            where = (left + right) / 2
    return where
