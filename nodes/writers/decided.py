"""Yes or no, and which of two, where the sources settle it; else nothing, and the quotes speak."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...stores.text import content_terms, fold, terms
from ..judges.numbers import dates, numbers
from .asked import Asked
from .language import say
from .statements import Statement

_NOT = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|isn|aren|wasn|weren|don|doesn|didn|can|won|"
    r"couldn|shouldn)(?:['’]t)\b|\b(?:not|no|never|none|neither|nor|without|cannot)\b|"
    "不(?![同断仅只但论管过])|没有?|未(?!来)|无(?!论)|非(?!常)|勿|禁止",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|reportedly|allegedly|rumou?red|if|unless|usually|some|"
    r"except|but|however|although|though)\b|可能|也许|据传|如果|除非|有时|但|除了",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:first|earlier|older|oldest|before)\b|更早|先|较早|年长|更老|年龄更?大", re.I
)
_LATER = re.compile(
    r"\b(?:later|younger|newer|more recent(?:ly)?|last)\b|更晚|后|较晚|年轻|更新", re.I
)
_MORE = re.compile(
    r"\b(?:more|larger|bigger|higher|taller|longer|greater|heavier|most|largest|highest|longest|"
    r"tallest)\b|更[多大高长重]|较[多大高长重]|最[多大高长重]",
    re.I,
)
_LESS = re.compile(
    r"\b(?:fewer|less|smaller|lower|shorter|lighter)\b|更[少小低短轻]|较[少小低短轻]", re.I
)
_CLAUSE = re.compile(r"[,;:，；：。]|\b(?:and|but|or|while|whereas)\b|但是?|而且?|并且?")
_MOSTLY = 0.6
_ABOUT_IT = 0.25


def decide(asked: Asked, best: Sequence[Statement]) -> str:
    """The verdict in the question's language, or "" when the sources leave it open.

    Yes and no need one sentence that holds every term of the question without a hedge, and no
    other such sentence that says the opposite.
    """
    if asked.wants == "yes_no":
        said = {_says_yes(asked, one) for one in best} - {None}
        if len(said) == 1:
            return say("yes" if said.pop() else "no", asked.language)
    if asked.options:
        option = _compare(asked, best) or _only_one(asked, best)
        return say("choice", asked.language, option=option) if option else ""
    return ""


def _says_yes(asked: Asked, one: Statement) -> bool | None:
    wanted = set(content_terms(asked.question))
    have = set(terms(one.text)) | set(terms(one.around))
    own = set(terms(one.text))
    if not wanted or not _holds_all(asked.question, have) or _HEDGE.search(one.text):
        return None
    if len(wanted & own) < _MOSTLY * len(wanted) or one.text.rstrip().endswith(("?", "？")):
        return None
    asked_to_deny = _denies(_without_form(asked.question), wanted)
    denies = _denies(one.text, wanted)
    return None if denies is None or asked_to_deny is None else denies == asked_to_deny


def _holds_all(question: str, have: set[str]) -> bool:
    """Whether all terms are there; a CJK pair across two words may lack when both sides are there.

    Another word in place of one breaks two pairs in a row, so that it never passes.
    """
    ordered = content_terms(question)
    for at, term in enumerate(ordered):
        if term in have:
            continue
        inside = 0 < at < len(ordered) - 1 and len(term) == 2 and not term.isascii()
        if not inside or ordered[at - 1] not in have or ordered[at + 1] not in have:
            return False
        if ordered[at - 1][-1] != term[0] or ordered[at + 1][0] != term[1]:
            return False
    return True


def _denies(text: str, wanted: set[str]) -> bool | None:
    """Whether a negation stands right before a wanted term; None when its reach is unclear.

    Only clauses that hold a good share of the wanted terms after the negation are looked at.
    """
    unclear = False
    for clause in _CLAUSE.split(text):
        match = _NOT.search(clause)
        after = content_terms(clause[match.end() :]) if match else []
        if not after or len(wanted & set(after)) < _ABOUT_IT * len(wanted):
            continue
        if after[0] in wanted:
            return True
        unclear = True
    return None if unclear else False


def _without_form(question: str) -> str:
    """The question without "是不是", "有没有", "能不能": forms of asking, no negations."""
    return re.sub(r"(\w)不\1|有没有|是否|能否|可否", "", question)


def _only_one(asked: Asked, best: Sequence[Statement]) -> str:
    """The option that alone stands in a sentence with the rest of the question, not denied."""
    first, second = asked.options or ("", "")
    rest = set(content_terms(asked.question)) - set(content_terms(first)) - set(
        content_terms(second)
    )  # fmt: skip
    found: set[str] = set()
    for one in best:
        has = [_names(option, one.text) for option in (first, second)]
        told = len(rest & set(terms(one.text + " " + one.around))) >= _MOSTLY * len(rest)
        if has[0] != has[1] and rest and told and not _NOT.search(one.text):
            found.add(first if has[0] else second)
    return found.pop() if len(found) == 1 else ""


def _compare(asked: Asked, best: Sequence[Statement]) -> str:
    """The option with the earlier or later date, or the larger or smaller figure."""
    first, second = asked.options or ("", "")
    question = asked.question
    in_time = _EARLIER.search(question) or _LATER.search(question)
    if not (in_time or _MORE.search(question) or _LESS.search(question)):
        return ""
    figures = [
        {_figure(one.text, bool(in_time)) for one in best if names_only(option, other, one.text)}
        for option, other in ((first, second), (second, first))
    ]
    known = [[figure for figure in each if figure is not None] for each in figures]
    if any(len(each) != 1 for each in known) or known[0] == known[1]:
        return ""
    first_is_less = known[0][0] < known[1][0]
    wants_less = bool(_EARLIER.search(question) or _LESS.search(question))
    return first if first_is_less == wants_less else second


def _figure(text: str, in_time: bool) -> tuple[float, ...] | None:
    """The one date, or the one number, of a sentence; None when there are none or several."""
    if in_time:
        found = {(float(d.year), float(d.month), float(d.day)) for d in dates(text) if d.year}
        return min(found) if len(found) == 1 else None
    plain = {float(number.value) for number in numbers(text)}
    return (plain.pop(),) if len(plain) == 1 else None


def names_only(option: str, other: str, text: str) -> bool:
    """Whether a text names one option and not the other."""
    return _names(option, text) and not _names(other, text)


def _names(option: str, text: str) -> bool:
    wanted = content_terms(option)
    have = set(terms(text))
    return fold(option) in fold(text) or (bool(wanted) and all(term in have for term in wanted))
