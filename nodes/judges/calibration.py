"""What `ragloop calibrate` found out, as the file that `Settings.calibration` names holds it.

    {"version": 1,
     "judges": {"relevance": {"offline": {"agreement": 0.81, "bar": 0.8, "threshold": {"en": 0.47},
                                          ...},
                              "qwen2.5": {"agreement": 0.85, "band": [0.31, 0.72], ...}},
                "support": {...}}}

One entry a judge and a model; `offline` is the judge without a model. Scores are 0 to 1. A model's
band holds the offline scores in which the cascade asks that model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...stores.errors import SettingsError
from .verdict import UNCLEAR, Verdict

VERSION = 1
OFFLINE = "offline"


@dataclass(frozen=True)
class Calibration:
    """Thresholds, bands and measured agreement by judge and model."""

    judges: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def entry(self, judge: str, model: str | None = None) -> Mapping[str, Any]:
        """What was measured for this judge with this model (None: offline); empty when nothing."""
        return self.judges.get(judge, {}).get(model or OFFLINE, {})

    def threshold(self, judge: str, model: str | None = None, language: str = "en") -> float | None:
        """Score from which on it is a yes; None when none was fitted."""
        fitted = self.entry(judge, model).get("threshold") or {}
        value = fitted.get(language, fitted.get("all"))
        return None if value is None else float(value)

    def band(self, judge: str, model: str | None) -> tuple[float, float] | None:
        """Offline scores between which this model is asked; None when no band was fitted."""
        found = self.entry(judge, model).get("band")
        return (float(found[0]), float(found[1])) if found else None

    def below_bar(self, judge: str, model: str | None = None, prompt: str = "") -> str:
        """Why this judge is not to be trusted, in one line; empty when it passed its bar.

        `prompt` is what the judge asks now: what was measured with another prompt says nothing.
        """
        entry = self.entry(judge, model)
        name = model or "the offline judge"
        if not entry:
            return f"the {judge} judge ({name}) was never measured; run `ragloop calibrate {judge}`"
        if prompt and entry.get("prompt", mark(prompt)) != mark(prompt):
            return (
                f"the {judge} judge ({name}) was measured with another prompt; "
                f"run `ragloop calibrate {judge}` again"
            )
        if entry["agreement"] < entry["bar"]:
            return (
                f"the {judge} judge ({name}) agrees in {entry['agreement']:.0%} of "
                f"{entry['rows']} labelled rows, which is below {entry['bar']:.0%}"
            )
        return ""

    def apply(
        self, judge: str, verdict: Verdict, model: str | None = None, language: str = "en"
    ) -> Verdict:
        """The verdict with the fitted threshold in place of 0.5, where there is a soft score."""
        threshold = self.threshold(judge, model, language)
        scale = {"relevance": ("yes", "no"), "support": ("full", "none")}.get(judge)
        if threshold is None or scale is None or verdict.score is None or verdict.label == UNCLEAR:
            return verdict
        if verdict.how not in ("offline", "logprobs"):
            return verdict
        if verdict.score >= threshold:
            label = scale[0]
        else:
            label = "partial" if verdict.label == "partial" else scale[1]
        return Verdict(label, verdict.score, verdict.how, verdict.why, verdict.missing)


def mark(prompt: str) -> str:
    """What tells one prompt from another in the file."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:12]


def read_calibration(path: str | Path | None) -> Calibration:
    """Read the file; None gives an empty one. Raises SettingsError when it is not usable."""
    if path is None:
        return Calibration()
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        if found["version"] != VERSION:
            raise SettingsError(
                f"{path} has version {found['version']}, not {VERSION}. Calibrate again."
            )
        return Calibration(found["judges"])
    except OSError as error:
        raise SettingsError(
            f"Settings.calibration: {path} cannot be read ({error.strerror})."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError(
            f"Settings.calibration: {path} was not written by `ragloop calibrate`. Calibrate again."
        ) from error


def write_entry(path: str | Path, judge: str, model: str | None, entry: Mapping[str, Any]) -> None:
    """Put one judge's entry into the file; the other judges' entries stay as they are."""
    path = Path(path)
    known = read_calibration(path if path.exists() else None)
    judges = {name: dict(models) for name, models in known.judges.items()}
    judges.setdefault(judge, {})[model or OFFLINE] = dict(entry)
    text = json.dumps({"version": VERSION, "judges": judges}, ensure_ascii=False, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text + "\n", encoding="utf-8")
    fresh.replace(path)
