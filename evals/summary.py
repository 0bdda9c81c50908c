"""Summing up records: shares with intervals, abstention as a 2x2, costs, and presets compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from .runs import Record
from .statistics import mean_interval, paired_difference

Figure = Callable[[Record], float | None]


def _share(flag: Callable[[Record], bool]) -> Figure:
    return lambda record: float(flag(record))


def _evidence(record: Record, all_of_it: bool) -> float | None:
    needed, held = record["evidence_needed"], record["evidence_held"]
    if not needed:
        return None
    return float(len(held) == len(needed) if all_of_it else bool(held))


def _ratio(which: str) -> Figure:
    return lambda record: record["answer"]["token_ratio"][which]  # type: ignore[literal-required]


def _score(name: str) -> Figure:
    return lambda record: record["scores"].get(name)


def _spent(name: str) -> Figure:
    return lambda record: float(record["answer"]["spent"][name])  # type: ignore[literal-required]


FIGURES: dict[str, Figure] = {
    "exact_match": _score("exact_match"),
    "f1": _score("f1"),
    "contains": _score("contains"),
    "answered": _share(lambda record: record["did_answer"]),
    "evidence_coverage_all": lambda record: _evidence(record, True),
    "evidence_coverage_any": lambda record: _evidence(record, False),
    "context_tokens": lambda record: float(record["context_tokens"]),
    "token_ratio_predicted": _ratio("predicted"),
    "token_ratio_actual": _ratio("actual"),
    "rounds": lambda record: float(record["answer"]["rounds"]),
    "calls": _spent("calls"),
    "input_tokens": _spent("input_tokens"),
    "output_tokens": _spent("output_tokens"),
    "seconds": _spent("seconds"),
}
"""What is averaged over the records of a preset; None where a record says nothing of it."""


def summarise(records: Sequence[Record]) -> dict[str, Any]:
    """Means with 95 % bootstrap intervals by preset, abstention, and differences to the first."""
    presets = list(dict.fromkeys(record["preset"] for record in records))
    by_preset = {name: [r for r in records if r["preset"] == name] for name in presets}
    told = {name: _of_preset(rows) for name, rows in by_preset.items()}
    first = presets[0] if presets else ""
    compared = {
        name: compare(by_preset[first], rows) for name, rows in by_preset.items() if name != first
    }
    return {"presets": told, "compared_with": first, "gains": compared}


def _of_preset(rows: Sequence[Record]) -> dict[str, Any]:
    told: dict[str, Any] = {"questions": len(rows)}
    for name, figure in FIGURES.items():
        values = [value for row in rows if (value := figure(row)) is not None]
        if values:
            told[name] = round(fmean(values), 4)
            told[f"{name}_interval"] = [round(end, 4) for end in mean_interval(values)]
    told["abstention"] = abstention(rows)
    told["outcomes"] = _counted(row["answer"]["outcome"] for row in rows)
    told["stopped_by"] = _counted(row["answer"]["stopped_by"] for row in rows)
    return told


def abstention(rows: Iterable[Record]) -> dict[str, int]:
    """Should it answer, and did it: the four counts."""
    table = {"should_did": 0, "should_refused": 0, "should_not_did": 0, "should_not_refused": 0}
    for row in rows:
        should = "should" if row["should_answer"] else "should_not"
        table[f"{should}_{'did' if row['did_answer'] else 'refused'}"] += 1
    return table


def _counted(words: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return dict(sorted(found.items()))


def compare(before: Sequence[Record], after: Sequence[Record]) -> dict[str, list[float]]:
    """What each figure gained over the questions that both ran: mean, and its paired interval."""
    known: Mapping[str, Record] = {row["task_id"]: row for row in before}
    pairs = [(known[row["task_id"]], row) for row in after if row["task_id"] in known]
    gains: dict[str, list[float]] = {}
    for name, figure in FIGURES.items():
        both = [(figure(a), figure(b)) for a, b in pairs]
        kept = [(a, b) for a, b in both if a is not None and b is not None]
        if kept:
            gain = paired_difference([a for a, _ in kept], [b for _, b in kept])
            gains[name] = [round(value, 4) for value in gain]
    return gains
