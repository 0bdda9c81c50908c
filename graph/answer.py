"""What comes out: the Answer, and the records in it. All of it is JSON.

The same records stand in the state while a question is answered; see state.py.
"""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from ..nodes.writers.draft import Citation, Draft, Grounding
from ..nodes.writers.refusals import Because
from ..stores.passage import Passage

Outcome = Literal["answered", "partial", "direct", "refused"]
Route = Literal["direct", "passages", "whole_document"]
Relevance = Literal["correct", "ambiguous", "incorrect"]
Failure = Literal["multi-step", "general", "complex", "implicit", "vocabulary", "other"]
StoppedBy = Literal[
    "done",
    "max_rounds",
    "no_progress",
    "max_calls",
    "max_tokens",
    "deadline",
    "over_window",
    "model_error",
]


class Cost(TypedDict):
    """What something took. `calls` counts every attempt that reached a server."""

    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float


class Spent(Cost):
    """What the question has cost so far; `seconds` is the time since it was asked."""

    by_node: dict[str, Cost]
    started: float
    """When the question was asked, seconds since 1970: another question is another account."""
    waited: float
    """Seconds that a person took to reply; not in `seconds`, and no deadline counts them."""


class QueryRecord(TypedDict, total=False):
    """One query: why it was searched, what it found, and what was thought of that."""

    query: str
    reason: str
    failure: str
    """The kind of failure that led to it; empty for the first."""
    passage_ids: list[str]
    verdict: str
    """correct, ambiguous, incorrect, or "not graded"."""
    round: int
    where: Literal["store", "elsewhere"]


class Grade(TypedDict):
    """The verdict on one passage."""

    passage_id: str
    label: str
    score: float | None
    how: str
    why: str


class Decision(TypedDict, total=False):
    """Why sources were, or were not, asked for."""

    needs_sources: bool
    read_all: bool
    rule: str
    reason: str
    how: str


class Tier(TypedDict):
    """Which checks a question gets, and why."""

    level: int
    why: str


Fault = Literal["", "unsupported", "off the point", "unchecked", "another language"]
"""What is wrong with a draft, if anything."""


class WeighedDraft(Draft, total=False):
    """A draft with what the checks said of it."""

    route: Route
    grounding: list[Grounding]
    support: float
    """Share of its sentences that are borne out, a partly supported one counting half."""
    usefulness: int
    fault: Fault


class SelectionRecord(TypedDict, total=False):
    """How the context was chosen."""

    selector: str
    fell_back: str
    tokens: int
    budget: int
    redundancy: float
    dropped: list[dict[str, str]]
    conflicts: list[dict[str, Any]]


class Ahead(TypedDict, total=False):
    """A draft that was written while its passages were graded, and what that cost and saved."""

    kept: bool
    calls: int
    tokens: int
    """Of a draft that was not kept: those of its prompt."""
    seconds_saved: float
    draft: Draft
    passages: list[Passage]


class WholeDocument(TypedDict, total=False):
    """What was read whole."""

    document_ids: list[str]
    tokens: int
    over_window: bool
    """True when something did not fit and only parts around the hits were read."""
    nothing_new: bool
    """True when what fits had been read before, so no call was made."""


class TokenRatio(TypedDict):
    """Input tokens relative to reading the whole documents (Self-Route, section 3.1)."""

    predicted: float | None
    actual: float | None


class Answer(TypedDict, total=False):
    """What comes out, and exactly what `ragloop ask --json` prints."""

    question: str
    text: str
    outcome: Outcome
    route: Route
    citations: list[Citation]
    uncited: list[str]
    """Ids of passages that statements without a marker rest on: used, but not cited."""
    sources: list[str]
    """Sources of every passage the answer was written from, cited or not."""
    grounding: list[Grounding]
    usefulness: int
    """1 to 5; 0 when it was not rated."""
    corrections: list[str]
    missing: str
    refused_because: Because
    """Empty unless it was refused. "refused" is the model's own will."""
    stopped_by: StoppedBy
    rounds: int
    queries: list[QueryRecord]
    grades: list[Grade]
    decision: Decision
    tier: Tier
    selection: SelectionRecord
    conflicts: list[dict[str, Any]]
    spent: Spent
    ahead: Ahead
    """What writing while grading cost and saved; empty when it is off."""
    token_ratio: TokenRatio
    over_window: bool
    warnings: list[str]


def no_cost() -> Cost:
    """A cost of nothing."""
    return {"calls": 0, "input_tokens": 0, "output_tokens": 0, "seconds": 0.0}


def add_costs(one: Cost, other: Cost) -> Cost:
    """Add two costs."""
    return {
        "calls": one["calls"] + other["calls"],
        "input_tokens": one["input_tokens"] + other["input_tokens"],
        "output_tokens": one["output_tokens"] + other["output_tokens"],
        "seconds": round(one["seconds"] + other["seconds"], 4),
    }


def add_spent(old: Spent, new: Spent) -> Spent:
    """Add what a node spent on this question; a new question begins a new account."""
    if not old or old["started"] != new["started"]:
        return new
    by_node = dict(old["by_node"])
    for node, cost in new["by_node"].items():
        by_node[node] = add_costs(by_node.get(node, no_cost()), cost)
    total = add_costs(old, new)
    total["seconds"] = max(old["seconds"], new["seconds"])
    waited = max(old["waited"], new["waited"])
    return {**total, "by_node": by_node, "started": new["started"], "waited": waited}
