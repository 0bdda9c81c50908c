"""What questions are run over: a folder as their corpus, or a corpus without their evidence."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from ..stores.errors import EvaluationError
from ..stores.loading import load
from .datasets import Dataset


def with_documents(found: Dataset, folder: Path) -> Dataset:
    """Give the data set with the files of a folder (or one file) as its documents.

    The id of a document is its path below the folder; `evidence` names such paths. Raises
    LoadError for a path that is not there, EvaluationError when it holds no text or lacks evidence
    that the questions name.
    """
    documents, skipped = load([folder])
    if not documents:
        why = f": {next(iter(skipped.values()))}" if skipped else ""
        raise EvaluationError(f"{folder} holds no text{why}")
    by_id = {document["id"]: document for document in documents}
    for task in found.tasks:
        for id in task.evidence_ids:
            if id not in by_id:
                raise EvaluationError(
                    f"{found.name}: {folder} lacks {id!r}, the evidence of {task.question!r:.60}."
                )
    told = hashlib.sha256(found.sha256.encode())
    for id, document in sorted(by_id.items()):
        told.update(f"\n{id}\n{document['text']}".encode())
    tasks = tuple(replace(task, document_ids=()) for task in found.tasks)
    return replace(found, sha256=told.hexdigest(), tasks=tasks, documents=by_id)


def without_evidence(found: Dataset) -> Dataset:
    """Take the evidence out of each question's own documents: only a refusal is right then.

    Questions without labelled evidence, or with nothing else in their corpus, are left out. This is
    RGB's test of refusing (Chen et al., AAAI 2024).
    """
    tasks = []
    for task in found.tasks:
        rest = tuple(id for id in task.document_ids if id not in task.evidence_ids)
        if task.evidence_ids and rest:
            tasks.append(
                replace(task, document_ids=rest, evidence_ids=(), answers=(), answerable=False)
            )
    if not tasks:
        raise EvaluationError(
            f"{found.name} has no question with evidence among other documents of its own."
        )
    told = hashlib.sha256(f"{found.sha256} without evidence".encode()).hexdigest()
    return replace(found, sha256=told, tasks=tuple(tasks))
