"""The schemas that `datasets.load` knows, one adapter each, recognised by their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..nodes.judges.verdict import RELEVANT, RETRIEVE, SUFFICES, SUPPORTED, USEFUL
from ..stores.errors import EvaluationError
from ..stores.passage import Document
from .datasets import Kind, Labelled, Row, Task, label_of, language_of, read_rows, text_of, texts_of

Corpus = Callable[[Path], Iterable[tuple[str, Document]]]


@dataclass(frozen=True)
class Schema:
    """How rows with certain keys are read."""

    name: str
    kind: Kind
    keys: frozenset[str]
    """All of these must be in the first row; the first schema that fits is taken."""
    labelled: Callable[[Row], Labelled | None] | None = None
    task: Callable[[Row], tuple[Task, list[Document]]] | None = None
    corpus: Corpus | None = None


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


def _document(id: str, text: str, title: Any = "", **more: Any) -> Document:
    found: Document = {"id": id, "text": text, "title": str(title or "")}
    if more:
        found["metadata"] = more
    return found


def _rgb(row: Row) -> tuple[Task, list[Document]]:
    groups = row.get("positive_groups") or [row["positive"]]
    good = [
        _document(f"{row['id']}#p{g}.{i}", text)
        for g, group in enumerate(groups)
        for i, text in enumerate(group)
    ]
    bad = [_document(f"{row['id']}#n{i}", text) for i, text in enumerate(row["negative"])]
    answers = tuple(tuple([part] if isinstance(part, str) else part) for part in row["answers"])
    question = text_of(row, "question")
    return Task(
        id=row["id"],
        question=question,
        answers=answers,
        evidence_ids=tuple(d["id"] for d in good),
        document_ids=tuple(d["id"] for d in good + bad),
        language=language_of(row, question),
        source=f"RGB/{row.get('subset', '')}",
        kind=str(row.get("ability") or ""),
    ), good + bad


def _multihop(row: Row) -> tuple[Task, list[Document]]:
    documents = [
        _document(f"{row['id']}#{p['pid']}", p["text"], p.get("title")) for p in row["paragraphs"]
    ]
    good = [f"{row['id']}#{p['pid']}" for p in row["paragraphs"] if p["supporting"]]
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=((row["answer"], *row.get("answer_aliases", ())),),
        evidence_ids=tuple(good),
        document_ids=tuple(d["id"] for d in documents),
        language=language_of(row, row["question"]),
        source=str(row.get("source") or ""),
        kind=str(row.get("type") or f"{row.get('hops')} hops"),
    ), documents


def _multihoprag(row: Row) -> tuple[Task, list[Document]]:
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=((row["answer"],),) if row["answerable"] else (),
        answerable=bool(row["answerable"]),
        evidence_ids=tuple(row["evidence_ids"]),
        source=str(row.get("source") or "MultiHop-RAG"),
        kind=str(row["question_type"]),
    ), []


def _clapnq(row: Row) -> tuple[Task, list[Document]]:
    documents = [_document(row["id"], row["passage"], row.get("title"))]
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=(tuple(a["answer"] for a in row["answers"]),) if row["answers"] else (),
        answerable=bool(row["answerable"]),
        evidence_ids=(row["id"],) if row["answerable"] else (),
        document_ids=(row["id"],),
        source="ClapNQ",
    ), documents


def _mtrag(row: Row) -> tuple[Task, list[Document]]:
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=((row["reference_answer"],),) if row.get("reference_answer") else (),
        answerable=row["answerability"] in ("ANSWERABLE", "PARTIAL"),
        evidence_ids=tuple(row["gold_passage_ids"]),
        history=tuple((turn["role"], turn["text"]) for turn in row["history"]),
        source=str(row.get("source") or "MTRAG"),
        kind=str(row["answerability"]).lower(),
    ), []


def _longdoc(row: Row) -> tuple[Task, list[Document]]:
    own = [_document(row["doc_id"], text_of(row, "document"))] if "document" in row else []
    answers = texts_of(row, "answers")
    return Task(
        id=str(row.get("id") or row["question"]),
        question=text_of(row, "question"),
        answers=(answers,) if answers else (),
        evidence_ids=(str(row["doc_id"]),),
        document_ids=(str(row["doc_id"]),),
        language=language_of(row, row["question"]),
        source=str(row.get("source") or ""),
        kind=str(row.get("kind") or ""),
    ), own


def _cmrc(row: Row) -> tuple[Task, list[Document]]:
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=(tuple(row["answers"]),),
        evidence_ids=tuple(row["passage_ids"]),
        language="zh",
        source=str(row.get("source") or "CMRC 2018"),
    ), []


def _dureader(row: Row) -> tuple[Task, list[Document]]:
    documents = [
        _document(f"{row['id']}#{p['pid']}", p["text"], p.get("title")) for p in row["passages"]
    ]
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=(tuple(row["answers"]),) if row["answers"] else (),
        document_ids=tuple(d["id"] for d in documents),
        language="zh",
        source="DuReader",
        kind=str(row["question_type"]),
    ), documents


def _own_qa(row: Row) -> tuple[Task, list[Document]]:
    question = text_of(row, "question")
    answers = texts_of(row, "answers" if "answers" in row else "answer")
    return Task(
        id=str(row.get("id") or question),
        question=question,
        answers=(answers,) if any(answers) else (),
        answerable=any(answers),
        language=language_of(row, question),
        source=str(row.get("source") or ""),
    ), []


def _beside(pattern: str) -> Corpus:
    """The corpus that stands in files beside the questions."""

    def corpus(path: Path) -> Iterator[tuple[str, Document]]:
        files = sorted(path.parent.glob(pattern))
        if not files:
            raise EvaluationError(f"{path} needs its corpus beside it: {pattern}.")
        for file in files:
            for _, row in read_rows(file):
                keep = {
                    k: row[k] for k in ("news_source", "published_at", "collection") if k in row
                }
                yield row["id"], _document(row["id"], row["text"], row.get("title"), **keep)

    return corpus


def _keys(names: str) -> frozenset[str]:
    return frozenset(names.split())


SCHEMAS = (
    Schema("RGB", "qa", _keys("positive_groups negative question answers"), task=_rgb),
    Schema("RGB", "qa", _keys("positive negative question answers"), task=_rgb),
    Schema("multihop", "qa", _keys("paragraphs question answer"), task=_multihop),
    Schema(
        "MultiHop-RAG", "qa", _keys("evidence_ids question_type answerable question answer"),
        task=_multihoprag, corpus=_beside("multihoprag_corpus.jsonl"),
    ),
    Schema("ClapNQ", "qa", _keys("passage sentences answerable answers question"), task=_clapnq),
    Schema(
        "MTRAG", "qa", _keys("gold_passage_ids answerability history question"),
        task=_mtrag, corpus=_beside("mtrag_corpus.jsonl"),
    ),
    Schema(
        "CMRC", "qa", _keys("passage_ids question answers"),
        task=_cmrc, corpus=_beside("cmrc_zh_passages.jsonl"),
    ),
    Schema(
        "DuReader", "qa", _keys("question_type fact_or_opinion passages answers"), task=_dureader
    ),
    Schema("long documents", "qa", _keys("doc_id document question answers"), task=_longdoc),
    Schema(
        "long documents", "qa", _keys("doc_id question answers kind"),
        task=_longdoc, corpus=_beside("longdoc_docs_*.jsonl"),
    ),
    Schema("relevance", "relevance", _keys("question passage relevant"), labelled=_relevance),
    Schema("support", "support", _keys("context answer label"), labelled=_support),
    Schema("retrieve", "retrieve", _keys("text history label"), labelled=_retrieve),
    Schema("relevance", "relevance", _keys("question passage label"), labelled=_relevance),
    Schema("support", "support", _keys("sentence evidence label"), labelled=_support),
    Schema("suffices", "suffices", _keys("question passages label"), labelled=_suffices),
    Schema("useful", "useful", _keys("question answer label"), labelled=_useful),
    Schema("retrieve", "retrieve", _keys("question label"), labelled=_retrieve),
    Schema("questions", "qa", _keys("question answers"), task=_own_qa),
    Schema("questions", "qa", _keys("question answer"), task=_own_qa),
)  # fmt: skip
"""In the order in which they are tried: schemas with more keys first."""
