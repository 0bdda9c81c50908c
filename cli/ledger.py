"""`ragloop ledger`: calls, tokens, seconds and money by node and by tier, and what they bought."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .health import PresetOption, RunsArgument, records_of
from .output import say, say_json

if TYPE_CHECKING:
    from rich.table import Table

    from ..evals.ledger import Line


def ledger(
    runs: RunsArgument,
    *,
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices", metavar="FILE", help='{"input": 0.15, "output": 0.60}: a million.'
        ),
    ] = None,
    preset: PresetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the ledger as JSON.")] = False,
) -> None:
    """Say where calls, tokens, seconds and money went, and whether each tier is worth it."""
    from ..evals.ledger import by_node, cheapest_right, read_prices, steps

    table = None if prices is None else read_prices(prices)
    records = records_of(runs, preset)
    lines, marginal = by_node(records, table), steps(records, table)
    cheapest = cheapest_right(records)
    if as_json:
        currency = "" if table is None else table.currency
        told = {"nodes": lines, "steps": marginal, "cheapest_right": cheapest}
        say_json({**told, "currency": currency})
        return
    from rich.console import Console

    Console().print(_nodes_table(lines, table.currency if table else None))
    for step in marginal:
        say(step["advice"])
    if len(cheapest) > 2 and any(cheapest.values()):
        counts = ", ".join(f"{name} {count}" for name, count in cheapest.items())
        say(f"Cheapest preset that was right, by question: {counts}")


def _nodes_table(lines: list[Line], currency: str | None) -> Table:
    from rich.table import Table

    heads = ["node", "runs", "calls", "tokens in", "tokens out", "seconds"]
    table = Table(*heads, *([f"money {currency}".strip()] if currency is not None else []))
    for line in lines:
        cells = [
            line["node"],
            f"{line['runs']:,}",
            f"{line['calls']:,}",
            f"{line['input_tokens']:,}",
            f"{line['output_tokens']:,}",
            f"{line['seconds']:,.2f}",
        ]
        table.add_row(*cells, *([f"{line['money']:,.4f}"] if line["money"] is not None else []))
    return table
