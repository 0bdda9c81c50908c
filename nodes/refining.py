"""Knowledge refinement (CRAG, section 4.4): keep of each passage the strips that matter.

Cutting and putting together is `context.strips`; here is when it is done and how strips are
scored. What comes out is verbatim text of the document, with its offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..stores.passage import Passage
from .context.strips import cut_strips, refine
from .hops import LEADS_ON, worths

if TYPE_CHECKING:
    from ..graph.state import State
    from .run import Run

PROMPT_TOKENS = 300
"""Kept free for the instructions, on top of the question and the answer."""

LONG = 450
"""Tokens. `auto` leaves shorter passages whole: there, what strips save was worth less than the
sentences they lost (share of HotpotQA and MuSiQue questions with every labelled sentence in the
context of 900 tokens: .79 with strips, .82 without)."""


MOST_COMPARED = 150
"""Strips that are held against each other for steps: each against each, so not the tail."""


def refined(question: str, passages: Sequence[Passage], run: Run, budget: int = 0) -> list[Passage]:
    """Cut passages to their strips, where the settings ask for it; the order stays.

    Every passage was found relevant, so of each its best strip is kept in any case. `auto` cuts
    nothing when all of it fits into the budget (tokens): what there is room for is not noise.
    """
    mode = run.settings.refine
    if mode == "auto" and sum(run.count_tokens(one["text"]) for one in passages) <= budget:
        return list(passages)
    chosen = [
        passage
        for passage in passages
        if mode == "strips" or (mode == "auto" and run.count_tokens(passage["text"]) > LONG)
    ]
    if not chosen:
        return list(passages)
    scores = strip_scores(question, chosen, run)
    done: list[Passage] = []
    for passage in passages:
        own = scores.get(passage["id"])
        if own:
            floor = min(run.settings.relevance_lower, max(own.values()))
            done += refine([passage], own.__getitem__, floor)
        else:
            done.append(passage)
    return done


def strip_scores(
    question: str, passages: Sequence[Passage], run: Run
) -> dict[str, dict[str, float]]:
    """By passage id, the score of each strip by its text, 0 to 1.

    The offline judge scores them, since a passage has more strips than a model should be asked
    about. A strip that names what another passage is about is a step, as a whole passage is.
    """
    strips: list[Passage] = [
        {**passage, "id": f"{passage['id']} {at}", "text": strip.text}
        for passage in passages
        for at, strip in enumerate(cut_strips(passage["text"]))
        if not strip.heading
    ]
    verdicts = run.judge.relevant_many(question, strips)
    grades = {s["id"]: v.score or 0.0 for s, v in zip(strips, verdicts, strict=True)}
    best = sorted(strips, key=lambda strip: -grades[strip["id"]])[:MOST_COMPARED]
    worth = worths(question, best, grades)
    steps = {id for id, found in worth.items() if found.lead >= LEADS_ON}
    scores: dict[str, dict[str, float]] = {passage["id"]: {} for passage in passages}
    for strip in strips:
        id = strip["id"]
        score = max(grades[id], run.settings.relevance_lower * (id in steps))
        scores[id.rpartition(" ")[0]][strip["text"]] = score
    return scores


def budget_of(state: State, run: Run) -> int:
    """Tokens for the formatted context: the ceiling, less when the window is small."""
    settings = run.settings
    taken = PROMPT_TOKENS + settings.answer_tokens + run.count_tokens(state["question"])
    return max(0, min(settings.context_tokens, settings.context_window - taken))
