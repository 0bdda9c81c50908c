"""Begin a question: make it stand alone, and set every key of the state anew."""

from __future__ import annotations

import re
from typing import cast

from ..graph.answer import WeighedDraft
from ..graph.prompts import fill
from ..graph.state import State
from .conversation import newest_question
from .followups import leans_on_history, restate_offline
from .judges.fence import fence
from .judges.replies import Restated
from .person import clarified
from .run import Run
from .steps import Ask, Reply, Steps
from .tiers import may_mend, rounds_allowed, tier_of
from .trust import check_judges
from .writers.draft import Draft

LONGEST_QUESTION = 4_000
"""Characters. A pasted log is cut to its beginning and end, where the question stands."""


def restate_question(state: State, run: Run) -> Steps[State]:
    """Take the question from the input and forget what the last question of the thread left."""
    asked, history = newest_question(state)
    asked = cut_long(asked, run)
    asked = yield from clarified(run, asked, history)
    fresh = fresh_state(asked, asked, state, run)
    check_judges(run, fresh["tier"]["level"])
    history = history[-run.settings.history_messages :] if run.settings.history_messages else []
    if history and leans_on_history(asked):
        question = yield from _restated(run, asked, history)
        fresh = fresh_state(question, asked, state, run)
    return fresh


def cut_long(asked: str, run: Run) -> str:
    """Shorten what no search can use, with a warning; the end holds the question most often."""
    if len(asked) <= LONGEST_QUESTION:
        return asked
    run.warn(
        f"The question has {len(asked)} characters; "
        f"only its first and last {LONGEST_QUESTION // 2} were used."
    )
    half = LONGEST_QUESTION // 2
    return f"{asked[:half]}\n...\n{asked[-half:]}"


def _restated(run: Run, asked: str, history: list[str]) -> Steps[str]:
    if not run.has_model("judge"):
        return restate_offline(asked, history)
    prompt = fill(
        run.settings.restate_question_prompt,
        history=fence("history", "\n".join(line[:2_000] for line in history)),
        message=fence("question", asked),
    )
    replies: list[Reply] = yield Ask(
        run.node, "judge", (prompt,), Restated, text_field="question", max_tokens=200
    )
    restated = str(replies[0].fields.get("question") or "").strip()
    if replies[0].finish != "stop" or not restated:
        run.warn(f"{run.node}: the follow-up was restated without the model ({replies[0].finish}).")
        return restate_offline(asked, history)
    return re.sub(r"\s+", " ", restated)


def fresh_state(question: str, asked: str, state: State, run: Run) -> State:
    """Every key that an edge or a node reads, as it is when nothing has happened yet."""
    tier = tier_of(asked, state, run.settings)
    return {
        "question": question,
        "asked": asked,
        "where": state.get("where") or {},
        "flags": state.get("flags") or [],
        "remedies": possible_remedies(run) if may_mend(tier, run.settings) else [],
        "costs_calls": run.has_model("judge", "grade_passages")
        or run.has_model("writer", "generate"),
        "max_rounds": rounds_allowed(tier, run.settings),
        "tier": tier,
        "decision": {},
        "query": question,
        "searching": [question],
        "rounds": 0,
        "failure": "",
        "found": [],
        "queries": [],
        "stalled": False,
        "asked_elsewhere": False,
        "grades": [],
        "kept": [],
        "relevance": "incorrect",
        "ahead": {},
        "why_not": "",
        "context": [],
        "selection": {},
        "whole": {},
        "draft": _NO_DRAFT,
        "drafts": 0,
        "drafted_from": [],
        "grounding": [],
        "usefulness": {"rating": 0, "how": "none", "why": ""},
        "best_draft": _NO_BEST,
        "fault": "",
        "shown": "",
        "shown_citations": [],
        "stopped_by": "done",
        "answer": {},
    }


_NO_DRAFT: Draft = {
    "text": "",
    "answerable": False,
    "missing": "",
    "citations": [],
    "uncited": [],
    "warnings": [],
}


_NO_BEST = cast(WeighedDraft, {})


def possible_remedies(run: Run) -> list[str]:
    """The remedies of the settings that this graph has the parts for."""
    have = {
        "search_again": True,
        "search_elsewhere": run.engine.elsewhere is not None,
        "read_whole": run.engine.documents is not None,
    }
    return [remedy for remedy in run.settings.remedies if have[remedy]]
