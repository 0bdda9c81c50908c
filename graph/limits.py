"""What may still be spent, and what is tried next. Pure functions of the state and the settings.

Every bound of the loop is here. `rounds` only grows and is compared with `max_rounds`; each other
remedy is used once a question; drafts from one context are counted. So every run ends, whatever the
judges say: `bounds` gives the most calls, searches and steps as numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .answer import StoppedBy
from .settings import Remedy, Settings
from .state import State


@dataclass(frozen=True)
class Left:
    """What may still be spent on this question."""

    calls: int
    tokens: int
    seconds: float


def left(state: State, settings: Settings, now: float | None = None) -> Left:
    """Calls, tokens and seconds that are left; never below zero. `now` is seconds since 1970."""
    spent = state["spent"]
    passed = (time.time() - spent["waited"] if now is None else now) - spent["started"]
    return Left(
        max(0, settings.max_calls - spent["calls"]),
        max(0, settings.max_tokens - spent["input_tokens"] - spent["output_tokens"]),
        max(0.0, settings.deadline_s - passed),
    )


def exhausted(state: State, settings: Settings, now: float | None = None) -> StoppedBy | None:
    """Name the limit that leaves room for no further call, or None. Free for the offline engine."""
    rest = left(state, settings, now)
    if rest.seconds <= 0:
        return "deadline"
    if not state["costs_calls"]:
        return None
    if rest.calls <= 0:
        return "max_calls"
    return "max_tokens" if rest.tokens <= 0 else None


def allowance(node: str, rest: Left, settings: Settings) -> Left:
    """Give what one node may spend of what is left.

    Grading keeps back what one draft needs, so that it never eats the answer. The two checks of a
    draft run at the same time and share: the rating gets a quarter, and nothing of a last call.
    """
    if node == "grade_passages":
        kept_back = settings.context_tokens + settings.answer_tokens
        return Left(max(0, rest.calls - 1), max(0, rest.tokens - kept_back), rest.seconds)
    if not (settings.check_support and settings.rate_usefulness):
        return rest
    calls, tokens = (rest.calls + 2) // 4 if rest.calls > 1 else 0, rest.tokens // 4
    if node == "check_usefulness":
        return Left(calls, tokens, rest.seconds)
    if node == "check_grounding":
        return Left(rest.calls - calls, rest.tokens - tokens, rest.seconds)
    return rest


def broken(state: State) -> bool:
    """True when a model failed for good: every edge leads to the end from here."""
    return state["stopped_by"] == "model_error"


def checks_of(state: State, settings: Settings) -> list[str]:
    """Name the checks that are on for this question; both run at the same time."""
    level = state["tier"]["level"]
    checks = []
    if settings.check_support and level >= 1:
        checks.append("drafted")
    if settings.rate_usefulness and level >= 1:
        checks.append("rate it")
    return checks or ["unchecked"]


def next_remedy(state: State, settings: Settings) -> Remedy | None:
    """Name what is tried next when the evidence does not suffice, or None: give up.

    The first remedy that is allowed, not used up, affordable and not pointless. An `implicit`
    question is one that no passage can answer, so it goes to the whole document first
    (Self-Route, section 5 of the paper).
    """
    if exhausted(state, settings):
        return None
    remedies = [name for name in settings.remedies if name in state["remedies"]]
    if state.get("failure") == "implicit":
        remedies.sort(key=lambda name: name != "read_whole")
    usable = (name for name in remedies if _CAN[name](state, settings))
    return next(usable, None)


def _can_search_again(state: State, settings: Settings) -> bool:
    """A rewrite takes one call and what it finds needs another."""
    enough = not state["costs_calls"] or left(state, settings).calls >= 2
    return enough and state["rounds"] < state["max_rounds"] and not state["stalled"]


def _can_search_elsewhere(state: State, settings: Settings) -> bool:
    return not state["asked_elsewhere"]


def _can_read_whole(state: State, settings: Settings) -> bool:
    return not state["whole"] and bool(state["found"] or state["kept"] or _reads_unfound(settings))


def _reads_unfound(settings: Settings) -> bool:
    return settings.whole_document != "hits"


_CAN: dict[str, Callable[[State, Settings], bool]] = {
    "search_again": _can_search_again,
    "search_elsewhere": _can_search_elsewhere,
    "read_whole": _can_read_whole,
}


def why_stopped(state: State, settings: Settings) -> StoppedBy:
    """Say what ended the run. `done` when nothing was left open."""
    best = state["best_draft"]
    if best and best["fault"] in ("", "another language"):
        return "done"
    if state["stopped_by"] != "done":
        return state["stopped_by"]
    if limit := exhausted(state, settings):
        return limit
    if state["whole"].get("over_window"):
        return "over_window"
    if state["stalled"]:
        return "no_progress"
    return "max_rounds" if state["rounds"] >= state["max_rounds"] else "done"


@dataclass(frozen=True)
class Bounds:
    """The most that a question can take under some settings."""

    rounds: int
    searches: int
    drafts: int
    calls: int
    tokens: int
    steps: int
    """Super-steps of the graph; the recursion limit is one more."""


def bounds(settings: Settings) -> Bounds:
    """Count the worst case: every judge says no, every remedy is tried.

    `calls` is the smaller of what the graph could ask and `max_calls`.
    """
    rounds = settings.max_rounds if "search_again" in settings.remedies else 0
    elsewhere = int("search_elsewhere" in settings.remedies)
    searches = 1 + rounds + elsewhere
    whole = int("read_whole" in settings.remedies)
    contexts = searches
    drafts = contexts * settings.max_drafts * settings.candidates + whole
    graded = settings.k * int(settings.grade_retrieval)
    # A round for a broad question brings, and grades, twice as many passages.
    grading = (searches + rounds) * graded + searches * int(settings.judge_sufficiency)
    sentences = settings.answer_tokens // 4
    per_draft = 1 + sentences * int(settings.check_support) + int(settings.rate_usefulness)
    ahead = int(settings.speculate)
    asked = 2 + rounds + grading + ahead + drafts * per_draft
    calls = min(settings.max_calls, asked * (1 + settings.retries))
    # Before: restate, decide. A search: retrieve, grade, select. A draft: write, check, weigh.
    # After: refuse, finish.
    steps = 2 + rounds + searches * 3 + contexts * settings.max_drafts * 3 + whole * 3 + 2
    return Bounds(rounds, searches, drafts, calls, settings.max_tokens, steps)
