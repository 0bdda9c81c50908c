"""Check each sentence of the draft against the evidence it stands on (Self-RAG, support)."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.state import Grounding, State
from ..stores.passage import Passage
from .judges import panel
from .judges.verdict import Verdict
from .run import Run
from .steps import Steps
from .writers.units import Unit, units


def check_grounding(state: State, run: Run) -> Steps[State]:
    """Judge every statement alone, the ones before it as context, all at once."""
    statements = units(state["draft"]["text"])
    evidence = [evidence_for(unit, state) for unit in statements]
    sentences = [(" ".join(unit.before), unit.text) for unit in statements]
    verdicts = yield from panel.supported(run, sentences, evidence)
    return {"grounding": grounding_of(statements, evidence, verdicts)}


def evidence_for(unit: Unit, state: State) -> list[Passage]:
    """The passages that a statement cites; all of the context when it cites none."""
    cited = {
        citation["passage_id"]
        for citation in state["draft"]["citations"]
        if citation["marker"] in unit.markers
    }
    quoted = [passage for passage in state["context"] if _serves(passage, cited, unit, state)]
    return quoted or list(state["context"])


def _serves(passage: Passage, cited: set[str], unit: Unit, state: State) -> bool:
    """True when the passage is cited, or holds a quote that is (of a document read whole)."""
    if passage["id"] in cited:
        return True
    return any(
        citation["marker"] in unit.markers
        and citation["document_id"] == passage["document_id"]
        and passage["start"] <= citation["start"]
        and citation["end"] <= passage["end"]
        for citation in state["draft"]["citations"]
    )


def grounding_of(
    statements: Sequence[Unit],
    evidence: Sequence[Sequence[Passage]],
    verdicts: Sequence[Verdict],
) -> list[Grounding]:
    """The verdicts as the answer shows them, with the passages that bear a sentence out."""
    return [
        {
            "sentence": unit.text,
            "verdict": verdict.label,
            "passage_ids": [p["id"] for p in shown] if verdict.label in ("full", "partial") else [],
            "how": verdict.how,
            "why": verdict.why,
        }
        for unit, shown, verdict in zip(statements, evidence, verdicts, strict=True)
    ]
