"""The band of a cascade: which offline scores are unsure enough to ask the model.

Outside the band the offline verdict stands. The narrowest band is sought whose agreement is at
most `lose` below the model's own; it is chosen on one half of the rows and measured on the other,
both ways round, so that the reported loss was not fitted on the rows that show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .measure import Judged, fold_of
from .statistics import paired_difference

STEPS = tuple(i / 20 for i in range(21))


def _right(cheap: Judged, dear: Judged, band: tuple[float, float]) -> bool:
    unsure = band[0] <= cheap.score <= band[1]
    return dear.right if unsure else cheap.right


def narrowest(cheap: Sequence[Judged], dear: Sequence[Judged], lose: float) -> tuple[float, float]:
    """The band that asks the model least while agreement drops by at most `lose` (0.01: 1 point).

    Always asking, (0, 1), is allowed, so there is always one. Ties: the higher agreement.
    """
    goal = sum(d.right for d in dear) - lose * len(dear) - 1e-9
    best: tuple[int, int, tuple[float, float]] | None = None
    for low in STEPS:
        for high in STEPS:
            band = (low, high) if low <= high else (1.0, 0.0)
            right = sum(_right(c, d, band) for c, d in zip(cheap, dear, strict=True))
            asked = sum(band[0] <= c.score <= band[1] for c in cheap)
            if right >= goal and (best is None or (asked, -right) < best[:2]):
                best = (asked, -right, band)
    assert best is not None  # (0, 1) always reaches the goal
    return best[2]


def fit_band(cheap: Sequence[Judged], dear: Sequence[Judged], lose: float) -> dict[str, Any]:
    """The band fitted on all rows, with loss and savings measured on held-out halves.

    `loss`: model's agreement minus the cascade's, with its 95 % interval; `saved`: share of the
    model calls that the cascade does without.
    """
    halves = [
        [i for i, judged in enumerate(cheap) if fold_of(judged.row.group, 2) == half]
        for half in (0, 1)
    ]
    alone, cascade, asked = [], [], 0
    for seen, held in (halves, halves[::-1]):
        if not seen or not held:
            continue
        band = narrowest([cheap[i] for i in seen], [dear[i] for i in seen], lose)
        for i in held:
            asked += band[0] <= cheap[i].score <= band[1]
            cascade.append(float(_right(cheap[i], dear[i], band)))
            alone.append(float(dear[i].right))
    band = narrowest(cheap, dear, lose)
    found: dict[str, Any] = {"band": list(band)}
    if alone:
        gain, low, high = paired_difference(alone, cascade)
        found["loss"] = round(-gain, 4)
        found["loss_interval"] = [round(-high, 4), round(-low, 4)]
        found["saved"] = round(1 - asked / len(alone), 4)
    return found
