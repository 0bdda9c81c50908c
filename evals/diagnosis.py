"""Figures of a bench's records that a diagnosis of the budget needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TypeVar

from ..nodes.context.diagnose import Figures
from .contenders import quality
from .records import Record

T = TypeVar("T")
RARE = 0.1
"""Kinds with at most this share of the questions count as the long tail."""


def figures_of(
    records: Sequence[Record],
    doubled: Sequence[Record] = (),
    with_mmr: Sequence[Record] = (),
) -> Figures:
    """Read the figures of one preset's records; None where the records do not say.

    `doubled` are records of the same questions at twice the budget, `with_mmr` with selector mmr.
    """
    rare = [record for record in records if _is_rare(record, records)]
    selections = [record["answer"]["selection"] for record in records]
    return Figures(
        accuracy=_mean(records, quality),
        accuracy_at_double_budget=_mean(doubled, quality),
        coverage=_mean(records, _held),
        coverage_of_candidates=_mean(records, _found),
        accuracy_with_mmr=_mean(with_mmr, quality),
        redundancy=_mean(selections, lambda one: one.get("redundancy")),
        fallback=_mean(selections, lambda one: float(bool(one["fell_back"])) if one else None),
        accuracy_of_rare=_mean(rare, quality),
    )


def _mean(rows: Sequence[T], figure: Callable[[T], float | None]) -> float | None:
    values = [value for row in rows if (value := figure(row)) is not None]
    return fmean(values) if values else None


def _held(record: Record) -> float | None:
    needed = record["evidence_needed"]
    return len(record["evidence_held"]) / len(needed) if needed else None


def _found(record: Record) -> float | None:
    """The share of the evidence that a search brought, whether it got into the context or not."""
    needed = record["evidence_needed"]
    ids = [id for query in record["answer"]["queries"] for id in query["passage_ids"]]
    found = [one for one in needed if any(id == one or id.startswith(f"{one}#") for id in ids)]
    return len(found) / len(needed) if needed else None


def _is_rare(record: Record, records: Sequence[Record]) -> bool:
    kind = record.get("kind")
    alike = sum(other.get("kind") == kind for other in records)
    return bool(kind) and alike <= RARE * len(records)
