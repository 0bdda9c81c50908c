"""`ragloop sweep`: measure the spending of the budget over a range of one setting."""

from __future__ import annotations

from collections.abc import Sized
from pathlib import Path
from typing import Annotated, Literal

import typer

from .output import say, say_json
from .progress import progress_bar

What = Literal["lambda", "k", "budget", "layers", "selectors", "rounds", "threshold"]


def sweep(
    what: Annotated[What, typer.Argument(help="Which setting to vary.", show_default=False)],
    data: Annotated[Path, typer.Option(help="Questions with labelled evidence, JSON Lines.")],
    share: Annotated[
        float, typer.Option(min=0.01, max=1, help="Budget as a share of the candidates' tokens.")
    ] = 0.25,
    copies: Annotated[
        int, typer.Option(min=0, help="Publish each passage with evidence so many times again.")
    ] = 0,
    tokens: Annotated[
        int, typer.Option(min=0, help="Ceiling of the context for rounds and threshold.")
    ] = 600,
    limit: Annotated[int | None, typer.Option(min=1, help="Use only the first rows.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve into this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Measure evidence coverage over a range of one setting, and say what to do.

    Runs offline: no model is asked.
    """
    from ..evals import budget_cases, curves
    from ..evals.datasets import load
    from ..evals.loop_sweeps import sweep_loop

    cases: Sized
    with progress_bar(quiet=as_json) as moved:
        if what == "rounds" or what == "threshold":
            cases = load(data, limit)
            points = sweep_loop(what, cases, tokens, moved)
        else:
            found = budget_cases.load_cases(data)[:limit]
            cases = [budget_cases.with_copies(case, copies) for case in found] if copies else found
            points = curves.sweep(what, cases, share, moved, paid_by=found)
    told = curves.verdict(what, points)
    if plot is not None:
        curves.plot(points, f"{what}: {data.stem}, {len(cases)} questions", plot)
    if as_json:
        rows = [
            {
                "name": p.name,
                "coverage": p.mean,
                "complete": p.complete,
                "tokens": p.tokens,
                "redundancy": p.redundancy,
                "fell_back": p.fell_back,
            }
            for p in points
        ]
        say_json({"sweep": what, "questions": len(cases), "points": rows, "verdict": told})
        return
    say(curves.table(points))
    for line in told:
        say(line)
