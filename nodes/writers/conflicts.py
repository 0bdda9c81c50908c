"""Where two sources contradict each other on what was asked: figures, dates, names, yes against no.

Two ways to see it, both in code: two sentences that are the same but for one slot; and two
sentences about the same thing that name one figure each, with the same unit, and not the same one.
A difference in something the question names (its subject) is no contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from typing_extensions import TypedDict

from ...stores.passage import Passage
from ...stores.text import content_terms, has_cjk, terms
from ..judges.facts import negation_mismatch
from . import slots
from .asked import Wants, read, wanted
from .citing import cite
from .draft import Citation
from .language import Language, say, spoken
from .scoring import local_rarity, score
from .statements import Statement, statements

About = Literal["figure", "date", "name", "negation"]
_MOST = 150
"""Sentences compared, those nearest to the question first."""
_ABOUT = 0.6
"""Share of the question's terms that a sentence must hold for its figure to count."""
_FITS: dict[Wants, tuple[About, ...]] = {
    "who": ("name",),
    "where": ("name",),
    "when": ("date", "figure"),
    "number": ("figure",),
}
"""The slots that can change the answer, by what is asked; any slot for other questions."""


@dataclass(frozen=True)
class _Said:
    """A sentence with its terms and the share of the question's terms that it holds."""

    statement: Statement
    terms: frozenset[str]
    own: float


class Conflict(TypedDict):
    """Two sources that cannot both be right on what was asked."""

    about: About
    says: tuple[str, str]
    """What the first and the second say where they differ."""
    first: Citation
    second: Citation
    newer: int
    """The marker of the newer source; 0 when neither is known to be newer."""
    when: str
    """The date or version of the newer source."""


def find(
    passages: Sequence[Passage], question: str, known: Iterable[dict[str, Any]] = ()
) -> list[Conflict]:
    """Find the contradictions between passages of different sources, as far as code sees them.

    `known`: what `select` reported as `Selection.conflicts`; those pairs are looked at first.
    One conflict a pair of differing words, the first found of each, at most five.
    """
    said = _said(passages, question)
    expected = {tuple(sorted(each.get("passage_ids", ()))) for each in known}
    pairs = [
        (a, b)
        for a, b in combinations(said, 2)
        if _two_sources(passages[a.statement.passage], passages[b.statement.passage])
    ]
    pairs.sort(key=lambda pair: not _expected(pair, passages, expected))
    found: dict[tuple[str, ...], Conflict] = {}
    for a, b in pairs:
        difference = _difference(a, b, question)
        if difference is None:
            continue
        about, says = difference
        key = tuple(sorted(each.casefold() for each in says))
        if key not in found:
            found[key] = _conflict(about, says, a.statement, b.statement, passages)
    return list(found.values())[:5]


def state(conflicts: Sequence[Conflict], language: Language) -> tuple[str, list[Citation]]:
    """Say the contradictions, both sides cited, the newer named as newer: text and citations."""
    parts: list[str] = []
    citations: list[Citation] = []
    for conflict in conflicts:
        a, b = conflict["first"], conflict["second"]
        first, second = (say("quote", language, words=words) for words in conflict["says"])
        parts.append(
            say("disagree", language, first=first, a=a["marker"], second=second, b=b["marker"])
        )
        if conflict["newer"]:
            parts.append(say("newer", language, n=conflict["newer"], when=conflict["when"]))
        citations += [each for each in (a, b) if each not in citations]
    return ("" if language == "zh" else " ").join(parts), citations


def note(
    text: str,
    citations: Sequence[Citation],
    passages: Sequence[Passage],
    question: str,
    known: Iterable[dict[str, Any]] = (),
) -> tuple[str, list[Citation], list[Conflict]]:
    """Append to an answer what its sources contradict each other on.

    Only contradictions that touch the answer count: it says one side, or cites one of the two
    places. Those whose both sides it says already are returned, but not said again. What is
    appended is a finding, not a claim of a source, so it comes after the grounding check.
    """
    found = [
        conflict
        for conflict in find(passages, question, known)
        if any(side in text for side in conflict["says"])
        or any(_overlaps(conflict[side], c) for side in ("first", "second") for c in citations)
    ]
    unsaid = [each for each in found if not all(side in text for side in each["says"])]
    words, more = state(unsaid, spoken(question))
    known_citations = list(citations)
    known_citations += [each for each in more if each not in known_citations]
    return (f"{text}\n\n{words}" if words else text), known_citations, found


def _overlaps(one: Citation, other: Citation) -> bool:
    same = one["document_id"] == other["document_id"]
    return same and one["start"] < other["end"] and other["start"] < one["end"]


def _said(passages: Sequence[Passage], question: str) -> list[_Said]:
    """The sentences of the passages, those about the question if there are very many."""
    found = [one for one in statements(passages) if not slots.only_dated(one.text)]
    asked = replace(read(question), parts=(question,))
    ranked = score(question, asked, found, local_rarity(found))[:_MOST]
    said = [
        _Said(each.statement, frozenset(content_terms(each.statement.text)), each.own)
        for each in ranked
    ]
    return sorted(said, key=lambda each: (each.statement.passage, each.statement.span))


def _expected(
    pair: tuple[_Said, _Said], passages: Sequence[Passage], expected: set[tuple[str, ...]]
) -> bool:
    return tuple(sorted(passages[one.statement.passage]["id"] for one in pair)) in expected


def _two_sources(one: Passage, other: Passage) -> bool:
    """Pieces of one version of one document do not count as two sources."""
    same = one["document_id"] == other["document_id"]
    return not (same and one.get("version") == other.get("version"))


def _difference(a: _Said, b: _Said, question: str) -> tuple[About, tuple[str, str]] | None:
    """Where two sentences contradict each other, if they do."""
    shared = len(a.terms & b.terms)
    text_a, text_b = a.statement.text, b.statement.text
    wants = wanted(question)
    if max(a.own, b.own) > 0 and shared >= slots.ALIKE * min(len(a.terms), len(b.terms)):
        slot = slots.only_slot(text_a, text_b)
        kind = slots.kind_of(slot) if slot and not _in_question(slot, question) else None
        if slot and kind and kind in _FITS.get(wants, (kind,)):
            return kind, slot
        if wants in ("yes_no", "what", "steps") and negation_mismatch(text_a, text_b):
            return "negation", (_short(text_a), _short(text_b))
    if min(a.own, b.own) >= _ABOUT:
        return slots.same_measure(text_a, text_b, question)
    return None


def _in_question(slot: tuple[str, str], question: str) -> bool:
    """Whether the question names one of the two: then the sentences have different subjects."""
    asked = set(terms(question))
    return any(
        set(content_terms(side)) <= asked or (has_cjk(side) and side in question) for side in slot
    )


def _conflict(
    about: About,
    says: tuple[str, str],
    a: Statement,
    b: Statement,
    passages: Sequence[Passage],
) -> Conflict:
    one, other = passages[a.passage], passages[b.passage]
    order = _age(one, other)
    newer = {0: 0, 1: a.passage + 1, -1: b.passage + 1}[order]
    source = one if order > 0 else other
    return Conflict(
        about=about,
        says=says,
        first=cite(a.passage + 1, one, a.span),
        second=cite(b.passage + 1, other, b.span),
        newer=newer,
        when=(source.get("date") or source.get("version") or "") if newer else "",
    )


def _age(one: Passage, other: Passage) -> int:
    """1 when the first is newer, -1 when the second is, 0 when that is not known."""
    for key in ("date", "version"):
        first, second = str(one.get(key) or ""), str(other.get(key) or "")
        if first and second and first != second:
            numbers = [tuple(map(int, re.findall(r"\d+", text))) for text in (first, second)]
            if numbers[0] != numbers[1] and all(numbers):
                return 1 if numbers[0] > numbers[1] else -1
    return 0


def _short(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= 120 else text[:117].rstrip() + "..."
