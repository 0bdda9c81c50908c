"""Rate how useful the draft is to someone who asked the question, apart from its support."""

from __future__ import annotations

from ..graph.state import State
from ..stores.errors import ModelError
from .judges import panel
from .judges.verdict import UNCLEAR, Verdict
from .run import Run
from .steps import Steps


def check_usefulness(state: State, run: Run) -> Steps[State]:
    """Rate 1 to 5 (Self-RAG, usefulness); 0 when no rating could be read, which ends nothing."""
    try:
        verdict = yield from panel.useful(run, state["question"], state["draft"]["text"])
    except ModelError as error:
        verdict = Verdict(UNCLEAR, why=str(error))
    rating = 0 if verdict.unclear else int(verdict.label)
    return {"usefulness": {"rating": rating, "how": verdict.how, "why": verdict.why}}
