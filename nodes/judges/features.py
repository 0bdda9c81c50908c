"""What the offline judge looks at when it grades a passage for a question, in plain sight.

All values lie between 0 and about 1. English and Chinese go through the same features; a term is a
stemmed word in English and a pair of characters in Chinese (`stores.text.content_terms`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ...stores.text import fold, has_cjk, language, sentences
from .expected import answer_nearby, expected_kind, without_stamp
from .numbers import numbers_and_dates
from .rarity import rarity
from .related import meanings

_YEAR = re.compile(r"(?<!\d)(?:1[0-9]\d\d|20\d\d)(?!\d)")
_CAPITAL = re.compile(r"(?<=[a-z0-9,;)] )[A-Z][\w'’-]*")


@dataclass(frozen=True)
class Asked:
    """A question, read once for all the passages that are graded for it."""

    text: str
    terms: tuple[str, ...]
    weights: dict[str, float]
    total: float
    pairs: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    named: frozenset[str]
    """Terms that open with a capital (not as the first word); in Chinese quoted or Latin ones."""
    kind: str
    """What is asked for: a date, a person, ...; see `expected.py`."""
    years: frozenset[str]
    focus: frozenset[str]
    folded: str
    zh: bool


@lru_cache(maxsize=256)
def read_question(question: str) -> Asked:
    """Read what the features need from a question, once."""
    terms = meanings(question)
    weights = {t: rarity(t) for t in terms}
    capital = " ".join(re.findall(r"(?<=\s)[A-Z][\w'’-]*|[《“「\"][^》”」\"]+[》”」\"]", question))
    if has_cjk(question):
        capital += " " + " ".join(re.findall(r"[A-Za-z][A-Za-z0-9]*", question))
    said, dated = numbers_and_dates(question)
    figures = {str(n.value) for n in said} | {str(d.year) for d in dated if d.year}
    folded = fold(question)
    return Asked(
        text=question,
        terms=tuple(dict.fromkeys(terms)),
        weights=weights,
        total=sum(weights.values()) or 1.0,
        pairs=frozenset(pairwise(terms)),
        numbers=frozenset(figures),
        named=frozenset(meanings(capital)) & weights.keys(),
        kind=expected_kind(folded),
        years=frozenset(_YEAR.findall(folded)),
        focus=frozenset(_focus(terms, folded)),
        folded=folded,
        zh=language(question) == "zh",
    )


def near(term: str, held: set[str], prefixes: set[str]) -> float:
    """1 when the term is held, 0.6 for an English word of the same beginning, else 0."""
    if term in held:
        return 1.0
    if len(term) >= 5 and term.isascii() and term[:5] in prefixes:
        return 0.6
    return 0.0


def beginnings(held: set[str]) -> set[str]:
    """First five letters of the longer words."""
    return {t[:5] for t in held if len(t) >= 5}


def _focus(terms: list[str], folded: str) -> list[str]:
    """The words that say what is asked: after the question word, or at a Chinese question's end."""
    if has_cjk(folded):
        return [t for t in terms if has_cjk(t)][-2:]
    match = re.search(
        r"\b(?:what|which|whose)\b(?: (?:is|are|was|were|kind|type|of|the|a|an))*"
        r"((?: [\w'-]+){1,2})",
        folded,
    )
    if match:
        return meanings(match[1])
    match = re.search(r"\bwho (?:is|was|are|were)? ?(?:the )?((?: ?[\w'-]+){1,2})", folded)
    return meanings(match[1]) if match else terms[-1:]


def relevance_features(
    asked: Asked, text: str, title: str = "", section: str = ""
) -> dict[str, float]:
    """Values by name for one question and one passage; see the comments for their meaning."""
    text = without_stamp(text)
    folded = text.casefold()
    lists = [meanings(text[a:b]) for a, b in sentences(text)]
    flat = [t for terms in lists for t in terms]
    head = set(meanings(f"{title} {section}"))
    body = set(flat)
    both = body | head
    prefixes = beginnings(both)
    weights, total = asked.weights, asked.total
    hits = {t: near(t, both, prefixes) for t in weights}
    single, window = _best_windows(weights, lists)
    pairs = set(pairwise(flat)) if asked.pairs else set()
    missing = [w for t, w in weights.items() if not hits[t]]
    capital = {t for t in _capitals(text) if t in weights}
    named = asked.named | capital | (head & weights.keys())
    plain = {t: w for t, w in weights.items() if t not in named}
    around, candidates = answer_nearby(asked.kind, asked.folded, weights, text, folded)
    years = set(_YEAR.findall(folded)) if asked.years else set()
    times = sum(1 for t in flat if t in weights)
    return {
        # Share of the question's terms, weighted by rarity, in the passage and its headings.
        "covered": sum(w * hits[t] for t, w in weights.items()) / total,
        # The same without headings and without "same beginning" matches.
        "covered_in_text": sum(w for t, w in weights.items() if t in body) / total,
        # The same for the best two neighbouring sentences, and for the best sentence.
        "covered_in_window": window / total,
        "covered_in_sentence": single / total,
        # Share of the neighbouring term pairs of the question that stand together.
        "phrases": len(asked.pairs & pairs) / len(asked.pairs) if asked.pairs else 0.0,
        # Weight of the rarest term that is missing, and the share of terms missing.
        "rarest_missing": max(missing, default=0.0),
        "terms_missing": len(missing) / max(1, len(weights)),
        # Names of the question (capitals in either text, headings) found in the text.
        "names": _share([float(t in body) for t in named], 0.5),
        # What is asked about those names: the other terms, and the words after "what" or "who".
        "asked_about": _weighted(plain, hits),
        "asked_about_in_text": _weighted(plain, dict.fromkeys(body, 1.0)),
        "focus": _share([hits[t] for t in asked.focus if t in hits], 0.5),
        # Years of the question: found, or others found instead.
        "years_found": _share([float(y in years) for y in asked.years], 0.5),
        "other_years": float(bool(years) and not asked.years & years),
        "numbers": _share([float(n in folded) for n in asked.numbers], 0.5),
        # Share of the title's terms in the question, and of the question's in the headings.
        "title_in_question": _share([float(t in weights) for t in set(meanings(title))]),
        "question_in_title": sum(w for t, w in weights.items() if t in head) / total,
        "has_title": float(bool(title)),
        # Question terms close to something of the kind that is asked for, and how much of it.
        "around_answer": around / total,
        "answer_candidates": candidates,
        "no_candidate": float(bool(asked.kind) and not candidates),
        "kind_known": float(bool(asked.kind)),
        # How dense the question's terms are, and lengths.
        "density": min(1.0, 5 * times / max(20, len(flat))),
        "length": min(1.0, math.log1p(len(flat)) / 7),
        "question_length": min(1.0, len(weights) / 20),
        "zh": float(asked.zh),
    }


def _capitals(text: str) -> set[str]:
    """Terms of words that are written with a capital inside a sentence."""
    return set(meanings(" ".join(_CAPITAL.findall(text))))


def _weighted(some: dict[str, float], hits: dict[str, float]) -> float:
    """Weighted share of the terms that are hit; one half when there are none."""
    whole = sum(some.values())
    return sum(w * hits.get(t, 0.0) for t, w in some.items()) / whole if whole else 0.5


def _share(found: Sequence[float], nothing: float = 0.0) -> float:
    return sum(found) / len(found) if found else nothing


def _best_windows(weights: dict[str, float], lists: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Covered weight of the best sentence, and of the best two that follow each other."""
    sets = [weights.keys() & set(terms) for terms in lists]
    single = max((math.fsum(weights[t] for t in s) for s in sets), default=0.0)
    double = max((math.fsum(weights[t] for t in a | b) for a, b in pairwise(sets)), default=single)
    return single, double
