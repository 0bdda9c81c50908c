"""Decide whether the question needs sources: rules first, then, if asked for, the judge."""

from __future__ import annotations

from ..graph.answer import Decision
from ..graph.state import State
from .conversation import lines_of
from .judges import panel
from .judges.rules import match
from .run import Run
from .steps import Steps
from .whole import read_all_at_once


def decide_retrieval(state: State, run: Run) -> Steps[State]:
    """Let small talk past the search in milliseconds; when in doubt, sources are needed."""
    if rule := match(state["asked"]):
        by_rule: Decision = {
            "needs_sources": False,
            "rule": rule.id,
            "reason": rule.why,
            "how": "rule",
        }
        return {"decision": by_rule}
    decision: Decision = {
        "needs_sources": True,
        "rule": "",
        "reason": "no rule lets it past the search",
        "how": "rule",
    }
    if run.settings.ask_retrieval:
        verdict = yield from panel.retrieve(run, state["question"], _history(state, run))
        decision = {
            "needs_sources": verdict.label not in ("no", "continue"),
            "rule": "",
            "reason": verdict.why or f"the judge says {verdict.label}",
            "how": verdict.how,
        }
    if decision["needs_sources"] and (why := (yield from read_all_at_once(state, run))):
        decision = {**decision, "read_all": True, "reason": why}
    return {"decision": decision}


def _history(state: State, run: Run) -> list[str]:
    lines = lines_of(state.get("messages") or [])
    return lines[-run.settings.history_messages :] if run.settings.history_messages else []
