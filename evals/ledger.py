"""Where the calls, the tokens, the seconds and the money go: by node, and by tier.

A price table is the user's own, JSON, in money a million tokens:

    {"currency": "EUR", "input": 0.15, "output": 0.60,
     "nodes": {"read_whole_document": {"input": 2.5, "output": 10}}}

`nodes` names the nodes that use another model. Without a table there is no money in the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from typing_extensions import TypedDict

from ..graph.answer import Cost, add_costs, no_cost
from ..stores.errors import EvaluationError
from .contenders import BASELINES, quality
from .records import Record
from .statistics import mean_interval
from .summary import RIGHT, pairs_of, sorted_by_preset

TIERS = ("plain", "check", "guard", "loop")
"""Presets in the order of their cost: no checks, its answer, what was found, rounds as well."""
MILLION = 1_000_000


@dataclass(frozen=True)
class Prices:
    """Money for a million tokens, in and out, with the nodes that differ."""

    input: float
    output: float
    currency: str = ""
    nodes: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def of(self, node: str, cost: Cost) -> float:
        """What a node's tokens cost."""
        into, out = self.nodes.get(node, (self.input, self.output))
        return (cost["input_tokens"] * into + cost["output_tokens"] * out) / MILLION


def read_prices(path: Path) -> Prices:
    """Read a price table. Raises EvaluationError that says what is wrong with it."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        nodes = {node: _pair(price) for node, price in table.get("nodes", {}).items()}
        into, out = _pair(table)
        return Prices(into, out, str(table.get("currency", "")), nodes)
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvaluationError(
            f'{path} is no price table ({error}). Give {{"input": 0.15, "output": 0.60}}, '
            "money a million tokens."
        ) from None


def _pair(price: Mapping[str, Any]) -> tuple[float, float]:
    into, out = float(price["input"]), float(price["output"])
    if into < 0 or out < 0:
        raise ValueError("a price is below zero")
    return into, out


class Line(TypedDict):
    """What a node took over all runs."""

    node: str
    runs: int
    """Runs that it took part in."""
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float
    money: float | None


def by_node(records: Sequence[Record], prices: Prices | None = None) -> list[Line]:
    """One line a node, the dearest first, by tokens and then by seconds."""
    costs: dict[str, Cost] = {}
    runs: dict[str, int] = {}
    for record in records:
        for node, cost in record["answer"]["spent"]["by_node"].items():
            costs[node] = add_costs(costs.get(node, no_cost()), cost)
            runs[node] = runs.get(node, 0) + 1
    lines: list[Line] = [
        {
            "node": node,
            "runs": runs[node],
            "calls": cost["calls"],
            "input_tokens": cost["input_tokens"],
            "output_tokens": cost["output_tokens"],
            "seconds": cost["seconds"],
            "money": None if prices is None else prices.of(node, cost),
        }
        for node, cost in costs.items()
    ]
    return sorted(lines, key=lambda line: (-_tokens(line), -line["seconds"], line["node"]))


def _tokens(cost: Mapping[str, Any]) -> int:
    return int(cost["input_tokens"] + cost["output_tokens"])


def money_of(record: Record, prices: Prices) -> float:
    """What one run cost."""
    spent = record["answer"]["spent"]["by_node"]
    return sum(prices.of(node, cost) for node, cost in spent.items())


class Step(TypedDict):
    """From one preset to the next: what a question gained, and what it cost more."""

    before: str
    after: str
    questions: int
    gain: float | None
    """Quality, 0 to 1; None when the data do not say what is right."""
    gain_interval: tuple[float, float] | None
    calls: float
    tokens: float
    seconds: float
    money: float | None
    advice: str


def steps(records: Sequence[Record], prices: Prices | None = None) -> list[Step]:
    """The marginal gain and cost of each tier that was run, over the questions that both ran.

    Presets that are no tier are compared with the first one of the file.
    """
    by_preset = sorted_by_preset(records)
    tiers = [name for name in TIERS if name in by_preset]
    others = [name for name in by_preset if name not in tiers]
    first = tiers[0] if tiers else next(iter(others), "")
    compared = [*pairwise(tiers), *((first, name) for name in others if name != first)]
    return [_step(a, b, by_preset[a], by_preset[b], prices) for a, b in compared]


def _step(
    before: str,
    after: str,
    cheap: Sequence[Record],
    dear: Sequence[Record],
    prices: Prices | None,
) -> Step:
    pairs = pairs_of(cheap, dear)
    if not pairs:
        raise EvaluationError(f"{before} and {after} ran no question in common.")
    gains = [
        high - low
        for a, b in pairs
        if (low := quality(a)) is not None and (high := quality(b)) is not None
    ]
    spent = [(a["answer"]["spent"], b["answer"]["spent"]) for a, b in pairs]
    money = None
    if prices is not None:
        money = fmean(money_of(b, prices) - money_of(a, prices) for a, b in pairs)
    found: Step = {
        "before": before,
        "after": after,
        "questions": len(pairs),
        "gain": fmean(gains) if gains else None,
        "gain_interval": mean_interval(gains) if gains else None,
        "calls": fmean(b["calls"] - a["calls"] for a, b in spent),
        "tokens": fmean(_tokens(b) - _tokens(a) for a, b in spent),
        "seconds": fmean(b["seconds"] - a["seconds"] for a, b in spent),
        "money": money,
        "advice": "",
    }
    found["advice"] = advice(found, prices.currency if prices else "")
    return found


def advice(step: Step, currency: str = "") -> str:
    """Whether the step is worth switching on, in words, from what was measured."""
    name = step["after"]
    if step["gain"] is None or step["gain_interval"] is None:
        return f"{name}: the records do not say what is right, so only the cost is known."
    cost = _price(step, currency)
    low, high = step["gain_interval"]
    points = f"{100 * step['gain']:+.1f} points ({100 * low:+.1f} to {100 * high:+.1f})"
    if low == high == 0:
        return f"{name}: no difference on {step['questions']} questions, for {cost}."
    if high < 0:
        return f"{name}: {points}. Leave it off: it makes answers worse."
    if low > 0:
        return f"{name}: {points} for {cost}. Worth switching on at that price."
    if step["questions"] < 100:
        return f"{name}: {points}, which may be chance. Measure more than {step['questions']}."
    return f"{name}: {points}, no sure gain. Keep it for questions that were hard without it."


def _price(step: Step, currency: str) -> str:
    parts = [f"{step['calls']:+.1f} calls", f"{step['tokens']:+,.0f} tokens"]
    parts.append(f"{step['seconds']:+.2f} s")
    if step["money"] is not None:
        parts.append(f"{step['money']:+.5f} {currency}".rstrip())
    return ", ".join(parts) + " a question"


def cheapest_right(records: Sequence[Record]) -> dict[str, int]:
    """How many questions each preset was the cheapest to get right; `none` got the rest.

    Baselines do not count.

    The cheapest strategy that answers right is the label of a question's difficulty that
    Adaptive-RAG (Jeong et al., NAACL 2024) trains its router on. Equal: the first.
    """
    records = [record for record in records if record["preset"] not in BASELINES]
    counts = dict.fromkeys([*sorted_by_preset(records), "none"], 0)
    tasks: dict[str, list[Record]] = {}
    for record in records:
        if quality(record) is not None:
            tasks.setdefault(record["task_id"], []).append(record)
    for runs in tasks.values():
        right = [run for run in runs if (quality(run) or 0.0) >= RIGHT]
        best = min(right, key=_effort, default=None)
        counts["none" if best is None else best["preset"]] += 1
    return counts


def _effort(record: Record) -> tuple[int, int, int]:
    spent = record["answer"]["spent"]
    return _tokens(spent), record["context_tokens"], len(record["path"])
