"""`ragloop diagnose`: what is wrong with how the budget is spent, why, and what to do."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from .health import PresetOption, RunsArgument, records_of
from .output import say, say_json


def diagnose(
    runs: RunsArgument,
    preset: PresetOption = None,
    double: Annotated[
        Path | None,
        typer.Option("--double", metavar="RUNS", help="The same questions at twice the budget."),
    ] = None,
    mmr: Annotated[
        Path | None, typer.Option("--mmr", metavar="RUNS", help="The same with selector mmr.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Read records and name each symptom, its likely cause and what to do about it."""
    from ..evals.diagnosis import figures_of
    from ..nodes.context.diagnose import diagnose as findings_of

    figures = figures_of(
        records_of(runs, preset),
        records_of(double, preset) if double else (),
        records_of(mmr, preset) if mmr else (),
    )
    findings = findings_of(figures)
    if as_json:
        found = [finding._asdict() for finding in findings]
        say_json({"figures": asdict(figures), "findings": found})
        return
    known = {name: value for name, value in asdict(figures).items() if value is not None}
    say(", ".join(f"{name.replace('_', ' ')} {value:.0%}" for name, value in known.items()))
    for finding in findings:
        say(f"- {finding.symptom}\n  cause: {finding.cause}\n  do: {finding.action}")
    if not findings:
        say("No symptom shows.")
