"""`ragloop health`: four figures from records of runs, what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import say, say_json

if TYPE_CHECKING:
    from ..evals.records import Record

RunsArgument = Annotated[
    Path,
    typer.Argument(metavar="RUNS.jsonl", help="Records: of `ragloop bench`, or of a RecordWriter."),
]
PresetOption = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="Only the runs of one preset.")
]


def records_of(runs: Path, preset: str | None = None) -> list[Record]:
    """Read the newest record of each question and preset.

    Raises EvaluationError when there are none.
    """
    from ..evals.records import newest, read_records
    from ..stores.errors import EvaluationError

    records = newest(read_records(runs))
    if not records:
        raise EvaluationError(f"{runs} holds no records. `ragloop bench` writes some.")
    if preset is None:
        return records
    names = list(dict.fromkeys(record["preset"] for record in records))
    if preset not in names:
        raise EvaluationError(f"{runs} holds no run of {preset!r}. It has: {', '.join(names)}.")
    return [record for record in records if record["preset"] == preset]


def health(
    runs: RunsArgument,
    *,
    preset: PresetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Read trigger rate, second-round success, interception rate and endings, by kind.

    Runs without checks count nowhere, so a file may hold several presets.
    """
    from ..evals.health import endings, failures
    from ..evals.health import health as read_health

    records = records_of(runs, preset)
    readings = read_health(records)
    if as_json:
        say_json({"readings": readings, "endings": endings(records), "failures": failures(records)})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", "kind", "share", "of", "healthy", "verdict")
    for reading in readings:
        share = "" if reading["value"] is None else f"{reading['value']:.0%}"
        table.add_row(
            reading["figure"],
            reading["kind"],
            share,
            str(reading["of"]),
            reading["healthy"],
            reading["verdict"],
        )
    Console().print(table)
    say(f"How runs ended: {_listed(endings(records))}")
    if found := failures(records):
        say(f"Why searches failed: {_listed(found)}")


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts.items())
