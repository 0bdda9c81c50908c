"""`ragloop compare`: two files of records, question by question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .health import PresetOption, records_of
from .output import say, say_json

if TYPE_CHECKING:
    from ..evals.records import Record

SHOWN = 10


def compare(
    before: Annotated[Path, typer.Argument(metavar="BEFORE.jsonl", help="Records as they were.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER.jsonl", help="Records as they are now.")],
    *,
    preset: PresetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Compare two files of records: what each preset gained, and which questions changed."""
    from ..evals.summary import compare as gains_of
    from ..evals.summary import sorted_by_preset
    from ..stores.errors import EvaluationError

    old, new = (sorted_by_preset(records_of(file, preset)) for file in (before, after))
    shared = [name for name in new if name in old]
    if not shared:
        raise EvaluationError(f"{before} and {after} hold no preset in common.")
    gains = {name: gains_of(old[name], new[name]) for name in shared}
    if not any(gains.values()):
        raise EvaluationError(f"{before} and {after} hold no question in common.")
    changed = {name: _changed(old[name], new[name]) for name in shared}
    if as_json:
        say_json({"gains": gains, "changed": changed})
        return
    for name in shared:
        for figure, (gain, low, high) in gains[name].items():
            if gain or low or high:
                say(f"{name}: {figure} {gain:+.4g} (95 % of resamples: {low:+.4g} to {high:+.4g})")
        _tell_changed(name, changed[name])


def _changed(old: list[Record], new: list[Record]) -> dict[str, list[dict[str, Any]]]:
    """Questions that got better and worse, by quality, the largest change first."""
    from ..evals.contenders import quality
    from ..evals.summary import pairs_of

    rows: list[dict[str, Any]] = [
        {"question": b["question"], "before": low, "after": high}
        for a, b in pairs_of(old, new)
        if (low := quality(a)) is not None and (high := quality(b)) is not None and low != high
    ]
    rows.sort(key=lambda row: -abs(row["after"] - row["before"]))
    better = [row for row in rows if row["after"] > row["before"]]
    return {"better": better, "worse": [row for row in rows if row not in better]}


def _tell_changed(name: str, changed: dict[str, list[dict[str, Any]]]) -> None:
    better, worse = changed["better"], changed["worse"]
    say(f"{name}: {len(better)} questions got better, {len(worse)} worse")
    for words, rows in (("better", better), ("worse", worse)):
        for row in rows[:SHOWN]:
            say(f"  {words}, {row['before']:.2f} to {row['after']:.2f}: {row['question']:.90}")
