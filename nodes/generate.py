"""Write a draft from the selected context, or find that it does not hold the answer."""

from __future__ import annotations

from ..graph.state import State
from .run import Run
from .steps import Steps
from .writers import extractive, model
from .writers.feedback import feedback_on, in_their_language


def generate(state: State, run: Run) -> Steps[State]:
    """One call both answers and routes: `answerable` is a typed field (Self-Route, section 4.1)."""
    question, context = state["question"], state["context"]
    if not context:
        draft = model.not_answerable("no passage fits into the context")
    elif state["ahead"].get("kept") and not state["best_draft"]:
        draft = state["ahead"]["draft"]
    elif run.has_model("writer"):
        feedback = ""
        if state["drafts"]:
            best = state["best_draft"].get("grounding", [])
            attempt = state["drafts"] + 1
            feedback = feedback_on(attempt, best, state["grounding"])
            if state["fault"] == "another language":
                feedback += in_their_language(attempt, question)
        draft = yield from model.write(run, question, context, feedback)
    else:
        draft = extractive.write(
            question,
            context,
            run.judge,
            max_tokens=run.settings.answer_tokens,
            count_tokens=run.count_tokens,
        )
        if draft["answerable"] and run.streams_live:
            run.say(draft["text"])
    return {
        "draft": draft,
        "shown_citations": draft["citations"] if run.said else state["shown_citations"],
        "drafts": state["drafts"] + 1,
        "why_not": state["why_not"] if draft["answerable"] else draft["missing"],
    }
