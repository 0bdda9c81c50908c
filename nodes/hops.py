"""What leads from one passage to the next: the names that questions of several steps turn on.

A question such as "Where was the director of X born?" has no passage that resembles it and answers
it. The passage on X names the director, and the passage on the director holds the answer. So a
passage is worth more when it is about something that the question names, or that a good passage
names and the question does not. Plain counting, no model. The signals were compared by fits over
halves of HotpotQA, MuSiQue and 2WikiMultihopQA questions; the weights below are rounded by hand.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..stores.passage import Passage
from ..stores.text import content_terms, fold, has_cjk
from .judges.rarity import rarity
from .names import holds_name, names_in, title_of

GRADED, WORDED, ASKED_FOR, NAMED, SHARED = 0.3, 0.4, 1.0, 0.55, 0.35
"""What counts how much: the grade, the question's words, a title that the question names, a title
that another passage names, a rare name that both have."""
LEADS_ON = 0.25
"""A passage that the lead of another makes worth this much is used even when it does not resemble
the question."""
STEP = 0.6
"""Total worth from which on the same holds."""
NEAR = 0.2
"""Share of the floor from which on a passage is used when no single passage holds it all."""
MOST, ALMOST_ALL = 0.85, 0.95
"""Share of a question's words, weighted by rarity, that one passage must hold."""
_K1, _B = 1.2, 0.75
_DESCRIBES = re.compile(
    r"\w.*?\b(?:where|who|whose|which|that|whom)\b|"  # the country where, the man who
    r"\b(?:the|its|his|her) (?:\w+ ){1,2}of (?:the|a|an)\b|"  # the capital of the
    r"\bof the (?:\w+ ){1,2}(?:of|in|by|who|that)\b|\w+['’]s? \w+['’]s?\s|"  # X's father's
    r"\b(?:both|which of|older|younger|or|(?:more|less|earlier|later|larger|same)(?: \w+)?)\b",
    re.IGNORECASE,
)
_DESCRIBES_ZH = re.compile("的.{1,8}的.{1,12}(?:是|在|有|叫)|哪一?个更|谁更|相比|比较|还是|分别|都")


@dataclass(frozen=True)
class Worth:
    """How much a passage is worth as evidence, and how much of that another passage gives it."""

    total: float
    lead: float


def worths(
    question: str, passages: Sequence[Passage], grades: Mapping[str, float]
) -> dict[str, Worth]:
    """Worth by passage id, for passages that were found for one question.

    `grades` are the judge's scores by id, 0 to 1; 0.5 where there is none. Scores of a search are
    not used: those of different queries cannot be compared.
    """
    asked = fold(question)
    titles = [title_of(passage) for passage in passages]
    texts = [fold(passage["text"]) for passage in passages]
    wording = _wording(question, passages)
    own = [
        GRADED * grades.get(passage["id"], 0.5)
        + WORDED * words
        + ASKED_FOR * holds_name(asked, title)
        for passage, words, title in zip(passages, wording, titles, strict=True)
    ]
    leads = _leads(asked, passages, titles, texts, own)
    return {
        passage["id"]: Worth(alone + lead, lead)
        for passage, alone, lead in zip(passages, own, leads, strict=True)
    }


def _wording(question: str, passages: Sequence[Passage]) -> list[float]:
    """BM25 of each passage for the question among these passages, the best being 1."""
    counts = [Counter(content_terms(f"{p.get('title', '')}\n{p['text']}")) for p in passages]
    sizes = [sum(count.values()) for count in counts]
    mean = sum(sizes) / max(1, len(sizes)) or 1.0
    scores = [0.0] * len(passages)
    for term in dict.fromkeys(content_terms(question)):
        having = sum(term in count for count in counts)
        rarity = math.log1p((len(counts) - having + 0.5) / (having + 0.5))
        for at, (count, size) in enumerate(zip(counts, sizes, strict=True)):
            if times := count[term]:
                scores[at] += (
                    rarity * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * size / mean))
                )
    best = max(scores, default=0.0) or 1.0
    return [score / best for score in scores]


def _leads(
    asked: str,
    passages: Sequence[Passage],
    titles: Sequence[str],
    texts: Sequence[str],
    own: Sequence[float],
) -> list[float]:
    """What the best passage that leads to each one gives it."""
    rare = _rare_names(asked, passages, titles, texts)
    leads = [0.0] * len(passages)
    for there, title in enumerate(titles):
        known = holds_name(asked, title)
        for here, text in enumerate(texts):
            if here == there or (title and titles[here] == title):
                continue
            if not known and holds_name(text, title):
                link = NAMED
            else:
                both = rare[here].keys() & rare[there].keys()
                link = SHARED * max((rare[here][name] for name in both), default=0.0)
            leads[there] = max(leads[there], own[here] * link)
    return leads


def _rare_names(
    asked: str, passages: Sequence[Passage], titles: Sequence[str], texts: Sequence[str]
) -> list[dict[str, float]]:
    """For each passage the names that some other shares and the question lacks, with rarity.

    Rarity is 1 for a name that one passage has, 0 for one that all have.
    """
    named = {fold(name) for passage in passages for name in names_in(passage["text"])}
    named |= {title for title in titles if title}
    whole = [f"{title}\n{text}" for title, text in zip(titles, texts, strict=True)]
    rare: list[dict[str, float]] = [{} for _ in passages]
    for name in sorted(named):
        if holds_name(asked, name):
            continue
        having = [at for at, text in enumerate(whole) if holds_name(text, name)]
        if 2 <= len(having) < len(passages):
            rarity = math.log(len(passages) / len(having)) / math.log(len(passages))
            for at in having:
                rare[at][name] = rarity
    return rare


def one_holds_it(question: str, passages: Sequence[Passage]) -> bool:
    """True when a single passage holds most of what the question is about, by words.

    Where none does, the question may need several passages, one leading to the next. A question
    that describes what it does not name ("the country where X is") must be held almost in full.
    """
    share = ALMOST_ALL if describes(question) else MOST
    asked = {term: rarity(term) for term in content_terms(question)}
    total = sum(asked.values())
    for passage in passages:
        held = set(content_terms(f"{passage.get('title', '')}\n{passage['text']}"))
        if sum(weight for term, weight in asked.items() if term in held) >= share * total:
            return True
    return False


def describes(question: str) -> bool:
    """True when the question points to something by a description or compares two things."""
    pattern = _DESCRIBES_ZH if has_cjk(question) else _DESCRIBES
    return bool(pattern.search(question))
