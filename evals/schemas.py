"""The schemas that `datasets.load` knows, one adapter each, recognised by their keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..nodes.judges.verdict import RELEVANT, RETRIEVE, SUFFICES, SUPPORTED, USEFUL
from ..stores.errors import EvaluationError
from ..stores.passage import Document
from . import tasks
from .datasets import Kind, Labelled, Row, Task, label_of, language_of, text_of, texts_of


@dataclass(frozen=True)
class Schema:
    """How rows with certain keys are read."""

    name: str
    kind: Kind
    keys: frozenset[str]
    """All of these must be in the first row; the first schema that fits is taken."""
    labelled: Callable[[Row], Labelled | None] | None = None
    task: Callable[[Row], tuple[Task, list[Document]]] | None = None
    corpus: tasks.Corpus | None = None


def recognise(path: Path, row: Row) -> Schema:
    """The schema of a row. Raises EvaluationError that lists what is known."""
    for schema in SCHEMAS:
        if schema.keys <= row.keys():
            return schema
    known = "; ".join(f"{s.name}: {', '.join(sorted(s.keys))}" for s in SCHEMAS)
    raise EvaluationError(
        f"{path}: a row with the keys {', '.join(map(str, row))} fits no schema. Known are {known}."
    )


def _common(row: Row, text: str) -> dict[str, Any]:
    return {
        "id": str(row.get("id") or ""),
        "language": language_of(row, text),
        "source": str(row.get("source") or ""),
        "tier": str(row.get("tier") or ""),
    }


def _relevance(row: Row) -> Labelled:
    question = text_of(row, "question")
    label = row["relevant"] if "relevant" in row else row["label"]
    return Labelled(
        **_common(row, question),
        label=label_of(label, RELEVANT),
        question=question,
        texts=(text_of(row, "passage"),),
        title=str(row.get("title") or ""),
        group=question,
    )


def _support(row: Row) -> Labelled:
    texts = texts_of(row, "context" if "context" in row else "evidence")
    sentence = text_of(row, "answer" if "answer" in row else "sentence")
    return Labelled(
        **_common(row, sentence),
        label=label_of(row["label"], SUPPORTED),
        question=str(row.get("question") or ""),
        texts=texts,
        sentence=sentence,
        group=texts[0] if texts else sentence,
    )


def _retrieve(row: Row) -> Labelled:
    question = text_of(row, "text" if "text" in row else "question")
    history = tuple(
        str(turn["text"] if isinstance(turn, dict) else turn) for turn in row.get("history") or ()
    )
    return Labelled(
        **_common(row, question),
        label=label_of(row["label"], RETRIEVE),
        question=question,
        history=history,
        group=question,
    )


def _useful(row: Row) -> Labelled:
    question = text_of(row, "question")
    return Labelled(
        **_common(row, question),
        label=label_of(row["label"], USEFUL),
        question=question,
        sentence=text_of(row, "answer"),
        group=question,
    )


def _suffices(row: Row) -> Labelled:
    question = text_of(row, "question")
    return Labelled(
        **_common(row, question),
        label=label_of(row["label"], SUFFICES),
        question=question,
        texts=texts_of(row, "passages"),
        group=question,
    )


def _keys(names: str) -> frozenset[str]:
    return frozenset(names.split())


SCHEMAS = (
    Schema("RGB", "qa", _keys("positive_groups negative question answers"), task=tasks.rgb),
    Schema("RGB", "qa", _keys("positive negative question answers"), task=tasks.rgb),
    Schema("multihop", "qa", _keys("paragraphs question answer"), task=tasks.multihop),
    Schema(
        "MultiHop-RAG", "qa", _keys("evidence_ids question_type answerable question answer"),
        task=tasks.multihoprag, corpus=tasks.beside("multihoprag_corpus.jsonl"),
    ),
    Schema(
        "ClapNQ", "qa", _keys("passage sentences answerable answers question"), task=tasks.clapnq
    ),
    Schema(
        "MTRAG", "qa", _keys("gold_passage_ids answerability history question"),
        task=tasks.mtrag, corpus=tasks.beside("mtrag_corpus.jsonl"),
    ),
    Schema(
        "CMRC", "qa", _keys("passage_ids question answers"),
        task=tasks.cmrc, corpus=tasks.beside("cmrc_zh_passages.jsonl"),
    ),
    Schema(
        "DuReader", "qa", _keys("question_type fact_or_opinion passages answers"),
        task=tasks.dureader,
    ),
    Schema("long documents", "qa", _keys("doc_id document question answers"), task=tasks.longdoc),
    Schema(
        "long documents", "qa", _keys("doc_id question answers kind"),
        task=tasks.longdoc, corpus=tasks.beside("longdoc_docs_*.jsonl"),
    ),
    Schema("relevance", "relevance", _keys("question passage relevant"), labelled=_relevance),
    Schema("support", "support", _keys("context answer label"), labelled=_support),
    Schema("retrieve", "retrieve", _keys("text history label"), labelled=_retrieve),
    Schema("relevance", "relevance", _keys("question passage label"), labelled=_relevance),
    Schema("support", "support", _keys("sentence evidence label"), labelled=_support),
    Schema("suffices", "suffices", _keys("question passages label"), labelled=_suffices),
    Schema("useful", "useful", _keys("question answer label"), labelled=_useful),
    Schema("retrieve", "retrieve", _keys("question label"), labelled=_retrieve),
    Schema("questions", "qa", _keys("question answers"), task=tasks.own_qa),
    Schema("questions", "qa", _keys("question answer"), task=tasks.own_qa),
)  # fmt: skip
"""In the order in which they are tried: schemas with more keys first."""
