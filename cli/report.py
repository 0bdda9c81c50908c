"""`ragloop report`: records of runs as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..stores.errors import RagloopError
from .health import PresetOption, RunsArgument, records_of
from .output import note


def report(
    runs: RunsArgument,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The page; else beside the records, .html."),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option("--prices", metavar="FILE", help="JSON, money a million tokens in and out."),
    ] = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="Its heading.")] = "",
    preset: PresetOption = None,
) -> None:
    """Make a page of a bench: quality against cost, health, ledger, worst cases. No network."""
    from ..evals.ledger import read_prices
    from ..evals.report import page

    records = records_of(runs, preset)
    text = page(records, None if prices is None else read_prices(prices), title)
    file = out or runs.with_suffix(".html")
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RagloopError(f"{file} cannot be written: {error.strerror}.") from None
    note(f"Report: {file}")
