"""What a statement of a draft stands on, and what the verdicts on its statements amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...stores.passage import Passage
from ..judges.panel import PARTLY
from ..judges.verdict import Verdict
from .draft import Draft, Grounding, Usefulness
from .units import Unit


def in_context(unit: Unit, question: str) -> tuple[str, str]:
    """What is needed to understand a statement, and the statement, as the judges take them.

    A short answer says nothing without its question: "Emma Raducanu".
    """
    return " ".join((question, *unit.before)), unit.text


def evidence_for(unit: Unit, draft: Draft, context: Sequence[Passage]) -> list[Passage]:
    """The passages that a statement cites; all of the context when it cites none."""
    cited = [each for each in draft["citations"] if each["marker"] in unit.markers]
    ids = {each["passage_id"] for each in cited}
    quoted = [
        passage
        for passage in context
        if passage["id"] in ids
        or any(  # a stretch of a document that was read whole, round the quote
            each["document_id"] == passage["document_id"]
            and passage["start"] <= each["start"]
            and each["end"] <= passage["end"]
            for each in cited
        )
    ]
    return quoted or list(context)


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


def usefulness_of(verdict: Verdict) -> Usefulness:
    """The rating as the answer shows it: 1 to 5, or 0 when none could be read."""
    rating = 0 if verdict.unclear else int(verdict.label)
    return {"rating": rating, "how": verdict.how, "why": verdict.why}


def support_of(grounding: Sequence[Mapping[str, Any]]) -> float:
    """Share of the sentences that are borne out, 0 to 1; no sentences is no support."""
    worth = {"full": 1.0, "partial": PARTLY}
    if not grounding:
        return 0.0
    return sum(worth.get(said["verdict"], 0.0) for said in grounding) / len(grounding)
