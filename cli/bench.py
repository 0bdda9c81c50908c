"""`ragloop bench`: presets over a data set, resumable, with intervals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ..graph.settings import PRESETS, Settings, preset
from ..stores.errors import EvaluationError
from .options import with_settings
from .output import note, say, say_json
from .progress import progress_bar


@with_settings
def bench(
    *,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="Questions with answers.")],
    presets: Annotated[
        str, typer.Option("--presets", metavar="NAMES", help="Presets, with commas between.")
    ] = "plain,loop",
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Run N questions only.")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="TOKENS", min=0, help="Ceiling of the context."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Records file; a second start goes on with it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    settings: Settings,
) -> None:
    """Run presets over a data set and compare them on the same questions.

    Every run is a line of the records file, so Ctrl-C loses nothing: start again to go on.
    """
    from ..evals.datasets import load
    from ..evals.runs import Bench, read_records, run_bench
    from ..evals.summary import summarise

    found = load(data, limit)
    if not found.tasks:
        raise EvaluationError(f"{data} holds rows for a judge; use: ragloop calibrate.")
    made = Bench(found, _settings_of(presets, settings, budget))
    file = out or Path(".ragloop-bench") / f"{found.name}.jsonl"
    done = read_records(file)
    left = len(made.todo(done))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as records, progress_bar() as moved:
        for at, record in enumerate(run_bench(made, done), 1):
            done.append(record)
            records.write(json.dumps(record, ensure_ascii=False) + "\n")
            records.flush()
            if moved:
                moved(at, left, record["task_id"])
    runs = {made.run_of(name) for name in made.presets}
    ids = {task.id for task in found.tasks}
    counted = [r for r in done if r["run"] in runs and r["task_id"] in ids]
    _tell(summarise(counted), file, as_json)


def _settings_of(presets: str, settings: Settings, budget: int | None) -> dict[str, Settings]:
    """Each preset with the changes that were given on the command line."""
    loop = preset("loop").model_dump()
    changes = {key: value for key, value in settings.model_dump().items() if value != loop[key]}
    if budget is not None:
        changes["context_tokens"] = budget
    names = [name.strip() for name in presets.split(",") if name.strip()]
    for name in names:
        if name not in PRESETS:
            preset(name)  # says which there are
    return {name: preset(name, **changes) for name in names}


def _tell(told: dict[str, Any], file: Path, as_json: bool) -> None:
    if as_json:
        say_json({**told, "records": str(file)})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("", *told["presets"])
    names = [name for name in next(iter(told["presets"].values()), {}) if _is_figure(name)]
    for name in names:
        cells = [_cell(figures, name) for figures in told["presets"].values()]
        table.add_row(name.replace("_", " "), *cells)
    Console().print(table)
    for name, gains in told["gains"].items():
        for figure in ("f1", "contains", "evidence_coverage_all"):
            if figure in gains:
                gain, low, high = gains[figure]
                say(
                    f"{name} - {told['compared_with']}: {figure} {gain:+.3f} "
                    f"(95 % of resamples: {low:+.3f} to {high:+.3f})"
                )
    note(f"Records: {file}")


def _is_figure(name: str) -> bool:
    return not name.endswith("_interval") and name not in ("abstention", "outcomes", "stopped_by")


def _cell(figures: dict[str, Any], name: str) -> str:
    value = figures.get(name)
    if value is None:
        return ""
    ends = figures.get(f"{name}_interval")
    return f"{value:g}" + (f" ({ends[0]:g} to {ends[1]:g})" if ends else "")
