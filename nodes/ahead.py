"""Writing while grading: a draft from the best passages, kept if the grades keep them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ..graph.answer import Ahead
from ..graph.state import State
from ..stores.passage import Passage
from .context.formatting import format_context
from .refining import budget_of
from .run import Run
from .searching import lean
from .steps import Reply, Start, Started, Steps, Wait
from .writers.model import asked_of, draft_of
from .writers.streaming import HeldWords, SettledWords

BEST = 3
"""Passages that the draft is written from. The more, the rarer all of them are kept."""


@dataclass(frozen=True)
class Guess:
    """A draft that is being written."""

    started: Started
    passages: list[Passage]
    words: HeldWords
    tokens: int
    """Of its prompt."""
    began: float


def start(state: State, run: Run) -> Steps[Guess | None]:
    """Begin to write from the best passages of the first search, where that is wanted and fits."""
    passages = [lean(passage, state["question"]) for passage in state["found"][:BEST]]
    if not passages or not _may(state, run, passages):
        return None
    words = HeldWords(SettledWords(len(passages), run.say))
    run.on_token = words
    asked = asked_of(run, state["question"], passages, stream=run.streams_live)
    tokens = run.count_tokens(asked.prompts[0])
    began = time.monotonic()
    started: Started = yield Start(asked)
    return Guess(started, passages, words, tokens, began)


def _may(state: State, run: Run, passages: Sequence[Passage]) -> bool:
    """Only a first draft, and only where grading and another draft can be paid as well."""
    settings, rest = run.settings, run.left()
    if not settings.speculate or settings.candidates > 1 or state["rounds"] or state["kept"]:
        return False
    if not run.has_model("writer", "generate") or not run.has_model("judge"):
        return False
    per_draft = settings.context_tokens + settings.answer_tokens
    fits = run.count_tokens(format_context(passages)) <= budget_of(state, run)
    return fits and rest.calls > len(state["found"]) and rest.tokens >= 3 * per_draft


def settle(guess: Guess, graded: State, run: Run, question: str) -> Steps[Ahead]:
    """Keep the draft when every passage it is written from was kept, else end the writing.

    `graded` is what grading found. Who reads the stream is told it before the first word.
    """
    seconds = time.monotonic() - guess.began
    kept = {passage["id"] for passage in graded["kept"]}
    ids = {passage["id"] for passage in guess.passages}
    if graded["relevance"] != "correct" or not ids <= kept:
        guess.words.drop()
        guess.started.cancel()
        return {"kept": False, "calls": 1, "tokens": guess.tokens, "seconds_saved": 0.0}
    if run.settings.stream != "off":
        told = {key: graded[key] for key in ("relevance", "grades", "why_not")}
        run.emit({"event": "grades", **told})
    guess.words.open()
    replies: list[Reply] = yield Wait(guess.started)
    draft = draft_of(run, replies[0], guess.passages, question)
    usage = replies[0].usage
    saved = min(seconds, guess.started.seconds) if draft["answerable"] else 0.0
    return {
        "kept": draft["answerable"],
        "calls": usage.calls,
        "tokens": usage.input_tokens + usage.output_tokens,
        "seconds_saved": round(saved, 4),
        "draft": draft,
        "passages": guess.passages,
    }


def cost_of(ahead: Ahead) -> Ahead:
    """What it cost and saved, without the draft itself."""
    told = ahead.copy()
    told.pop("draft", None)
    told.pop("passages", None)
    return told
