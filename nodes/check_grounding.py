"""Check each sentence of the draft against the evidence it stands on (Self-RAG, support)."""

from __future__ import annotations

from ..graph.state import State
from .judges import panel
from .run import Run
from .steps import Steps
from .writers.evidence import evidence_for, grounding_of, in_context
from .writers.units import units


def check_grounding(state: State, run: Run) -> Steps[State]:
    """Judge every statement alone, all at once; the question and the ones before are its context.

    A draft that was chosen among several brings its verdicts with it.
    """
    draft = state["draft"]
    if checked := draft.get("checked"):
        return {"grounding": checked["grounding"]}
    statements = units(draft["text"])
    evidence = [evidence_for(unit, draft, state["context"]) for unit in statements]
    sentences = [in_context(unit, state["question"]) for unit in statements]
    verdicts = yield from panel.supported(run, sentences, evidence)
    return {"grounding": grounding_of(statements, evidence, verdicts)}
