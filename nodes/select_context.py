"""Spend the token budget: choose, from what was kept, what goes into the prompt."""

from __future__ import annotations

from typing import cast

from ..graph.answer import SelectionRecord
from ..graph.state import State
from .context import select
from .refining import budget_of, refined
from .run import Run
from .searching import lean
from .steps import Embed, Steps

NEED_VECTORS = ("mmr", "novelty")
"""Selectors that compare meanings; for the others no vectors are made."""


def select_context(state: State, run: Run) -> Steps[State]:
    """Refine the kept passages to what matters, and pack them under the ceiling."""
    if (ahead := state["ahead"]).get("kept") and not state["best_draft"]:
        ids = [passage["id"] for passage in ahead["passages"]]
        chosen_before: SelectionRecord = {"selector": "ahead of the grades", "fell_back": ""}
        return {
            "context": ahead["passages"],
            "drafts": 0,
            "drafted_from": ids,
            "selection": chosen_before,
        }
    budget = budget_of(state, run)
    kept = refined(state["question"], state["kept"], run, budget)
    asked_vector = None
    if kept and run.settings.selector in NEED_VECTORS and run.engine.embed is not None:
        texts = (state["question"], *(passage["text"] for passage in kept))
        asked_vector, *vectors = yield Embed(texts)
        kept = [{**one, "vector": vector} for one, vector in zip(kept, vectors, strict=True)]
    chosen = select(
        kept,
        state["question"],
        budget,
        selector=run.settings.selector,
        count_tokens=run.count_tokens,
        order=run.settings.context_order,
        mmr_lambda=run.settings.mmr_lambda,
        agreement_share=run.settings.agreement_share,
        question_vector=asked_vector,
    )
    if chosen.trimmed:
        run.warn(f"{run.node}: trimmed to fit the context: {', '.join(chosen.trimmed)}")
    return {
        "context": [lean(passage, state["question"]) for passage in chosen.passages],
        "drafts": 0,
        "drafted_from": [passage["id"] for passage in state["kept"]],
        "selection": cast(SelectionRecord, {**chosen.summary(), "budget": budget}),
    }
