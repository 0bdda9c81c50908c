"""Weigh the draft by what the checks said, and keep the best draft so far."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.answer import Fault, WeighedDraft
from ..graph.limits import broken, checks_of
from ..graph.settings import Settings
from ..graph.state import State
from .run import Run
from .steps import Steps
from .writers.draft import Grounding
from .writers.evidence import support_of
from .writers.language import in_another_language


def weigh_draft(state: State, run: Run) -> Steps[State]:
    """Name what is wrong with the draft, if anything, in words that a rewriter can use."""
    yield from ()  # asks nothing of anyone
    checks = checks_of(state, run.settings)
    # After a model failed for good, the verdicts may be those of an earlier draft.
    grounding = state["grounding"] if "drafted" in checks and not broken(state) else []
    rating = state["usefulness"]["rating"] if "rate it" in checks else 0
    if "rate it" in checks and not rating:
        run.warn(f"No rating of the draft: {state['usefulness']['why']}")
    draft = state["draft"].copy()
    fault = fault_of(checks, grounding, rating, run.settings)
    if not fault and in_another_language(draft["text"], state["question"]):
        fault = "another language"
        if state["drafts"] >= run.settings.max_drafts or state["whole"]:
            run.warn("The answer is not in the language of the question: no draft was.")
    draft.pop("checked", None)  # it stands in `grounding` and `usefulness` now
    weighed: WeighedDraft = {
        **draft,
        "route": "whole_document" if state["whole"] else "passages",
        "grounding": grounding,
        "support": support_of(grounding) if "drafted" in checks else 1.0,
        "usefulness": rating,
        "fault": fault,
    }
    return {
        "best_draft": better(state["best_draft"], weighed),
        "fault": fault,
        "why_not": why(fault, grounding) or state["why_not"],
    }


def fault_of(
    checks: Sequence[str], grounding: Sequence[Grounding], rating: int, settings: Settings
) -> Fault:
    """What is wrong with a draft.

    A sentence that could not be judged counts as not supported, but no remedy would mend that.
    """
    if "drafted" in checks and not grounding:
        return "unchecked"
    doubted = {said["verdict"] for said in grounding} - {"full"}
    if doubted:
        return "unchecked" if doubted == {"unclear"} else "unsupported"
    if "rate it" in checks and 0 < rating < settings.useful_from:
        return "off the point"
    return ""


def better(best: WeighedDraft, new: WeighedDraft) -> WeighedDraft:
    """The better of two drafts: by support, language, then usefulness; the earlier of equals."""
    if not best:
        return new
    old_key, new_key = (
        (one["support"], one["fault"] != "another language", one["usefulness"])
        for one in (best, new)
    )
    return new if new_key > old_key else best


def why(fault: Fault, grounding: Sequence[Grounding]) -> str:
    """The fault in words."""
    if fault == "unsupported":
        bad = [said["sentence"] for said in grounding if said["verdict"] != "full"]
        return f"not borne out by the evidence: {' '.join(bad)[:300]}"
    return "the answer does not serve the question" if fault == "off the point" else ""
