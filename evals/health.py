"""Four health figures of a running loop, read from records: what is wrong, and what to do.

A record is a line of JSON that holds an `answer` (as `ragloop bench` and `RecordWriter` write it),
and perhaps the `kind` of the question. The healthy ranges are those of METHODS, section 6: rules of
thumb for when to look, not tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

CAPS = ("max_rounds", "max_calls", "max_tokens", "deadline")


class Reading(TypedDict):
    """One figure for one kind of question."""

    figure: str
    kind: str
    value: float | None
    """A share, 0 to 1; None when nothing was counted."""
    of: int
    """How many runs it is a share of."""
    healthy: str
    verdict: str
    """`healthy`, `too few runs`, or what is wrong and what to do."""


@dataclass(frozen=True)
class Figure:
    """A share of runs: which count, which of them it is true of, and where to look."""

    name: str
    counts: Callable[[Mapping[str, Any]], bool]
    holds: Callable[[Mapping[str, Any]], bool]
    low: float
    high: float
    if_low: str
    if_high: str

    @property
    def healthy(self) -> str:
        """The healthy range in words."""
        if self.low <= 0:
            return f"below {self.high:.0%}"
        return f"above {self.low:.0%}" if self.high >= 1 else f"{self.low:.0%} to {self.high:.0%}"


def _searched(answer: Mapping[str, Any]) -> bool:
    return bool(answer.get("queries"))


def _graded(answer: Mapping[str, Any]) -> bool:
    return _searched(answer) and answer["queries"][0]["verdict"] != "not graded"


def _first_failed(answer: Mapping[str, Any]) -> bool:
    return bool(answer["queries"][0]["verdict"] == "incorrect")


def _second_round(answer: Mapping[str, Any]) -> bool:
    return any(query["round"] > 0 for query in answer.get("queries", ()))


def _second_worked(answer: Mapping[str, Any]) -> bool:
    return any(
        q["round"] > 0 and q["verdict"] in ("correct", "ambiguous") for q in answer["queries"]
    )


def _checked(answer: Mapping[str, Any]) -> bool:
    return bool(answer.get("grounding"))


def _intercepted(answer: Mapping[str, Any]) -> bool:
    return any(said["verdict"] != "full" for said in answer["grounding"])


def _capped(answer: Mapping[str, Any]) -> bool:
    return answer["stopped_by"] in CAPS


def _fell_back(answer: Mapping[str, Any]) -> bool:
    return bool(answer.get("selection", {}).get("fell_back"))


FIGURES = (
    Figure(
        "trigger rate",
        _graded,
        _first_failed,
        0.0,
        0.3,
        "",
        "Many first searches are called unusable. Mend the search or the corpus before the loop.",
    ),
    Figure(
        "second-round success",
        _second_round,
        _second_worked,
        0.3,
        1.0,
        "Rewriting does not work, or the corpus lacks the answers. Set max_rounds to 0 and refuse.",
        "",
    ),
    Figure(
        "interception rate",
        _checked,
        _intercepted,
        0.0,
        0.2,
        "",
        "Many answers hold sentences without support. Look at the writer and its prompt, then at "
        "the support judge with `ragloop calibrate support`.",
    ),
    Figure(
        "share ended at a cap",
        _searched,
        _capped,
        0.0,
        0.1,
        "",
        "The loop runs idle. Lower max_rounds, or give questions like these more room.",
    ),
    Figure(
        "selector fallback share",
        _searched,
        _fell_back,
        0.0,
        0.3,
        "",
        "The selector often lacks what it needs. Give passages vectors or sections, or use score.",
    ),
)
FEWEST = 20
"""Below this many runs a share says little."""


def health(records: Sequence[Mapping[str, Any]]) -> list[Reading]:
    """Read all figures, over all runs and by kind of question."""
    kinds = sorted({str(record.get("kind") or "") for record in records} - {""})
    answers = {kind: [r["answer"] for r in records if r.get("kind") == kind] for kind in kinds}
    groups = {"all": [record["answer"] for record in records], **answers}
    return [_read(figure, kind, rows) for kind, rows in groups.items() for figure in FIGURES]


def _read(figure: Figure, kind: str, answers: Sequence[Mapping[str, Any]]) -> Reading:
    counted = [answer for answer in answers if figure.counts(answer)]
    value = sum(map(figure.holds, counted)) / len(counted) if counted else None
    verdict = "healthy"
    if value is None or len(counted) < FEWEST:
        verdict = "too few runs"
    elif value > figure.high:
        verdict = figure.if_high
    elif value < figure.low:
        verdict = figure.if_low
    return {
        "figure": figure.name,
        "kind": kind,
        "value": value if value is None else round(value, 4),
        "of": len(counted),
        "healthy": figure.healthy,
        "verdict": verdict,
    }


def endings(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How runs ended: `stopped_by` with its count."""
    return _counts(record["answer"]["stopped_by"] for record in records)


def failures(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Kinds of retrieval failure that rewriting named, with their counts."""
    queries = (query for record in records for query in record["answer"].get("queries", ()))
    return _counts(query["failure"] for query in queries if query.get("failure"))


def _counts(words: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))
