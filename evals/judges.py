"""Measuring a judge on labelled rows, and fitting its thresholds and the band of a cascade."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..nodes.judges.calibration import mark, read_calibration
from ..nodes.judges.offline import OfflineJudge
from ..nodes.judges.panel import prompt_of
from ..nodes.judges.verdict import Verdict
from ..stores.errors import EvaluationError
from . import cascade, measure
from .asking import Progress, ask_model, ask_offline, model_run
from .datasets import Dataset, Labelled
from .pairs import rows_for

if TYPE_CHECKING:
    from ..graph.settings import Settings
    from ..nodes.run import Run


@dataclass(frozen=True)
class Report:
    """All that `calibrate` has to say."""

    judge: str
    model: str | None
    judged: list[measure.Judged]
    figures: dict[str, Any]
    """What `--json` prints: agreement, interval, balanced_accuracy, kappa, auc, recall, unclear,
    by_language, by_source, calls, seconds; with fitted thresholds also `threshold` and `as_said`,
    the figures of the labels as the judge gave them; cascade or batch where they apply."""
    entry: dict[str, Any] = field(default_factory=dict)
    """What goes into the calibration file."""


def calibrate(
    judge: str,
    found: Dataset,
    *,
    settings: Settings | None = None,
    parts: Any = None,
    offline: OfflineJudge | None = None,
    limit: int | None = None,
    fixed: bool = False,
    bar: float = 0.8,
    lose: float = 0.01,
    batch: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Measure a judge on a data set and, unless `fixed`, fit its thresholds.

    `settings` with a model measures that model, and the offline judge beside it for the cascade;
    without, the offline judge alone. `bar`: agreement it should reach, 0 to 1. `lose`: agreement
    a cascade may give away (0.01 is one point). Raises EvaluationError when no row fits.
    """
    rows = rows_of(judge, found, limit)
    offline = offline or OfflineJudge()
    given = settings is not None and (settings.judge_model or settings.model or parts is not None)
    run = model_run(judge, settings, parts, fixed) if settings is not None and given else None
    if run is None and batch > 1:
        raise EvaluationError("--batch measures a model: give --model NAME as well.")
    began = time.monotonic()
    if run is not None:
        verdicts = ask_model(judge, rows, run, progress)
    else:
        verdicts = ask_offline(judge, rows, offline, progress)
        if fixed and settings is not None:
            verdicts = _as_settings_say(judge, rows, verdicts, settings)
    seconds = time.monotonic() - began
    judged, thresholds = measure.judged(judge, rows, verdicts, fixed)
    model = (run.model_name("judge") or "given model") if run is not None else None
    figures: dict[str, Any] = {"judge": judge, "model": model, "data": found.name}
    figures |= _parts(judged) | _cost(run, seconds)
    figures |= {"fixed": fixed, "bar": bar, "passed": figures["agreement"] >= bar}
    if thresholds:
        figures["threshold"] = thresholds
        figures["as_said"] = measure.figures(measure.judged(judge, rows, verdicts, fixed=True)[0])
    if run is not None:
        cheap, _ = measure.judged(judge, rows, ask_offline(judge, rows, offline), fixed=True)
        figures["offline"] = measure.figures(cheap)
        if not fixed:
            figures["cascade"] = cascade.fit_band(cheap, judged, lose)
        if batch > 1 and judge == "relevance":
            from .batches import measure_batches

            figures["batch"] = measure_batches(run, judged, batch)
    entry = _entry(figures, found)
    if run is not None:
        entry["prompt"] = mark(prompt_of(run.settings, judge))
    return Report(judge, model, judged, figures, entry)


def _as_settings_say(
    judge: str, rows: Sequence[Labelled], verdicts: Sequence[Verdict], settings: Settings
) -> list[Verdict]:
    """Offline verdicts with the thresholds that `Settings.calibration` names."""
    known = read_calibration(settings.calibration)
    pairs = zip(verdicts, rows, strict=True)
    return [known.apply(judge, verdict, None, row.language) for verdict, row in pairs]


def _parts(judged: list[measure.Judged]) -> dict[str, Any]:
    """All figures, then those by language, source and tier."""
    figures = measure.figures(judged)
    figures["by_language"] = measure.by(judged, lambda row: row.language)
    figures["by_source"] = measure.by(judged, lambda row: row.source)
    if any(item.row.tier for item in judged):
        figures["by_tier"] = measure.by(judged, lambda row: row.tier)
    figures["how"] = sorted({item.verdict.how for item in judged})
    return figures


def _cost(run: Run | None, seconds: float) -> dict[str, Any]:
    used = run.meter.used if run is not None else None
    return {
        "calls": used.calls if used else 0,
        "input_tokens": used.input_tokens if used else 0,
        "output_tokens": used.output_tokens if used else 0,
        "seconds": round(seconds, 3),
    }


def _entry(figures: dict[str, Any], found: Dataset) -> dict[str, Any]:
    """What goes into the calibration file."""
    kept = ("agreement", "interval", "balanced_accuracy", "kappa", "rows", "bar", "threshold")
    entry: dict[str, Any] = {name: figures[name] for name in kept if name in figures}
    if "cascade" in figures:
        entry["band"] = figures["cascade"]["band"]
    entry["data"] = {"name": found.name, "sha256": found.sha256}
    return entry


def rows_of(judge: str, found: Dataset, limit: int | None = None) -> list[Labelled]:
    """The rows to judge: at most `limit` of them, evenly spread over the file."""
    rows = rows_for(judge, found)
    if limit is None or not 0 < limit < len(rows):
        return rows
    return [rows[i * len(rows) // limit] for i in range(limit)]


def remedy(report: Report) -> str:
    """Which of the three remedies to take when a judge is below its bar, and why."""
    figures = report.figures
    if figures["agreement"] >= figures["bar"]:
        return ""
    recall = figures["recall"]
    gap = recall.get("yes", 0.0) - recall.get("no", 0.0)
    curve = figures["auc"]
    if figures["unclear"] > 0.1:
        return (
            f"A better prompt: {figures['unclear']:.0%} of the replies could not be read as a "
            "verdict. Ask for one word, or set `structured`."
        )
    if report.model and abs(gap) > 0.25:
        word = "yes" if gap > 0 else "no"
        return (
            f"A better prompt: the judge says {word} too often (recall yes "
            f"{recall.get('yes', 0):.0%}, no {recall.get('no', 0):.0%}). Show it examples with "
            "--set worked_examples=true, and fit a threshold on soft scores."
        )
    if curve is not None and curve < 0.8:
        return (
            "A better model: even with the best threshold its scores hardly tell yes from no "
            f"(AUC {curve:.2f}). Give --model NAME with a stronger one."
        )
    return (
        "Smaller questions: the judge is nearly there. Judge single sentences instead of whole "
        "answers, shorter passages, and one question a call."
    )
