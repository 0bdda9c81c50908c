"""A logistic model that can be read: names, weights, a threshold, in a JSON file.

The score of a case is 1 / (1 + exp(-(bias + sum of weight * value))). A feature called "a*b" is the
product of two others; one called "a>0.5" is what exceeds 0.5 of another.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...stores.errors import SettingsError

FOLDER = Path(__file__).parent / "coefficients"


@dataclass(frozen=True)
class Logistic:
    """Weights by feature name; a score of at least `threshold` says yes."""

    bias: float
    weights: Mapping[str, float]
    threshold: float

    def parts(self, values: Mapping[str, float]) -> dict[str, float]:
        """What each feature adds to the log-odds of one case."""
        return {name: w * value_of(name, values) for name, w in self.weights.items()}

    def score(self, values: Mapping[str, float]) -> float:
        """Probability of yes, 0 to 1; above one half exactly where the threshold is passed.

        The log-odds are moved so that the fitted threshold lies at 0.5, which makes scores of
        both languages and of all sets of coefficients comparable.
        """
        return self.score_of(self.parts(values))

    def score_of(self, parts: Mapping[str, float]) -> float:
        """The score from what `parts` gave."""
        total = self.bias - math.log(self.threshold / (1 - self.threshold)) + sum(parts.values())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@lru_cache(maxsize=512)
def _recipe(name: str) -> tuple[str, str, float]:
    if "*" in name:
        left, right = name.split("*")
        return left, right, 0.0
    if ">" in name:
        base, knot = name.split(">")
        return base, "", float(knot)
    return name, "", 0.0


def value_of(name: str, values: Mapping[str, float]) -> float:
    """Value of a feature, a product of two ("a*b"), or what exceeds a knot ("a>0.5")."""
    left, right, knot = _recipe(name)
    if right:
        return values[left] * values[right]
    return max(0.0, values[left] - knot) if knot else values[left]


def read(path: Path | str) -> dict[str, Any]:
    """Read a file of coefficients. Raises SettingsError when it is none."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{path} is no file of coefficients: {error}. "
            "Make one with `python -m ragloop.evals.fit --data DIR`."
        ) from error
    if not isinstance(found, dict):
        raise SettingsError(f"{path} must hold a JSON object, not a {type(found).__name__}.")
    return found


def logistic(table: Mapping[str, Any], name: str) -> Logistic:
    """The model called `name` in what `read` gave."""
    try:
        entry = table[name]
        return Logistic(float(entry["bias"]), dict(entry["weights"]), float(entry["threshold"]))
    except (KeyError, TypeError, ValueError) as error:
        raise SettingsError(
            f"The coefficients lack a usable model {name!r} (bias, weights, threshold). "
            "Make them with `python -m ragloop.evals.fit --data DIR`."
        ) from error
