"""What the offline judge looks at when it checks a sentence against its evidence, in plain sight.

All values lie between 0 and about 1, and are made alike for English and Chinese.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from ...stores.text import fold, has_cjk, language, sentences, stem, words
from ..writers.language import PHRASES
from .facts import Evidence, negations
from .features import beginnings, near
from .names import names
from .numbers import numbers_and_dates
from .rarity import rarity
from .related import meanings, opposites

NO_ANSWER = re.compile(
    r"\b(?:do(?:es)? not|don't|doesn't|cannot|no) (?:\w+ ){0,3}(?:information|mention|provide|"
    r"state|specif|contain|answer|find)|i (?:am|'m) (?:sorry|not sure)|没有(?:提到|提供|说明|相关)|"
    r"无法回答|未提及"
)
_CLAUSE = re.compile(r"[,;:，；：、—]|\b(?:and|but|which|who|while|because|although)\b")
_MARK = re.compile(r"\[\d{1,3}\]")
_QUOTED = re.compile("“([^“”]+)”")


class Held:
    """Evidence, read once for all the sentences that are checked against it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.facts = Evidence(texts)
        text = self.facts.text
        self.spans = sentences(text)
        self.lists = [meanings(text[a:b]) for a, b in self.spans]
        self.flat = [t for terms in self.lists for t in terms]
        self.terms = set(self.flat)
        self.sets = [set(terms) for terms in self.lists]
        self.where: dict[str, set[int]] = {}
        for at, some in enumerate(self.sets):
            for term in some:
                self.where.setdefault(term, set()).add(at)
        self.words = {stem(w) for w in words(text)}
        self.prefixes = beginnings(self.terms)
        self.pairs = set(pairwise(self.flat))
        self.triples = set(zip(self.flat, self.flat[1:], self.flat[2:], strict=False))
        self.squeezed = "".join(re.findall(r"\w", self.facts.folded))

    def together(self, one: str, other: str) -> bool:
        """True when both terms occur in one sentence."""
        if one not in self.terms or other not in self.terms:
            return False
        return not self.where[one].isdisjoint(self.where[other])


@lru_cache(maxsize=16)
def read_evidence(texts: tuple[str, ...]) -> Held:
    """Evidence read once; kept for the sentences that are checked against it next."""
    return Held(texts)


def support_features(sentence: str, held: Held, before: str = "") -> dict[str, float]:
    """Values by name for one sentence (or short answer) and its evidence."""
    sentence = without_marks(sentence)
    terms = meanings(sentence)
    weights = {t: rarity(t) for t in terms}
    total = sum(weights.values()) or 1.0
    hits = {t: near(t, held.terms, held.prefixes) for t in weights}
    best, window, at = _windows(weights, held.sets)
    around = set().union(*held.sets[at : at + 3])
    missing = sorted((w for t, w in weights.items() if not hits[t]), reverse=True)
    pairs = list(pairwise(terms))
    triples = list(zip(terms, terms[1:], terms[2:], strict=False))
    said_numbers, said_dates = numbers_and_dates(sentence)
    figures = [held.facts.has_number(n) for n in said_numbers]
    figures += [held.facts.has_date(d) for d in said_dates]
    named = [held.facts.has_name(n) for n in dict.fromkeys(names(sentence))]
    clauses = [c for c in (meanings(p) for p in _CLAUSE.split(fold(sentence))) if len(c) > 1]
    parts = [meanings(sentence[a:b]) for a, b in sentences(sentence)]
    asked = [t for t in dict.fromkeys(meanings(before)) if t not in weights]
    return {
        # Share of the sentence's terms, weighted by rarity: anywhere in the evidence, in its best
        # sentence, in its best three neighbouring sentences.
        "covered": sum(w * hits[t] for t, w in weights.items()) / total,
        "covered_in_sentence": best / total,
        "covered_in_window": window / total,
        # Share of neighbouring pairs and triples of terms that stand together in the evidence, and
        # of pairs whose two terms occur in one sentence of it.
        "pairs": _share([p in held.pairs for p in pairs], 0.5),
        "triples": _share([t in held.triples for t in triples], 0.5),
        "pairs_in_sentence": _share([held.together(a, b) for a, b in pairs], 0.5),
        # Longest run of the sentence that is verbatim in the evidence, as a share of it.
        "verbatim": _longest_run(sentence, held.squeezed),
        # The least covered clause, and the least covered sentence.
        "worst_clause": min((_mean(hits, c) for c in clauses), default=_mean(hits, terms)),
        "worst_sentence": min((_mean(hits, p) for p in parts if p), default=0.0),
        # Weight of what is missing: the rarest term, all terms, the longest run of missing terms.
        "rarest_missing": missing[0] if missing else 0.0,
        "missing": min(1.0, sum(missing) / 8),
        "longest_gap": _longest_gap(terms, hits),
        # Numbers with dates, and names: any that is not in the evidence, and whether there are any.
        "number_gap": float(not all(figures)),
        "numbers_found": _share(figures, 0.0),
        "name_gap": float(not all(named)),
        "names_found": _share(named, 0.0),
        # Negation against the nearest sentence; a word whose opposite the evidence has instead.
        "negation_gap": float(held.facts.differs_in_negation(sentence)),
        "negated": float(negations(sentence) > 0),
        "opposite": float(_opposed(sentence, held)),
        "says_no_answer": float(bool(NO_ANSWER.search(fold(sentence)))),
        # Terms of the question (or of what stands before) close to what supports the sentence.
        "question_nearby": _share([t in around for t in asked], 0.5),
        "question_held": _share([t in held.terms for t in asked], 0.5),
        # Lengths.
        "length": min(1.0, math.log1p(len(terms)) / 6),
        "sentences": min(1.0, len(parts) / 6),
        "evidence_length": min(1.0, math.log1p(len(held.flat)) / 9),
        "zh": float(language(sentence) == "zh"),
    }


def _opposed(sentence: str, held: Held) -> bool:
    """A word of the sentence is not in the evidence, but one that says the contrary is."""
    contrary = opposites()
    said = {stem(w) for w in words(sentence)} if not has_cjk(sentence) else set(meanings(sentence))
    shown = held.words if not has_cjk(sentence) else held.terms
    return any(w in contrary and w not in shown and contrary[w] & shown for w in said)


def without_marks(sentence: str) -> str:
    """The sentence without its citation marks, such as [1].

    Of a quote in another language only the quote: the words that frame it are the writer's own.
    """
    plain = _MARK.sub("", sentence).strip()
    for frame in PHRASES["other_language"].values():
        quoted = _QUOTED.fullmatch(plain.removeprefix(frame))
        if plain.startswith(frame) and quoted:
            return quoted[1]
    return plain


def _share(found: Sequence[bool], nothing: float) -> float:
    return sum(found) / len(found) if found else nothing


def _mean(hits: dict[str, float], terms: Sequence[str]) -> float:
    return sum(hits.get(t, 0.0) for t in terms) / len(terms) if terms else 0.0


def _windows(weights: dict[str, float], sets: Sequence[set[str]]) -> tuple[float, float, int]:
    """Covered weight of the best sentence and of the best three in a row, and where those begin.

    Sums are exact, so that ties fall the same way whatever the order of a set.
    """
    held = [weights.keys() & s for s in sets]
    single = max((math.fsum(weights[t] for t in s) for s in held), default=0.0)
    three, at = 0.0, 0
    for i, own in enumerate(held):
        if not own:
            continue
        weight = math.fsum(weights[t] for t in own.union(*held[i + 1 : i + 3]))
        if weight > three:
            three, at = weight, i
    return single, three, at


def _longest_gap(terms: Sequence[str], hits: dict[str, float]) -> float:
    """Longest run of missing terms, as a share of the terms."""
    longest = run = 0
    for term in terms:
        run = 0 if hits[term] else run + 1
        longest = max(longest, run)
    return longest / len(terms) if terms else 0.0


def _longest_run(sentence: str, squeezed: str) -> float:
    """Longest verbatim run (words in English, characters in Chinese) as a share of the sentence."""
    folded = fold(sentence)
    units = re.findall(r"\w", folded) if has_cjk(sentence) else re.findall(r"\w+", folded)
    longest = start = 0
    for end in range(1, len(units) + 1):
        while start < end and "".join(units[start:end]) not in squeezed:
            start += 1
        longest = max(longest, end - start)
    return longest / len(units) if units else 0.0
