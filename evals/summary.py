"""Summing up records: shares with intervals, abstention as a 2x2, costs, and presets compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, Literal

from .contenders import ENDS, quality
from .records import Record
from .statistics import mean_interval, paired_difference

Figure = Callable[[Record], float | None]
RIGHT = 0.5
"""From this quality on an answer counts as right where a yes or no is needed."""


def read_whole(record: Record) -> bool:
    """True when a whole document was read."""
    return "read_whole_document" in record["path"]


def _answerable(record: Record) -> float:
    """The share `a` of Self-Route (section 3.3): settled from passages alone."""
    return float(record["did_answer"] and not read_whole(record))


def _evidence(record: Record, all_of_it: bool) -> float | None:
    needed, held = record["evidence_needed"], record["evidence_held"]
    if not needed:
        return None
    return float(len(held) == len(needed) if all_of_it else bool(held))


def _uncovered(record: Record) -> float | None:
    """Of right answers: the context did not hold them, so the model knew (contamination)."""
    if record["answer_in_context"] is None or (quality(record) or 0.0) < RIGHT:
        return None
    return float(not record["answer_in_context"])


def _ratio(which: Literal["predicted", "actual"]) -> Figure:
    """What was read relative to the whole document: 1 when nothing but that was read."""

    def ratio(record: Record) -> float | None:
        if read_whole(record) and "generate" not in record["path"]:
            return 1.0
        return record["answer"]["token_ratio"][which]

    return ratio


def _score(name: str) -> Figure:
    return lambda record: record["scores"].get(name)


def _spent(name: str) -> Figure:
    return lambda record: float(record["answer"]["spent"][name])  # type: ignore[literal-required]


FIGURES: dict[str, Figure] = {
    "quality": quality,
    "exact_match": _score("exact_match"),
    "f1": _score("f1"),
    "contains": _score("contains"),
    "accuracy": _score("accuracy"),
    "rouge_l": _score("rouge_l"),
    "answered": lambda record: float(record["did_answer"]),
    "answerable_share": _answerable,
    "evidence_coverage_all": lambda record: _evidence(record, True),
    "evidence_coverage_any": lambda record: _evidence(record, False),
    "right_without_evidence": _uncovered,
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
    """Means with 95 % bootstrap intervals by preset, abstention, and differences to the first.

    With a run of passages and one of whole documents among them: the histogram of their
    differences, and how each preset that may do both has routed.
    """
    by_preset = sorted_by_preset(records)
    told = {name: _of_preset(rows) for name, rows in by_preset.items()}
    first = next(iter(by_preset), "")
    compared = {
        name: compare(by_preset[first], rows) for name, rows in by_preset.items() if name != first
    }
    summed: dict[str, Any] = {"presets": told, "compared_with": first, "gains": compared}
    passages, whole = (end_of(by_preset, end) for end in ENDS)
    if passages and whole:
        summed["histogram"] = histogram(by_preset[passages], by_preset[whole])
        summed["histogram"] |= {"passages": passages, "whole": whole}
        for name, rows in by_preset.items():
            if any(map(read_whole, rows)) and not all(map(read_whole, rows)):
                told[name]["routing"] = routing(rows, by_preset[passages], by_preset[whole])
    return summed


def sorted_by_preset(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Records by preset, in the order in which presets first occur."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["preset"], []).append(record)
    return found


_SAME = {"always-passages": "plain", "always-whole": "whole_document"}


def end_of(by_preset: Mapping[str, Sequence[Record]], end: str) -> str:
    """The name under which one of the two ends was run; empty when it was not."""
    return next((name for name in (end, _SAME[end]) if name in by_preset), "")


def _of_preset(rows: Sequence[Record]) -> dict[str, Any]:
    told: dict[str, Any] = {"questions": len(rows)}
    for name, figure in FIGURES.items():
        values = [value for row in rows if (value := figure(row)) is not None]
        if values:
            told[name] = round(fmean(values), 4)
            told[f"{name}_interval"] = [round(end, 4) for end in mean_interval(values)]
    if "quality" in told and told["context_tokens"]:
        told["quality_per_1000_tokens"] = round(1000 * told["quality"] / told["context_tokens"], 4)
    told["abstention"] = abstention(rows)
    told["outcomes"] = _counted(row["answer"]["outcome"] for row in rows)
    told["stopped_by"] = _counted(row["answer"]["stopped_by"] for row in rows)
    return told


def abstention(rows: Iterable[Record]) -> dict[str, int]:
    """Should it answer, and did it: the four counts, where somebody has said whether it should."""
    table = {"should_did": 0, "should_refused": 0, "should_not_did": 0, "should_not_refused": 0}
    for row in rows:
        if "should_answer" not in row:
            continue
        should = "should" if row["should_answer"] else "should_not"
        table[f"{should}_{'did' if row['did_answer'] else 'refused'}"] += 1
    return table


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def pairs_of(before: Iterable[Record], after: Iterable[Record]) -> list[tuple[Record, Record]]:
    """The records of both for each question that both ran."""
    known = {row["task_id"]: row for row in before}
    return [(known[row["task_id"]], row) for row in after if row["task_id"] in known]


def compare(before: Iterable[Record], after: Iterable[Record]) -> dict[str, list[float]]:
    """What each figure gained over the questions that both ran: mean, and its paired interval."""
    pairs = pairs_of(before, after)
    gains: dict[str, list[float]] = {}
    for name, figure in FIGURES.items():
        both = [(figure(a), figure(b)) for a, b in pairs]
        kept = [(a, b) for a, b in both if a is not None and b is not None]
        if kept:
            gain = paired_difference([a for a, _ in kept], [b for _, b in kept])
            gains[name] = [round(value, 4) for value in gain]
    return gains


def histogram(passages: Iterable[Record], whole: Iterable[Record]) -> dict[str, Any]:
    """Quality of passages minus that of the whole document, question by question, in points.

    `bins` are [from, to, questions], the middle one holding -10 to 10; `equal` and `within_10` are
    shares (Self-Route, section 3.1, found 63 % and 70 %).
    """
    gaps = [
        100 * (p - w)
        for a, b in pairs_of(passages, whole)
        if (p := quality(a)) is not None and (w := quality(b)) is not None
    ]
    edges = (-100, -70, -50, -30, -10, 10, 30, 50, 70, 100)
    bins = [[low, high, 0] for low, high in pairwise(edges)]
    for gap in gaps:
        bins[_bin_of(gap, edges)][2] += 1
    many = max(1, len(gaps))
    return {
        "questions": len(gaps),
        "bins": bins,
        "equal": round(sum(abs(gap) < 1e-9 for gap in gaps) / many, 4),
        "within_10": round(sum(abs(gap) <= 10 for gap in gaps) / many, 4),
    }


def _bin_of(gap: float, edges: Sequence[int]) -> int:
    """Left of zero an edge belongs to the bin further left, right of it to that further right."""
    middle = len(edges) // 2 - 1
    if abs(gap) <= edges[middle + 1]:
        return middle
    away = sum(abs(gap) > edge for edge in edges[middle + 1 : -1])
    return middle + away if gap > 0 else middle - away


def routing(
    rows: Iterable[Record], passages: Iterable[Record], whole: Iterable[Record]
) -> dict[str, int]:
    """Should it read the whole document (it was strictly better), and did it: the four counts.

    `missed` was too hopeful, `in_vain` paid for nothing.
    """
    better = {
        a["task_id"]: (quality(b) or 0.0) > (quality(a) or 0.0)
        for a, b in pairs_of(passages, whole)
    }
    table = {"rightly_read": 0, "missed": 0, "in_vain": 0, "rightly_not": 0}
    for row in rows:
        if row["task_id"] not in better:
            continue
        if better[row["task_id"]]:
            table["rightly_read" if read_whole(row) else "missed"] += 1
        else:
            table["in_vain" if read_whole(row) else "rightly_not"] += 1
    return table
