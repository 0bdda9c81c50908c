"""`ragloop health`: four figures from records of runs, what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import say, say_json


def health(
    runs: Annotated[Path, typer.Argument(metavar="RUNS.jsonl", help="Records of runs.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Read trigger rate, second-round success, interception rate and endings, by kind."""
    from ..evals.health import endings, failures
    from ..evals.health import health as read_health
    from ..evals.records import read_records
    from ..stores.errors import EvaluationError

    records = read_records(runs)
    if not records:
        raise EvaluationError(f"{runs} holds no records. `ragloop bench` writes some.")
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
