"""What a question asks for, taken from its own words by code, and who covers it.

A slot is one thing that the context should hold: an entity, a constraint, a part of the question,
or one of its content words. Nothing is rewritten and no model is asked. English and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...stores.text import content_terms, has_cjk, stem
from .candidates import Candidate
from .units import units

SlotKind = Literal["entity", "constraint", "part", "word"]
WEIGHTS: dict[SlotKind, float] = {"entity": 1.0, "constraint": 1.0, "part": 0.5, "word": 1.0}
"""How much a slot of each kind counts, times the rarity of its words among the candidates."""

SCARCE = 1.5
"""A slot that only one candidate covers counts this many times."""
FULL = 0.99
"""A slot is covered when this share of its words, by rarity, is there."""

_QUOTED = re.compile(r"[\"“「『《‘]([^\"”」』》’]{2,60})[\"”」』》’]|(?<!\w)'([^']{2,60}?)'(?!\w)")
_NAME = r"[A-Z0-9][\w.&-]*(?:['’](?!s\b)\w+)?"
_CAPITALISED = re.compile(
    rf"(?<![\w'’]){_NAME}(?:(?:\s+(?:of|the|de|la|von|van|for|in|-|–|&)){{0,2}}\s+{_NAME})*"
)
_OPENER = re.compile(
    "(?:Who|Whom|Whose|What|When|Where|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Has|Have|Had|"
    "Can|Could|Will|Would|Should|Between|After|Before|Considering|According|In|On|At|By|For|From|"
    "The|A|An|If|While|Among|Of|To)$"
)
"""Words that stand at the start of a question with a capital, and name nothing."""
_NUMBER = (
    r"(?:\d[\d,.]*\d|\d)(?:\s?(?:%|percent|million|billion|thousand|years?|days?|hours?|km|kg))?"
)
_CONSTRAINT_EN = re.compile(
    rf"\b(?:after|before|since|until|above|over|below|under|between|at least|at most|more than|"
    rf"less than|fewer than|in|on|by|from|during)\s+(?:the\s+)?(?:[A-Z][a-z]+\s+)?{_NUMBER}",
)
_CONSTRAINT_ZH = re.compile(
    r"\d[\d,.]*\s?(?:%|万|亿|元|岁|年|天|个|人|公里)|第[一二三四五六七八九十\d]+[届次季期代]?"
)
_BREAK_EN = re.compile(
    r",(?!\s*\d{4})|[;?]|\b(?:and|or|versus|vs|while|whereas|than|but)\b", re.IGNORECASE
)
_BREAK_ZH = re.compile(r"[，,；;、？?]|以及|分别|还是|和|与|或")


class Slot(NamedTuple):
    """One thing asked for: its kind, its words and how much it counts."""

    kind: SlotKind
    name: str
    words: tuple[str, ...]
    """Its content words, as `content_terms` gives them."""
    weight: float


@dataclass(frozen=True)
class Cover:
    """Who covers what: `share[i, s]` is the part of slot s that candidate i holds, 0 to 1."""

    slots: list[Slot]
    share: NDArray[np.float64]
    """Shape (candidates, slots)."""
    weights: NDArray[np.float64]
    """Shape (slots,): kind, rarity and scarcity together; they sum to 1."""
    confidence: float
    """0 to 1: the part of the asked-for words, by rarity, that at least one candidate holds."""


def _spans(question: str) -> list[tuple[SlotKind, str]]:
    found: list[tuple[SlotKind, str]] = []
    found += [("entity", a or b) for a, b in _QUOTED.findall(question)]
    for match in _CAPITALISED.finditer(question):
        name = match.group().split()
        while name and _OPENER.match(name[0]) and (len(name) > 1 or not match.start()):
            # "The" begins names too; at the start of a question a lone capital says nothing.
            if name[0] == "The" and match.start():
                break
            name = name[1:]
        if name and not name[0].isdigit():
            found.append(("entity", " ".join(name)))
    constraint = _CONSTRAINT_ZH if has_cjk(question) else _CONSTRAINT_EN
    found += [("constraint", match.group()) for match in constraint.finditer(question)]
    parts = question_parts(question)
    return found + [("part", part) for part in parts] if len(parts) > 1 else found


def question_parts(question: str) -> list[str]:
    """Cut a question at its joints; parts of too few words to ask for anything are left out."""
    breaks, least = (_BREAK_ZH, 2) if has_cjk(question) else (_BREAK_EN, 3)
    parts = [part.strip() for part in breaks.split(question)]
    return [part for part in parts if len(set(content_terms(part))) >= least] or [question]


def find_slots(question: str, more: Mapping[str, float] | None = None) -> list[Slot]:
    """Find the slots of a question, in a fixed order; `more` adds sub-questions with weights.

    `more` is for callers that let a model split the question; weights there are relative to 1.
    """
    slots: dict[tuple[str, ...], Slot] = {}
    for name, weight in (more or {}).items():
        if words := tuple(dict.fromkeys(content_terms(name))):
            slots[words] = Slot("part", name.strip(), words, weight)
    for kind, name in _spans(question):
        words = tuple(dict.fromkeys(content_terms(name)))
        if words and words not in slots and (len(words) > 1 or kind != "part"):
            slots[words] = Slot(kind, name.strip(), words, WEIGHTS[kind])
    for word in dict.fromkeys(content_terms(question)):
        if (word,) not in slots:
            slots[(word,)] = Slot("word", word, (word,), WEIGHTS["word"])
    return list(slots.values())


def holds(words: Sequence[str], texts: Sequence[str]) -> NDArray[np.bool_]:
    """Which of the words, as stems or CJK pairs, each folded text has; shape (texts, words)."""
    place = {word: at for at, word in enumerate(words)}
    found = np.zeros((len(texts), len(words)), dtype=bool)
    pairs = [(word, place[word]) for word in words if has_cjk(word)]
    for row, text in zip(found, texts, strict=True):
        row[list({place[root] for root in map(stem, set(units(text))) if root in place})] = True
        for word, at in pairs:
            if word in text:
                row[at] = True
    return found


@dataclass(frozen=True)
class Asked:
    """The question's content words, and which candidate has which; worked out once a call."""

    words: list[str]
    present: NDArray[np.bool_]
    """Shape (candidates, words); title, section, source and date count as text."""
    rarity: NDArray[np.float64]
    """Shape (words,): idf among the candidates. A word that all have tells none from another."""

    def columns(self, words: Iterable[str]) -> list[int]:
        """Where these words stand; words that were not asked are left out."""
        place = {word: at for at, word in enumerate(self.words)}
        return [place[word] for word in dict.fromkeys(words) if word in place]


def asked(texts: Iterable[str], candidates: Sequence[Candidate]) -> Asked:
    """Look the content words of the question and its sub-questions up in all candidates."""
    words = list(dict.fromkeys(word for text in texts for word in content_terms(text)))
    present = holds(words, [f"{c.folded_head}\n{c.folded}" for c in candidates])
    count = present.sum(axis=0)
    rarity = np.log1p((len(candidates) - count + 0.5) / (count + 0.5))
    return Asked(words, present, rarity)


def cover(slots: Sequence[Slot], wanted: Asked) -> Cover:
    """Work out which candidate covers how much of which slot."""
    present, rare = wanted.present, wanted.rarity
    count = present.sum(axis=0)
    share = np.zeros((len(present), len(slots)))
    weights = np.zeros(len(slots))
    for at, slot in enumerate(slots):
        columns = wanted.columns(slot.words)
        known = [column for column in columns if count[column]]
        if not known:
            continue
        share[:, at] = present[:, columns] @ (rare[columns] / rare[columns].sum())
        scarce = SCARCE if int((share[:, at] >= FULL).sum()) == 1 else 1.0
        weights[at] = slot.weight * float(rare[known].mean()) * scarce
    total = float(rare.sum())
    confidence = float(rare[count > 0].sum()) / total if total else 0.0
    return Cover(list(slots), share, weights / (weights.sum() or 1.0), confidence)
