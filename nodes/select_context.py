"""Spend the token budget: choose, from what was kept, what goes into the prompt."""

from __future__ import annotations

from typing import cast

from ..graph.state import SelectionRecord, State
from .context import select
from .refining import refined
from .run import Run
from .steps import Steps

PROMPT_TOKENS = 300
"""Kept free for the instructions, on top of the question and the answer."""


def select_context(state: State, run: Run) -> Steps[State]:
    """Refine the kept passages to what matters, and pack them under the ceiling."""
    yield from ()  # asks nothing of anyone
    kept = refined(state["question"], state["kept"], run)
    budget = budget_of(state, run)
    chosen = select(
        kept,
        state["question"],
        budget,
        selector=run.settings.selector,
        count_tokens=run.count_tokens,
        order=run.settings.context_order,
        mmr_lambda=run.settings.mmr_lambda,
        agreement_share=run.settings.agreement_share,
    )
    if chosen.trimmed:
        run.warn(f"{run.node}: trimmed to fit the context: {', '.join(chosen.trimmed)}")
    return {
        "context": list(chosen.passages),
        "drafts": 0,
        "drafted_from": [passage["id"] for passage in state["kept"]],
        "selection": cast(SelectionRecord, {**chosen.summary(), "budget": budget}),
    }


def budget_of(state: State, run: Run) -> int:
    """Tokens for the formatted context: the ceiling, less when the window is small."""
    settings = run.settings
    taken = PROMPT_TOKENS + settings.answer_tokens + run.count_tokens(state["question"])
    return max(0, min(settings.context_tokens, settings.context_window - taken))
