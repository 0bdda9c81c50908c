"""`ragloop simulate`: how good a judge must be before the loop pays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .output import say, say_json
from .progress import steady_progress

if TYPE_CHECKING:
    from ..evals.simulator import Point

Axis = Literal["judge", "writer", "rewriter", "noise", "max_rounds"]


def simulate(
    axis: Annotated[Axis, typer.Argument(help="What to vary.", show_default=False)],
    *,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="Questions with evidence.")],
    judge: Annotated[float, typer.Option(min=0, max=1, help="How often the judge is right.")] = 0.9,
    writer: Annotated[float, typer.Option(min=0, max=1, help="The writer.")] = 0.9,
    rewriter: Annotated[float, typer.Option(min=0, max=1, help="The rewriter.")] = 0.7,
    max_rounds: Annotated[int, typer.Option("--max-rounds", min=0, help="Rewrites, at most.")] = 2,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Questions.")] = 40,
    seed: Annotated[int, typer.Option("--seed", help="Another seed draws other errors.")] = 0,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw it into this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Run plain and loop under models that are right as often as you say, by the data's labels.

    The graph, the search and the accounts are real; only the models are simulated.
    """
    from ..evals import simulator
    from ..evals.datasets import load
    from ..evals.simulated import Skill

    found = load(data, limit)
    skill = Skill(judge, writer, rewriter)
    with steady_progress(len(simulator.AXES[axis])) as moved:
        points = simulator.simulate(
            found, axis, skill=skill, max_rounds=max_rounds, seed=seed, moved=moved
        )
    told = simulator.verdict(points)
    if plot is not None:
        simulator.plot(points, f"{axis}: {found.name}, {len(points[0].plain)} questions", plot)
    if as_json:
        say_json({"axis": axis, "points": [_row(p) for p in points], "verdict": told})
        return
    say(simulator.table(points))
    say(told)
    if axis == "max_rounds":
        for what, (most, promised) in simulator.most_taken(found, skill, max_rounds, seed).items():
            say(f"The most {what} a question took at {max_rounds}: {most}, of at most {promised}.")


def _row(point: Point) -> dict[str, object]:
    from dataclasses import asdict

    return {**asdict(point), "gain": point.gain}
