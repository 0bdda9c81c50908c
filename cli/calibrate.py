"""`ragloop calibrate`: measure a judge on labelled rows, and fit its thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..graph.settings import Settings
from .options import with_settings
from .output import note, say, say_json

Judge = Literal["relevance", "support", "retrieve", "useful", "suffices"]


@with_settings
def calibrate(
    judge: Annotated[Judge, typer.Argument(help="Which judge.", show_default=False)],
    data: Annotated[Path, typer.Option(help="Labelled rows, JSON Lines or CSV.")],
    settings: Settings,
    limit: Annotated[int | None, typer.Option(help="Use only so many rows, evenly spread.")] = None,
    fixed: Annotated[
        bool, typer.Option("--fixed", help="Fit nothing: measure what ships.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write thresholds here, for `calibration`.")
    ] = None,
    bar: Annotated[float, typer.Option(min=0, max=1, help="Agreement to reach.")] = 0.8,
    lose: Annotated[float, typer.Option(min=0, max=100, help="Points a cascade may lose.")] = 1.0,
    batch: Annotated[int, typer.Option(min=1, help="Also grade so many passages a call.")] = 1,
    html: Annotated[Path | None, typer.Option(help="Write a page with the disagreements.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Measure a judge on labelled rows, and fit its thresholds.

    Without a model the offline judge is measured. Exits 1 when agreement is below the bar.
    """
    from ..evals import judges
    from ..evals.datasets import load
    from ..nodes.judges.calibration import write_entry

    found = load(data)
    total = len(judges.rows_of(judge, found, limit))
    with _progress(judge, total) as moved:
        report = judges.calibrate(
            judge,
            found,
            settings=settings,
            limit=limit,
            fixed=fixed,
            bar=bar,
            lose=lose / 100,
            batch=batch,
            progress=moved,
        )
    if as_json:
        say_json({**report.figures, "remedy": judges.remedy(report)})
    else:
        say(_told(report.figures))
    if html is not None:
        from ..evals.judges_page import page

        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(page(report), encoding="utf-8")
        note(f"Wrote {html}")
    if out is not None and not fixed:
        write_entry(out, judge, report.model, report.entry)
        note(f"Wrote {out}. Use it with --set calibration={out}")
    if not report.figures["passed"]:
        note(f"Below the bar of {bar:.0%}. {judges.remedy(report)}")
        raise typer.Exit(1)


class _progress:
    """A bar on stderr with rows and time left; it is gone when the work is done."""

    def __init__(self, judge: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        self._bar = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(f"judging {judge}", total=total)

    def __enter__(self) -> Any:
        self._bar.start()
        return lambda rows: self._bar.advance(self._task, rows)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _told(figures: dict[str, Any]) -> str:
    low, high = figures["interval"]
    curve = "no scores" if figures["auc"] is None else f"{figures['auc']:.3f}"
    lines = [
        f"{figures['judge']} judge, {figures['model'] or 'offline'}: {figures['rows']} rows of "
        f"{figures['data']}",
        f"  agreement          {figures['agreement']:.1%}  (95 % interval {low:.1%} to {high:.1%})",
        f"  balanced accuracy  {figures['balanced_accuracy']:.3f}",
        f"  kappa              {figures['kappa']:.3f}",
        f"  AUC                {curve}",
        f"  recall             {_recall(figures)}",
        f"  unclear            {figures['unclear']:.1%}",
        f"  cost               {figures['calls']} calls, "
        f"{figures['input_tokens'] + figures['output_tokens']} tokens, {figures['seconds']:.1f} s",
    ]
    for title, key in (("language", "by_language"), ("tier", "by_tier"), ("source", "by_source")):
        for name, part in figures.get(key, {}).items():
            lines.append(
                f"  {title:<8} {name:<36} {part['rows']:>5} rows  agreement "
                f"{part['agreement']:.1%}  balanced {part['balanced_accuracy']:.3f}"
            )
    if "threshold" in figures:
        fitted = ", ".join(f"{k} {v:.3f}" for k, v in figures["threshold"].items())
        lines.append(f"  threshold          {fitted}  (figures above are cross-fitted)")
        plain = figures["as_said"]
        lines.append(
            f"  without it         agreement {plain['agreement']:.1%}, balanced accuracy "
            f"{plain['balanced_accuracy']:.3f}, {_recall(plain)}"
        )
    if "cascade" in figures:
        found = figures["cascade"]
        lines.append(
            f"  cascade            model asked for offline scores {found['band'][0]:.2f} to "
            f"{found['band'][1]:.2f}; calls saved {found.get('saved', 0):.1%}, agreement lost "
            f"{100 * found.get('loss', 0):.1f} points"
        )
    if "batch" in figures and figures["batch"]["rows"]:
        found = figures["batch"]
        lines.append(
            f"  {found['size']} a call           agreement {found['agreement']:.1%} against "
            f"{found['one_by_one']:.1%} one by one; {found['changed_by_order']:.1%} change with "
            f"the order; calls saved {found['calls_saved']:.1%}"
        )
    return "\n".join(lines)


def _recall(figures: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v:.1%}" for k, v in figures["recall"].items())
