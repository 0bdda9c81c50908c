"""Questions with passages that do, or do not, hold the answer: what the offline writer is fitted
and measured on.

Passages are the top five by BM25 over each set's own passages. Where a set has no unanswerable
questions, the passages that hold the answer are taken out of the ranking; for Chinese that is done
among pieces of one document, too, so that what is left is on topic. RGB only measures.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..stores.errors import EvaluationError
from ..stores.lexical import LexicalSearch
from ..stores.passage import Document, Passage
from ..stores.protocols import Where
from ..stores.text import fold, sentences, terms

TOP = 5
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One question before a set of passages."""

    group: str
    language: Literal["en", "zh"]
    question: str
    passages: tuple[Passage, ...]
    answerable: bool | None
    """None when nobody knows: the passage with the answer was not found."""
    answers: tuple[tuple[str, ...], ...] = ()
    """Parts that must all be there, each in any of its spellings."""
    by_words: bool = False
    """Scored by word F1 with a written answer, else by whether it contains the answer."""

    @property
    def held_out(self) -> bool:
        """Which half of the questions a case is in, settled by a hash of the question."""
        return hashlib.sha1(self.question.encode()).digest()[-1] % 2 == 1


@dataclass
class Shelf:
    """Passages as they are, for lexical search."""

    kept: list[Passage]

    def passages(self, where: Where | None = None) -> list[Passage]:
        return self.kept

    def document_ids(self) -> list[str]:
        return [each["document_id"] for each in self.kept]

    def read(self, document_id: str) -> Document:
        raise KeyError(document_id)

    async def aread(self, document_id: str) -> Document:
        raise KeyError(document_id)

    def __len__(self) -> int:
        return len(self.kept)


def passage(identity: str, text: str, title: str | None = None, start: int = 0) -> Passage:
    """A passage that is a document of its own."""
    return Passage(
        id=identity,
        document_id=identity,
        text=text,
        start=start,
        end=start + len(text),
        title=title or "",
    )


def searcher(kept: list[Passage]) -> Callable[[str, Collection[str]], tuple[Passage, ...]]:
    """A function from a question, and ids to leave out, to the best five passages."""
    found = LexicalSearch(Shelf(kept))

    def search(question: str, without: Collection[str] = ()) -> tuple[Passage, ...]:
        hits = found.search(question, TOP + len(without))
        return tuple(hit for hit in hits if hit["id"] not in without)[:TOP]

    return search


def all_cases(folder: Path, sets: Sequence[str] = ()) -> list[Case]:
    """The cases of the named sets (all by default) that have any passage at all."""
    unknown = set(sets) - MAKERS.keys()
    if unknown:
        raise EvaluationError(f"There is no set {min(unknown)!r}. Use: {', '.join(MAKERS)}.")
    chosen = sets or tuple(MAKERS)
    return [case for name in chosen for case in MAKERS[name](folder) if case.passages]


def _rows(folder: Path, name: str) -> list[Row]:
    path = folder / f"{name}.jsonl"
    if not path.exists():
        raise EvaluationError(f"{path} is not there. Name the folder that holds it with --data.")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def clapnq(folder: Path) -> Iterator[Case]:
    """ClapNQ: each question with its own passage, with the best five, and without its article."""
    rows = _rows(folder, "clapnq")
    own = {row["id"]: passage(row["id"], row["passage"], row["title"]) for row in rows}
    search = searcher(list(own.values()))
    for row in rows:
        question, yes = row["question"], bool(row["answerable"])
        written = (tuple(each["answer"] for each in row["answers"]),) if yes else ()
        top = search(question, ())
        found = any(each["id"] == row["id"] for each in top)
        yield Case("clapnq own", "en", question, (own[row["id"]],), yes, written, True)
        known = None if yes and not found else yes
        yield Case("clapnq top 5", "en", question, top, known, written, True)
        if yes:
            article = {each["id"] for each in rows if each["title"] == row["title"]}
            yield Case("clapnq without", "en", question, search(question, article), False)


def mtrag(folder: Path) -> Iterator[Case]:
    """MTRAG: stand-alone questions over its small corpus.

    Its other passages often answer, too, so that none are made up that should be declined.
    """
    kept = [passage(r["id"], r["text"], r["title"]) for r in _rows(folder, "mtrag_corpus")]
    search, by_id = searcher(kept), {each["id"]: each for each in kept}
    for row in _rows(folder, "mtrag_tasks"):
        question = row["rewrite_by_model"] or (row["question"] if row["turn"] == 1 else "")
        if not question or row["answerability"] not in ("ANSWERABLE", "UNANSWERABLE"):
            continue
        gold, written = row["gold_passage_ids"], ((row["reference_answer"],),)
        top = search(question, ())
        if row["answerability"] == "UNANSWERABLE":
            yield Case("mtrag top 5", "en", question, top, False)
            continue
        known = True if any(each["id"] in gold for each in top) else None
        yield Case("mtrag top 5", "en", question, top, known, written, True)
        right = tuple(by_id[one] for one in gold if one in by_id)[:TOP]
        yield Case("mtrag gold", "en", question, right, True, written, True)


def cmrc(folder: Path) -> Iterator[Case]:
    """CMRC 2018: over whole passages, and over pieces of them so that refusals are on topic."""
    rows = _rows(folder, "cmrc_zh_passages")
    whole = [passage(row["id"], row["text"], row["title"]) for row in rows]
    pieces = [piece for row in rows for piece in _cut(row, 140)]
    search, search_pieces = searcher(whole), searcher(pieces)
    for row in _rows(folder, "cmrc_zh_questions"):
        own = set(row["passage_ids"])
        yield from _with_and_without("cmrc", row, search, own)
        near = [piece for piece in pieces if piece["id"].split("/")[0] in own]
        yield from _with_and_without("cmrc pieces", row, search_pieces, _holding(near, row))


def longdoc_zh(folder: Path) -> Iterator[Case]:
    """MultiFieldQA-zh: pieces of one long document, with and without those that hold the answer."""
    documents = {row["id"]: _cut(row, 300) for row in _rows(folder, "longdoc_docs_zh")}
    searches = {one: searcher(pieces) for one, pieces in documents.items()}
    for row in _rows(folder, "longdoc_qa"):
        if row["doc_id"] in documents:
            holding = _holding(documents[row["doc_id"]], row)
            yield from _with_and_without("longdoc zh", row, searches[row["doc_id"]], holding)


def drcd(folder: Path) -> Iterator[Case]:
    """DRCD: a paragraph that answers, or another of the same article."""
    for row in _rows(folder, "relevance_pairs"):
        if row["source"] == "DRCD":
            one = passage(row["id"], row["passage"], row["title"])
            yield Case("drcd", "zh", row["question"], (one,), bool(row["relevant"]))


def rgb(folder: Path) -> Iterator[Case]:
    """RGB: two passages with the answer among three without, and only those without."""
    for name in ("rgb_en_fact", "rgb_zh_fact", "rgb_zh_refine"):
        for row in _rows(folder, name):
            right, wrong = (
                [passage(f"{row['id']} {side} {i}", text) for i, text in enumerate(row[side])]
                for side in ("positive", "negative")
            )
            mixed = sorted(right[:2] + wrong[:3], key=_shuffled)
            parts = tuple(tuple(part) for part in row["answers"])
            yield Case(name, row["lang"], row["question"], tuple(mixed), True, parts)
            yield Case(name, row["lang"], row["question"], tuple(wrong[:TOP]), False)


def _with_and_without(
    group: str,
    row: Row,
    search: Callable[[str, Collection[str]], tuple[Passage, ...]],
    holding: set[str],
) -> Iterator[Case]:
    """The best five, and the best five of those that do not hold the answer."""
    if holding:
        question, answers = row["question"], (tuple(row["answers"]),)
        top = search(question, ())
        known = True if any(each["id"] in holding for each in top) else None
        yield Case(group, "zh", question, top, known, answers)
        yield Case(f"{group} without", "zh", question, search(question, holding), False)


def _holding(pieces: Sequence[Passage], row: Row) -> set[str]:
    wanted = ["".join(terms(answer)) for answer in row["answers"]]
    return {
        piece["id"]
        for piece in pieces
        if any(answer and answer in "".join(terms(piece["text"])) for answer in wanted)
        or any(fold(answer) in fold(piece["text"]) for answer in row["answers"])
    }


def _cut(row: Row, signs: int) -> list[Passage]:
    """Pieces of whole sentences, about so many signs long."""
    pieces: list[Passage] = []
    start = 0
    spans = sentences(row["text"])
    for span in spans:
        if span.end - start >= signs or span is spans[-1]:
            text = row["text"][start : span.end]
            pieces.append(passage(f"{row['id']}/{len(pieces)}", text, row.get("title"), start))
            start = span.end
    return pieces


def _shuffled(one: Passage) -> bytes:
    return hashlib.sha1(one["id"].encode()).digest()


MAKERS: dict[str, Callable[[Path], Iterator[Case]]] = {
    "clapnq": clapnq,
    "mtrag": mtrag,
    "cmrc": cmrc,
    "longdoc_zh": longdoc_zh,
    "drcd": drcd,
    "rgb": rgb,
}
FITTED = ("clapnq", "mtrag", "cmrc", "longdoc_zh", "drcd")
"""Sets whose terms allow that figures fitted on them are shipped."""
