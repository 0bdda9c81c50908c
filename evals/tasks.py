"""Questions with a corpus: an adapter for each schema of `datasets.load` that holds tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..stores.errors import EvaluationError
from ..stores.passage import Document
from .datasets import Row, Task, language_of, read_rows, text_of, texts_of

Corpus = Callable[[Path], Iterable[tuple[str, Document]]]


def _document(id: str, text: str, title: Any = "", **more: Any) -> Document:
    found: Document = {"id": id, "text": text, "title": str(title or "")}
    if more:
        found["metadata"] = more
    return found


def rgb(row: Row) -> tuple[Task, list[Document]]:
    """RGB: evidence and noise of one question; every part of the answer is needed."""
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


def multihop(row: Row) -> tuple[Task, list[Document]]:
    """HotpotQA, MuSiQue, 2WikiMultihopQA: paragraphs of one question."""
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


def multihoprag(row: Row) -> tuple[Task, list[Document]]:
    """MultiHop-RAG: questions over the corpus beside them; some have no answer."""
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=((row["answer"],),) if row["answerable"] else (),
        answerable=bool(row["answerable"]),
        evidence_ids=tuple(row["evidence_ids"]),
        source=str(row.get("source") or "MultiHop-RAG"),
        kind=str(row["question_type"]),
    ), []


def clapnq(row: Row) -> tuple[Task, list[Document]]:
    """ClapNQ: one passage a question, which may hold no answer."""
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


def mtrag(row: Row) -> tuple[Task, list[Document]]:
    """MTRAG: the last turn of a conversation, over the corpus beside it."""
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


def longdoc(row: Row) -> tuple[Task, list[Document]]:
    """A question about one long document."""
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


def cmrc(row: Row) -> tuple[Task, list[Document]]:
    """CMRC 2018: Chinese questions over the passages beside them."""
    return Task(
        id=row["id"],
        question=text_of(row, "question"),
        answers=(tuple(row["answers"]),),
        evidence_ids=tuple(row["passage_ids"]),
        language="zh",
        source=str(row.get("source") or "CMRC 2018"),
    ), []


def dureader(row: Row) -> tuple[Task, list[Document]]:
    """DuReader: a Chinese search with its pages; no relevance labels."""
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


def own_qa(row: Row) -> tuple[Task, list[Document]]:
    """A user's own question and answer."""
    question = text_of(row, "question")
    answers = texts_of(row, "answers" if "answers" in row else "answer")
    return Task(
        id=str(row.get("id") or question),
        question=question,
        answers=(answers,) if any(answers) else (),
        answerable=any(answers),
        evidence_ids=texts_of(row, "evidence") if row.get("evidence") else (),
        language=language_of(row, question),
        source=str(row.get("source") or ""),
        kind=str(row.get("kind") or ""),
    ), []


def beside(pattern: str) -> Corpus:
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
