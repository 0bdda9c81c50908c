"""Where a run goes next. An edge reads the state and returns a reason, as a person would say it.

`build.py` maps reasons to nodes, so the arrows in Studio carry words. No edge asks a model or
writes anything.
"""

from __future__ import annotations

from typing import Literal

from .limits import broken, checks_of, exhausted, next_remedy
from .settings import Remedy, Settings
from .state import State

_SAY: dict[Remedy, Literal["search again", "elsewhere", "read it all"]] = {
    "search_again": "search again",
    "search_elsewhere": "elsewhere",
    "read_whole": "read it all",
}


def route_after_decision(
    state: State, settings: Settings
) -> Literal["common knowledge", "needs sources", "read it all", "give up"]:
    """Answer at once, search, or read whole documents at once."""
    if broken(state):
        return "give up"
    decision = state["decision"]
    if not decision["needs_sources"]:
        return "common knowledge"
    return "read it all" if decision.get("read_all") else "needs sources"


def route_after_retrieval(state: State, settings: Settings) -> Literal["trusted", "doubtful"]:
    """Use what was found as it is, or have it graded."""
    return "doubtful" if settings.grade_retrieval and state["tier"]["level"] >= 2 else "trusted"


def route_after_grading(
    state: State, settings: Settings
) -> Literal["usable", "search again", "elsewhere", "read it all", "give up"]:
    """Go on with what was kept, or try what the evidence lacks."""
    if broken(state):
        return "give up"
    if state["relevance"] == "correct" and untried(state):
        return "usable"
    remedy = next_remedy(state, settings)
    # A whole document is dear: what was kept is tried first, the draft says whether it suffices.
    if remedy and not (remedy == "read_whole" and untried(state)):
        return _SAY[remedy]
    return "usable" if untried(state) else "give up"


def route_after_rewriting(
    state: State, settings: Settings
) -> Literal["search again", "elsewhere", "usable", "read it all", "give up"]:
    """Search for the new queries, unless there are none or the failure asks for something else."""
    if broken(state):
        return "give up"
    if state["searching"] and not exhausted(state, settings):
        implicit = state["failure"] == "implicit" and next_remedy(state, settings) == "read_whole"
        return "read it all" if implicit else "search again"
    remedy = next_remedy(state, settings)
    if remedy == "search_elsewhere":
        return "elsewhere"
    if untried(state):
        return "usable"
    return "read it all" if remedy == "read_whole" else "give up"


def untried(state: State) -> bool:
    """True when a passage was kept that no draft was written from."""
    return not {passage["id"] for passage in state["kept"]} <= set(state["drafted_from"])


def route_after_generation(
    state: State, settings: Settings
) -> list[str] | Literal["search again", "elsewhere", "read it all", "give up"]:
    """Check the draft, or find better evidence when it says that there is no answer in this."""
    if broken(state):
        return "give up"
    if state["draft"]["answerable"]:
        return checks_of(state, settings)
    remedy = next_remedy(state, settings)
    return _SAY[remedy] if remedy else "give up"


def route_after_reading(state: State, settings: Settings) -> list[str] | Literal["give up"]:
    """Check the draft, or give up: there is nothing beyond the whole document."""
    if broken(state):
        return "give up"
    return checks_of(state, settings) if state["draft"]["answerable"] else "give up"


def route_after_weighing(
    state: State, settings: Settings
) -> Literal["good enough", "write again", "search again", "elsewhere", "read it all", "give up"]:
    """Hand over the best draft, whole or in part, or mend it, or find better evidence."""
    if not state["fault"] or broken(state):
        return "good enough"
    another_draft_helps = state["fault"] == "another language" or (
        state["fault"] == "unsupported" and settings.unsupported == "regenerate"
    )
    if (
        another_draft_helps
        and state["drafts"] < settings.max_drafts
        and not state["whole"]
        and not exhausted(state, settings)
    ):
        return "write again"
    if state["fault"] == "another language":
        return "good enough"
    # Better evidence does not mend a judge that cannot be read.
    remedy = next_remedy(state, settings) if state["fault"] != "unchecked" else None
    if remedy:
        return _SAY[remedy]
    return "good enough" if state["best_draft"]["support"] > 0 else "give up"
