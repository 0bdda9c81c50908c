"""Health figures of a running loop, read from records: what is wrong, and what to do.

The records are those that `ragloop bench` and `RecordWriter` write. The healthy ranges are rules of
thumb for when to look, explained in docs/measuring.md; they are not tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from typing_extensions import TypedDict

from .records import Record

CAPS = ("max_rounds", "max_calls", "max_tokens", "deadline")
FEWEST = 20
"""Below this many cases a share says little."""


class Reading(TypedDict):
    """One figure for one kind of question."""

    figure: str
    kind: str
    value: float | None
    """A share, 0 to 1; None when nothing was counted."""
    of: int
    """How many cases it is a share of."""
    healthy: str
    verdict: str
    """`healthy`, `too few cases`, or what is wrong and what to do."""


Cases = Callable[[Record], Sequence[bool]]
"""The cases in a record that a figure counts, each true or not."""


@dataclass(frozen=True)
class Figure:
    """A share of cases, its healthy range, and where to look beyond it."""

    name: str
    cases: Cases
    low: float = 0.0
    high: float = 1.0
    remedy: str = ""

    @property
    def healthy(self) -> str:
        """The healthy range in words."""
        return f"above {self.low:.0%}" if self.low else f"below {self.high:.0%}"


def _first_search_unusable(record: Record) -> list[bool]:
    """Of questions whose first search was graded: it was called unusable."""
    graded = [q["verdict"] for q in record["answer"].get("queries", ()) if q["round"] == 0]
    return [graded[0] == "incorrect"] if graded and graded[0] != "not graded" else []


def _round_worked(record: Record) -> list[bool]:
    """Of rounds (a rewrite and the search after it): what it found was usable."""
    usable: dict[int, bool] = {}
    for query in record["answer"].get("queries", ()):
        if query["round"] > 0 and query["verdict"] != "not graded":
            worked = query["verdict"] in ("correct", "ambiguous")
            usable[query["round"]] = usable.get(query["round"], False) or worked
    return list(usable.values())


def _intercepted(record: Record) -> list[bool]:
    """Of answers whose support was checked: the check cut a sentence, or sent the draft back."""
    if not (record["answer"].get("grounding") or "check_grounding" in record.get("path", ())):
        return []
    cut = any(said["verdict"] != "full" for said in record["answer"].get("grounding", ()))
    return [cut or _sent_back(record)]


def _sent_back(record: Record) -> bool:
    steps = pairwise(record.get("path", ()))
    return any(here == "weigh_draft" and after != "finish" for here, after in steps)


def _capped(record: Record) -> list[bool]:
    """Of runs that searched again or ran into a limit: a cap ended them."""
    stopped_by = record["answer"]["stopped_by"]
    looped = record["answer"]["rounds"] > 0 or stopped_by in CAPS[1:]
    return [stopped_by in CAPS] if looped else []


def _fell_back(record: Record) -> list[bool]:
    """Of contexts that a selector chose: it lacked what it needs and went by score."""
    selection = record["answer"].get("selection") or {}
    return [bool(selection.get("fell_back"))] if selection.get("selector") else []


FIGURES = (
    Figure(
        "trigger rate",
        _first_search_unusable,
        high=0.3,
        remedy="Many first searches are called unusable. Mend the search or the corpus before the "
        "loop; measure the judge with `ragloop calibrate relevance`.",
    ),
    Figure(
        "second-round success",
        _round_worked,
        low=0.3,
        remedy="Rewriting does not work, or the corpus lacks the answers. Add sources, or set "
        "max_rounds to 0 and refuse.",
    ),
    Figure(
        "interception rate",
        _intercepted,
        high=0.2,
        remedy="Many drafts hold sentences without support. Look at the writer and its prompt, "
        "then measure the support judge with `ragloop calibrate support`.",
    ),
    Figure(
        "share ended at a cap",
        _capped,
        high=0.3,
        remedy="The loop runs idle. Lower max_rounds to 1, or keep rounds for the questions that "
        "gain from them.",
    ),
    Figure(
        "selector fallback share",
        _fell_back,
        high=0.3,
        remedy="The selector often lacks what it needs. Give passages sections or vectors, or set "
        "selector to score.",
    ),
)


def health(records: Sequence[Record]) -> list[Reading]:
    """Read all figures, over all runs and then by kind of question."""
    kinds = sorted({record.get("kind") or "" for record in records} - {""})
    groups = {"all": list(records)}
    if len(kinds) > 1:
        groups |= {kind: [r for r in records if r.get("kind") == kind] for kind in kinds}
    return [_read(figure, kind, rows) for kind, rows in groups.items() for figure in FIGURES]


def _read(figure: Figure, kind: str, records: Iterable[Record]) -> Reading:
    cases = [case for record in records for case in figure.cases(record)]
    value = sum(cases) / len(cases) if cases else None
    verdict = "healthy"
    if value is None or len(cases) < FEWEST:
        verdict = "too few cases"
    elif not figure.low <= value <= figure.high:
        verdict = figure.remedy
    return {
        "figure": figure.name,
        "kind": kind,
        "value": value if value is None else round(value, 4),
        "of": len(cases),
        "healthy": figure.healthy,
        "verdict": verdict,
    }


def endings(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How runs ended: `stopped_by` with its count, the most frequent first."""
    return dict(Counter(record["answer"]["stopped_by"] for record in records).most_common())


def failures(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Kinds of retrieval failure that rewriting named, one a round, the most frequent first."""
    named: Counter[str] = Counter()
    for record in records:
        queries = record["answer"].get("queries", ())
        rounds = {query["round"]: query["failure"] for query in queries if query.get("failure")}
        named.update(rounds.values())
    return dict(named.most_common())
