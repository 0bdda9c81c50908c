"""What the offline judge is fitted on: labelled rows whose terms allow it, and word counts.

RGB and FaithBench are for non-commercial use, so they are measured on and never fitted on.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from ..nodes.judges.features import read_question, relevance_features
from ..nodes.judges.offline import cosines
from ..nodes.judges.support_features import Held, support_features
from ..stores.protocols import Embedder
from ..stores.text import content_terms, language, sentences
from .datasets import Labelled, load, read_rows

NEVER_FITTED = ("RGB", "FaithBench")
MADE = 0.1
"""Weight of a relevance pair put together from questions with a corpus."""
TIER_WEIGHT = {"clean": 1.0, "noisy": 0.3, "easy": 0.3}
SWAPPED = 0.05
"""Weight of a made support row."""
_CLAUSE = re.compile("[\u4e00-\u9fff0-9]{6,24}")
_PIECE = re.compile(
    "(?<=[的在是为于和与由被将从到对了])[\u4e00-\u9fff]{2,4}(?=[的在是为于和与由被将从到对了]|$)|"
    "(?<=[，。])[\u4e00-\u9fff]{2,4}(?=[的在是为于和与由被将从到对了])"
)
COMMON = 2500
"""Terms of each language in the rarity table."""


@dataclass(frozen=True)
class Case:
    """One row as the model sees it."""

    row: Labelled
    values: dict[str, float]
    truth: bool
    weight: float
    measured: bool = True
    """False for rows that were put together: they help to fit, and no figure rests on them."""

    @property
    def fits(self) -> bool:
        """True when the row's terms allow fitting on it."""
        return not any(name in self.row.source for name in NEVER_FITTED)


def relevance_cases(data: Path, embed: Embedder | None = None) -> list[Case]:
    """The labelled pairs, and made ones from `multihop_qa` and `cmrc_zh_questions`.

    With an embedder, the labelled pairs alone, with their cosines: the made ones would take long.
    """
    labelled = load(data / "relevance_pairs.jsonl").rows
    if embed is not None:
        return [_relevance(row, 1.0, True, _cosine(embed, row)) for row in labelled]
    taken = {row.question for row in labelled}
    cases = [_relevance(row, 1.0, True) for row in labelled]
    for row in (
        *_hard_pairs(data / "multihop_qa.jsonl"),
        *_halves(data / "cmrc_zh_questions.jsonl"),
    ):
        if row.question not in taken:
            cases.append(_relevance(row, MADE, False))
    return cases


def _relevance(row: Labelled, weight: float, measured: bool, cosine: float | None = None) -> Case:
    values = relevance_features(read_question(row.question), row.texts[0], row.title)
    values["overlap"] = _overlap(row.question, f"{row.title} {row.texts[0]}")
    if cosine is not None:
        values["cosine"] = cosine
    return Case(row, values, row.label == "yes", weight, measured)


def _cosine(embed: Embedder, row: Labelled) -> float:
    return cosines(embed, row.question, ["\n".join(filter(None, (row.title, row.texts[0])))])[0]


def _overlap(asked: str, shown: str) -> float:
    """The baseline: plain share of the terms that occur, all alike."""
    terms = set(content_terms(asked))
    return len(terms & set(content_terms(shown))) / len(terms) if terms else 0.0


def _hard_pairs(path: Path) -> Iterator[Labelled]:
    """Each supporting paragraph; as many others that share the most words with the question; and
    three that belong to another question, so that a passage about nothing alike scores low."""
    found = load(path)
    for at, task in enumerate(found.tasks):
        asked = set(content_terms(task.question))

        def shared(id: str, asked: set[str] = asked) -> int:
            held = found.documents[id]
            return len(asked & set(content_terms(f"{held.get('title', '')} {held['text']}")))

        good = [id for id in task.document_ids if id in task.evidence_ids]
        bad = [id for id in task.document_ids if id not in task.evidence_ids]
        bad = sorted(bad, key=shared, reverse=True)[: len(good)]
        strange = found.tasks[(at + 1) % len(found.tasks)].document_ids[:3]
        for id in (*good, *bad, *strange):
            held = found.documents[id]
            yield Labelled(
                id=id,
                label="yes" if id in good else "no",
                question=task.question,
                texts=(held["text"],),
                title=held.get("title", ""),
                source=f"{task.source}, made",
                group=task.question,
            )


def _halves(path: Path) -> Iterator[Labelled]:
    """A passage against the other one most like the question; its half with the answer against
    its half without."""
    found = load(path)
    terms = {id: set(content_terms(held["text"])) for id, held in found.documents.items()}
    for at, task in enumerate(found.tasks):
        asked = set(content_terms(task.question))
        text = found.documents[task.evidence_ids[0]]["text"]
        spans = sentences(text)
        base = Labelled(
            id=task.id,
            label="yes",
            question=task.question,
            texts=(text,),
            language="zh",
            source=f"{task.source}, made",
            group=task.question,
        )
        others = (id for id in terms if id not in task.evidence_ids)
        nearest = max(others, key=lambda id, asked=asked: len(asked & terms[id]))  # type: ignore[misc]
        yield base
        yield replace(base, label="no", texts=(found.documents[nearest]["text"],))
        strange = found.tasks[(at + 7) % len(found.tasks)].evidence_ids[0]
        if strange not in task.evidence_ids:
            yield replace(base, label="no", texts=(found.documents[strange]["text"],))
        if len(spans) < 4:
            continue
        cut = spans[len(spans) // 2].start
        halves = (text[:cut], text[cut:])
        holds = [any(answer in half for answer in task.answers[0]) for half in halves]
        if holds[0] != holds[1]:
            for half, yes in zip(halves, holds, strict=True):
                yield replace(base, texts=(half,), label="yes" if yes else "no")


def support_cases(data: Path) -> list[Case]:
    """Sentences and short answers with their evidence, both languages; and made Chinese ones."""
    cases = []
    for row in _swapped(data / "cmrc_zh_passages.jsonl"):
        values = support_features(row.sentence, Held(row.texts))
        values["overlap"] = _overlap(row.sentence, row.texts[0])
        cases.append(Case(row, values, row.label == "full", SWAPPED, measured=False))
    for name in ("groundedness_en", "groundedness_zh"):
        for row in load(data / f"{name}.jsonl").rows:
            values = support_features(row.sentence, Held(row.texts), row.question)
            values["overlap"] = _overlap(row.sentence, " ".join(row.texts))
            weight = TIER_WEIGHT.get(row.tier, 1.0)
            cases.append(Case(row, values, row.label == "full", weight))
    return cases


def _swapped(path: Path) -> Iterator[Labelled]:
    """Clauses of Chinese passages: shortened (supported), and with one piece of another passage.

    In the labelled Chinese rows the supported ones are mostly short headlines. Without these the
    model would learn that short sentences are supported.
    """
    chance = Random(0)
    passages = [(row["id"], row["text"]) for _, row in read_rows(path)]
    pieces = [p for _, text in passages for p in _PIECE.findall(text)]
    for id, text in passages:
        clauses = [c for c in _CLAUSE.findall(text) if len(_PIECE.findall(c)) > 1]
        for clause in chance.sample(clauses, min(4, len(clauses))):
            own = chance.choice(_PIECE.findall(clause))
            other = chance.choice(pieces)
            short = clause.replace(own, "", 1) if len(clause) > 12 else clause
            for sentence, label in ((short, "full"), (clause.replace(own, other, 1), "none")):
                if label == "full" or other not in text:
                    yield Labelled(
                        id=f"{id}/{label}",
                        label=label,
                        texts=(text,),
                        sentence=sentence,
                        language="zh",
                        source="CMRC2018, made",
                        group=text,
                    )


def rarity_table(data: Path) -> dict[str, dict[str, str]]:
    """Weight to the terms that have it, by language, from the share of texts a term occurs in.

    Weights are log(N / n) / log(N / 3), in steps of 0.05: 1 for a term in three texts or fewer.
    """
    counts: dict[str, Counter[str]] = {"en": Counter(), "zh": Counter()}
    texts = Counter[str]()
    for text in dict.fromkeys(_texts(data)):
        texts[language(text)] += 1
        counts[language(text)].update(set(content_terms(text)))
    table: dict[str, dict[str, str]] = {}
    for lang, seen in counts.items():
        held: dict[str, list[str]] = defaultdict(list)
        for term, n in sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:COMMON]:
            if n >= 5 and (lang == "zh" or term.isalpha()):
                weight = round(20 * math.log(texts[lang] / n) / math.log(texts[lang] / 3)) / 20
                held[f"{max(0.1, weight):.2f}"].append(term)
        table[lang] = {weight: " ".join(sorted(terms)) for weight, terms in sorted(held.items())}
    return table


def _texts(data: Path) -> Iterator[str]:
    """Texts of the corpora, long documents in pieces of about the length of a passage."""
    rows = partial(_rows, data)
    for name in ("mtrag_corpus", "multihoprag_corpus", "cmrc_zh_passages"):
        yield from (row["text"] for row in rows(name))
    for name, key in (("multihop_qa", "paragraphs"), ("dureader_zh", "passages")):
        yield from (part["text"] for row in rows(name) for part in row[key])
    for path in sorted(data.glob("longdoc_docs_*.jsonl")):
        size = 400 if path.stem.endswith("zh") else 800
        for row in rows(path.stem):
            text = row["text"][: 40 * size]
            yield from (text[at : at + size] for at in range(0, len(text), size))


def _rows(data: Path, name: str) -> Sequence[dict[str, Any]]:
    return [row for _, row in read_rows(data / f"{name}.jsonl")]
