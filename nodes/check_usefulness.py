"""Rate how useful the draft is to someone who asked the question, apart from its support."""

from __future__ import annotations

from ..graph.state import State
from ..stores.errors import ModelError
from .judges import panel
from .judges.verdict import UNCLEAR, Verdict
from .run import Run
from .steps import Steps
from .writers.evidence import usefulness_of


def check_usefulness(state: State, run: Run) -> Steps[State]:
    """Rate 1 to 5 (Self-RAG, usefulness); 0 when no rating could be read, which ends nothing."""
    if checked := state["draft"].get("checked"):
        return {"usefulness": checked["usefulness"]}
    try:
        verdict = yield from panel.useful(run, state["question"], state["draft"]["text"])
    except ModelError as error:
        verdict = Verdict(UNCLEAR, why=str(error))
    return {"usefulness": usefulness_of(verdict)}
