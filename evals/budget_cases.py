"""Questions with labelled evidence, as cases for measuring how a budget is spent.

A case is a question, candidates as a search would give them (BM25 scores, hashing vectors), and
the evidence that must be in the context. Each piece of evidence may be met in several ways.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..stores.embeddings import HashingEmbeddings
from ..stores.errors import EvaluationError
from ..stores.text import has_cjk, sentences, terms

POOL = 50
"""Candidates taken from a corpus for a question that comes without its own."""


class Proof(NamedTuple):
    """One way to meet a piece of evidence: this passage, with these stretches of it kept."""

    passage_id: str
    keeps: tuple[str, ...]


@dataclass(frozen=True)
class BudgetCase:
    """One question, what a search found for it, and what has to be in the context."""

    id: str
    kind: str
    question: str
    candidates: list[dict[str, Any]]
    evidence: list[list[Proof]]
    """One list of proofs a piece of evidence; any of them will do."""
    question_vector: list[float]

    def covered(self, passages: Iterable[Mapping[str, Any]]) -> float:
        """The share of the evidence that is in these passages, 0 to 1; cut-off text is not in."""
        texts = {str(p["id"]): str(p["text"]) for p in passages}
        met = sum(
            any(
                proof.passage_id in texts
                and all(part in texts[proof.passage_id] for part in proof.keeps)
                for proof in proofs
            )
            for proofs in self.evidence
        )
        return met / len(self.evidence)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSON Lines file. Raises EvaluationError when it cannot be read as that."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} cannot be read as JSON Lines: {error}") from error


def load_cases(path: Path) -> list[BudgetCase]:
    """Read a data set; its shape is told by its fields. Needs `bm25s`.

    `paragraphs` with `supporting` (HotpotQA, MuSiQue, 2WikiMultihopQA), `positive_groups` (RGB), or
    `evidence_ids` with the corpus beside it (MultiHop-RAG).
    """
    rows = read_rows(path)
    if not rows:
        raise EvaluationError(f"{path} holds no rows.")
    if "paragraphs" in rows[0]:
        return [case for row in rows if (case := _from_paragraphs(row))]
    if "positive_groups" in rows[0]:
        return [case for row in rows if (case := _from_groups(row))]
    if "evidence_ids" in rows[0]:
        corpus = path.with_name(path.name.replace("queries", "corpus"))
        return list(_from_corpus(rows, read_rows(corpus)))
    raise EvaluationError(
        f"{path} has none of the fields paragraphs, positive_groups, evidence_ids. "
        "Give a data set with labelled evidence."
    )


def _case(
    row: Mapping[str, Any], candidates: list[dict[str, Any]], evidence: list[list[Proof]]
) -> BudgetCase | None:
    if not evidence:
        return None
    scored = with_scores(row["question"], with_vectors(candidates))
    vector = HashingEmbeddings().embed_query(row["question"])
    return BudgetCase(
        str(row["id"]), str(row.get("source", "")), row["question"], scored, evidence, vector
    )


def _whole(candidate: Mapping[str, Any]) -> str:
    """What is indexed: header fields and text."""
    head = " ".join(str(candidate.get(key, "")) for key in ("title", "source", "date"))
    return f"{head}\n{candidate['text']}"


def with_vectors(candidates: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give candidates a hashing vector each."""
    vectors = HashingEmbeddings().embed_documents([_whole(c) for c in candidates])
    return [{**c, "vector": v} for c, v in zip(candidates, vectors, strict=True)]


def with_scores(question: str, candidates: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give candidates a BM25 score each, of an index that holds them and nothing else."""
    import bm25s

    index = bm25s.BM25(method="lucene")
    index.index([terms(_whole(c)) for c in candidates], show_progress=False)
    scores = index.get_scores(terms(question))
    return [
        {**c, "score": float(s), "score_kind": "bm25"}
        for c, s in zip(candidates, scores, strict=True)
    ]


def _from_paragraphs(row: Mapping[str, Any]) -> BudgetCase | None:
    candidates: list[dict[str, Any]] = []
    evidence: list[list[Proof]] = []
    named: dict[Any, list[str]] = {}
    for said in row.get("supporting_sentences") or ():
        named.setdefault(said["pid"], []).append(said["sentence"].strip())
    answers = {step["pid"]: step["answer"] for step in row.get("decomposition") or ()}
    for paragraph in row["paragraphs"]:
        pid = f"p{paragraph['pid']}"
        text = paragraph["text"]
        candidates.append(
            {"id": pid, "document_id": pid, "text": text, "title": paragraph["title"]}
        )
        if paragraph["supporting"]:
            keeps = named.get(paragraph["pid"]) or [answers.get(paragraph["pid"], text)]
            found = tuple(part for part in keeps if part in text)
            evidence.append([Proof(pid, found or (text,))])
    return _case(row, candidates, evidence)


def _from_groups(row: Mapping[str, Any]) -> BudgetCase | None:
    texts = list(dict.fromkeys(t for group in row["positive_groups"] for t in group))
    candidates = [
        {"id": f"p{at}", "document_id": f"p{at}", "text": text}
        for at, text in enumerate([*texts, *row["negative"]])
    ]
    evidence = []
    for spellings in row["answers"]:
        proofs = [
            Proof(f"p{at}", (spelling,))
            for at, text in enumerate(texts)
            for spelling in spellings
            if spelling in text
        ]
        if proofs:
            evidence.append(proofs)
    return _case(row, candidates, evidence)


def _from_corpus(
    rows: Sequence[Mapping[str, Any]], corpus: Sequence[Mapping[str, Any]]
) -> Iterator[BudgetCase]:
    pieces: list[dict[str, Any]] = [
        {
            "id": str(piece["id"]),
            "document_id": str(piece["url"]),
            "text": piece["text"],
            "title": piece["title"],
            "source": piece["news_source"],
            "date": piece["published_at"],
        }
        for piece in corpus
    ]
    pieces = with_vectors(pieces)
    for row in rows:
        scored = with_scores(row["question"], pieces)
        found = sorted(scored, key=lambda c: (-c["score"], c["id"]))[:POOL]
        evidence = [[Proof(str(i), ())] for i in row["evidence_ids"]]
        if evidence:
            vector = HashingEmbeddings().embed_query(row["question"])
            kind = str(row.get("source", ""))
            yield BudgetCase(str(row["id"]), kind, row["question"], found, evidence, vector)


def with_copies(
    case: BudgetCase, copies: int = 2, seed: int = 7, rescore: bool = False
) -> BudgetCase:
    """The case with every passage that holds evidence published again, lightly edited.

    A copy says the same, so it proves the same; labelled stretches are not edited. It is found
    just behind what it copies, so that the figure is about choosing. With `rescore` a new index
    scores all: in a pool this small three copies make their own words common, which lowers the
    scores of the evidence before anything is chosen.
    """
    chance = random.Random(f"{seed} {case.id}")
    held = {proof.passage_id for proofs in case.evidence for proof in proofs}
    copied: list[dict[str, Any]] = []
    evidence = [list(proofs) for proofs in case.evidence]
    for candidate in case.candidates:
        for number in range(copies if candidate["id"] in held else 0):
            name = f"{candidate['id']}-again{number}"
            own = [p for proofs in case.evidence for p in proofs if p.passage_id == candidate["id"]]
            text = edited(candidate["text"], chance, [part for p in own for part in p.keeps])
            score = candidate["score"] * (1.0 - 0.001 * (number + 1))
            copied.append(
                {**candidate, "id": name, "document_id": name, "text": text, "score": score}
            )
            for proofs in evidence:
                same = [p for p in proofs if p.passage_id == candidate["id"]]
                proofs += [Proof(name, p.keeps) for p in same]
    candidates = [*case.candidates, *with_vectors(copied)]
    if rescore:
        candidates = with_scores(case.question, candidates)
    return replace(case, id=f"{case.id}+copies", candidates=candidates, evidence=evidence)


def edited(text: str, chance: random.Random, keep: Sequence[str]) -> str:
    """A reprint: a line before or after, and one word in twelve of unlabelled text changed."""
    chinese = has_cjk(text)
    out, end = [], 0
    for start, stop in sentences(text):
        sentence = text[start:stop]
        out.append(text[end:start])
        end = stop
        if not any(sentence in part or part in sentence for part in keep):
            sentence = _reworded(sentence, chance, chinese)
        out.append(sentence)
    whole = "".join([*out, text[end:]])
    first, last = ("据悉，", "（完）") if chinese else ("As reported: ", " (Reprinted.)")
    return first + whole if chance.random() < 0.5 else whole + last


def _reworded(sentence: str, chance: random.Random, chinese: bool) -> str:
    """One word in twelve doubled by a filler; numbers and negations stay as they are."""
    if chinese:
        signs = list(sentence)
        for at in range(12, len(signs), 24):
            if has_cjk(signs[at]) and has_cjk(signs[at - 1]):
                signs[at] = signs[at] + chance.choice("亦又还也")
        return "".join(signs)
    found = sentence.split(" ")
    for at in range(6, len(found), 12):
        found[at] = f"{chance.choice(['also', 'indeed', 'then', 'still'])} {found[at]}"
    return " ".join(found)
