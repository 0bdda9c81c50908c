"""Decline honestly: say what was searched, what is missing, and what would help."""

from __future__ import annotations

from ..graph.state import State
from .run import Run
from .steps import Steps
from .writers.refusals import BROKEN, because, refusal


def refuse(state: State, run: Run) -> Steps[State]:
    """Word the refusal, in the language of the question."""
    yield from ()  # asks nothing of anyone
    missing = state["draft"]["missing"] or state["why_not"]
    text = refusal(
        state["question"],
        queries=[record["query"] for record in state["queries"]],
        missing=missing,
        failed=because(state["draft"], stopped_by=state["stopped_by"]) in BROKEN,
    )
    return {"draft": {**state["draft"], "text": text, "answerable": False, "missing": missing}}
