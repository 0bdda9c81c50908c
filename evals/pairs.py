"""Rows for a judge out of any data set: labelled ones as they are, others put together.

From questions with a corpus of their own come relevance pairs (evidence against the rest) and
sufficiency rows (all the evidence against what is left when one piece of it is taken away).
"""

from __future__ import annotations

from ..stores.errors import EvaluationError
from .datasets import Dataset, Labelled, Task

JUDGES = ("relevance", "support", "retrieve", "useful", "suffices")


def rows_for(judge: str, found: Dataset, per_question: int = 2) -> list[Labelled]:
    """The rows of a data set that this judge can be measured on.

    `per_question`: at most so many pairs of each class a question, where pairs are put together.
    Raises EvaluationError when the data set holds none.
    """
    if found.kind == judge:
        return list(found.rows)
    rows: list[Labelled] = []
    if judge == "relevance":
        rows = [row for task in found.tasks for row in _pairs(found, task, per_question)]
    elif judge == "suffices":
        rows = [row for task in found.tasks for row in _sufficiency(found, task)]
    elif judge == "retrieve":
        rows = [_needs_sources(task) for task in found.tasks]
    if not rows:
        raise EvaluationError(
            f"{found.name} holds {found.kind} rows, which say nothing about the {judge} judge. "
            "The columns that it needs stand in docs/calibrating.md."
        )
    return rows


def _texts(found: Dataset, ids: list[str]) -> tuple[str, ...]:
    texts = []
    for id in ids:
        document = found.documents[id]
        texts.append("\n".join(filter(None, (document.get("title", ""), document["text"]))))
    return tuple(texts)


def _pairs(found: Dataset, task: Task, per_question: int) -> list[Labelled]:
    ids = [id for id in task.document_ids if id in found.documents]
    if not ids or (task.answerable and not task.evidence_ids):
        return []
    good = [id for id in ids if id in task.evidence_ids][:per_question]
    bad = [id for id in ids if id not in task.evidence_ids][:per_question]
    return [
        Labelled(
            id=f"{task.id}/{id}",
            label="yes" if id in good else "no",
            question=task.question,
            texts=(found.documents[id]["text"],),
            title=found.documents[id].get("title", ""),
            language=task.language,
            source=task.source,
            group=task.question,
        )
        for id in good + bad
    ]


def _sufficiency(found: Dataset, task: Task) -> list[Labelled]:
    """Evidence with four other texts (yes), and the same without one piece of evidence (no)."""
    ids = [id for id in task.document_ids if id in found.documents]
    good = [id for id in ids if id in task.evidence_ids]
    others = [id for id in ids if id not in task.evidence_ids][:4]
    shown = [("yes", good + others)] if good else []
    if others or len(good) > 1 or not task.answerable:
        shown.append(("no", good[1:] + (others or ids)) if not good else ("no", good[1:] + others))
    return [
        Labelled(
            id=f"{task.id}/{label}",
            label=label,
            question=task.question,
            texts=_texts(found, some),
            language=task.language,
            source=task.source,
            group=task.question,
        )
        for label, some in shown
        if some
    ]


def _needs_sources(task: Task) -> Labelled:
    return Labelled(
        id=task.id,
        label="yes",
        question=task.question,
        history=tuple(text for _, text in task.history),
        language=task.language,
        source=task.source,
        group=task.question,
    )
