"""How well a statement answers a question: its terms, its order, and the kind of thing it names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...stores.text import content_terms, fold, terms
from ..judges.features import beginnings, near
from ..judges.rarity import rarity
from .asked import Asked, wanted
from .holds import holds
from .language import Language, spoken
from .statements import Statement, bare

_AROUND = 0.6
"""What a term counts that stands only in the title, the heading or the sentence before."""
_FAR = 0.4
"""What a term counts that stands only elsewhere in the passage: it is about the same thing."""
_RUN = 0.5
"""A CJK word of n pairs of signs weighs n ** (1 - _RUN), so that a long name is not everything."""
_PAIRS = 0.15
_HOLDS = 0.25
_LACKS = -0.15
_DEFINES = 0.4
_HEADED = 0.25
"""What a heading in all the words of the question adds to what stands under it."""
_BY = re.compile(r"\bby\s+(?:the\s+)?[A-Z]")
_CODE = re.compile(r"`[^`\n]+`")
"""Code in a sentence names no person, place, time or number that a question asks for."""
_RANK = 0.02
"""What each place further down the context costs."""


@dataclass(frozen=True)
class Scored:
    """A statement with its score for one part of the question."""

    statement: Statement
    score: float
    own: float
    """Weighted share of the part's terms in the words themselves."""
    coverage: float
    """The same in the words or around them."""
    paired: float
    """Share of the part's neighbouring terms that follow each other here, too."""
    holds: bool | None
    """Whether it names the kind of thing asked for; None when no kind was asked for."""


def local_rarity(found: Sequence[Statement]) -> dict[str, float]:
    """How much each term tells these statements apart, 0.2 to 1."""
    seen: Counter[str] = Counter()
    for one in found:
        seen.update(set(terms(one.bare)))
    top = math.log(len(found) + 1) or 1.0
    return {
        term: max(0.2, min(1.0, math.log((len(found) + 1) / (count + 0.5)) / top))
        for term, count in seen.items()
    }


def weigh_terms(part: str, here: dict[str, float]) -> dict[str, float]:
    """The terms of a part with their weights: rare in the language and rare here counts more."""
    found: dict[str, float] = {}
    for run in _runs(content_terms(part)):
        for term in run:
            weight = math.sqrt(rarity(term) * here.get(term, 1.0)) / len(run) ** _RUN
            found[term] = weight * (1.5 if term[0].isdigit() else 1.0)
    return found


def _carried(part: str, tongue: Language, weighed: dict[str, float]) -> dict[str, float]:
    """The terms that another language keeps: Latin words of a Chinese question, else its names."""
    if tongue == "zh":
        return {term: weight for term, weight in weighed.items() if term.isascii()}
    kept = re.findall(r"(?<=\s)[A-Z][\w.+#-]*|\b\w*[a-z][A-Z]\w*|\d[\d.]*", part)
    return {term: weighed[term] for term in content_terms(" ".join(kept)) if term in weighed}


def _runs(ordered: Sequence[str]) -> list[list[str]]:
    """Terms grouped: the pairs of signs of one CJK word or name together, all others alone."""
    runs: list[list[str]] = []
    for term in ordered:
        last = runs[-1][-1] if runs else ""
        joins = len(term) == 2 == len(last) and not term.isascii() and last[1] == term[0]
        if joins:
            runs[-1].append(term)
        else:
            runs.append([term])
    return runs


def score(
    part: str, asked: Asked, found: Sequence[Statement], here: dict[str, float]
) -> list[Scored]:
    """Score every statement for one part of the question, best first; ties in context order."""
    wanted_terms = weigh_terms(part, here)
    ordered = content_terms(part)
    pairs = set(pairwise(ordered))
    wants = asked.wants if len(asked.parts) == 1 else wanted(part)
    topics: dict[int, set[str]] = {}
    for one in found:
        topics.setdefault(one.passage, set()).update(terms(one.bare))
    scored = []
    carried = _carried(part, asked.language, wanted_terms)
    for one in found:
        foreign = spoken(one.bare) != asked.language
        wanted_here = carried if foreign else wanted_terms
        total = sum(wanted_here.values()) or 1.0
        said = terms(one.bare)
        have, context = set(said), set(terms(one.around))
        starts = beginnings(have)
        hits = {term: near(term, have, starts) for term in wanted_here}
        own = sum(weight * hits[term] for term, weight in wanted_here.items())
        around = sum(w for t, w in wanted_here.items() if t in context and not hits[t])
        topic = topics[one.passage] - context
        far = sum(w for t, w in wanted_here.items() if t in topic and not hits[t])
        kept = [term for term in said if term in wanted_here]
        paired = len(pairs & set(pairwise(kept))) / max(1, len(pairs))
        said_in_words = bare(_CODE.sub(" ", one.text)) if one.kind != "code" else one.bare
        has = holds(wants, said_in_words, asked.question, one.around) if own else None
        value = (
            (own + _AROUND * around + _FAR * far) / total + _PAIRS * paired - _RANK * one.passage
        )
        under = set(terms(one.heading))
        headed = sum(w for t, w in wanted_here.items() if t in under) / total
        value += _HEADED * headed if wants in ("steps", "code", "what") else 0.0
        value += {True: _HOLDS, False: _LACKS, None: 0.0}[has] + _fit(one, asked, len(said))
        value = value if own else 0.0
        scored.append(Scored(one, value, own / total, (own + around) / total, paired, has))
    return sorted(scored, key=lambda each: (-each.score, each.statement.passage,
                                            each.statement.span))  # fmt: skip


def _defines(text: str, subject: str) -> bool:
    """Whether a sentence says what the subject is: "X is a ...", "X（...）是..."."""
    named = re.escape(fold(subject))
    pattern = (
        rf"(?:^|[,，:：] ?)\W*(?:an? |the )?{named}[\"'”」』*`]*(?: ?[(（][^)）]*[)）])?,? ?"
        r"(?:(?:is|are|was|were|refers to|means|stands for)\b|是|指|为|即)"
    )
    return re.search(pattern, fold(text)) is not None


def _fit(one: Statement, asked: Asked, length: int) -> float:
    """What the shape of a statement adds: lists fit steps, code fits code; stubs lose."""
    value = 0.0 if spoken(one.bare) == asked.language else -0.2
    if one.kind in ("list", "code"):
        numbered = re.search(r"^\s*1[.)]\s", one.text, re.MULTILINE) is not None
        fits = (asked.wants, one.kind) in {("code", "code"), ("steps", "code")}
        value += 0.15 if fits or (asked.wants == "steps" and numbered) else -0.2
    if fold(one.bare).rstrip().endswith("?"):
        value -= 0.3
    if (said := fold(asked.question).strip(" ?？")) and said in fold(one.bare):
        value -= 0.6  # it asks the same: an example, or a heading of a list of questions
    if one.leads:  # to code that may not be here: what it says is how it is done
        value -= 0.1 if asked.wants == "steps" else 0.3
    if asked.subject and _defines(one.bare, asked.subject):
        value += _DEFINES
    if asked.wants == "who" and _BY.search(one.bare):
        value += 0.1
    if length < 4:
        value -= 0.3
    elif length > 120:
        value -= 0.1
    return value
