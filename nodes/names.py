"""Names in a text: what it is about, without a model. English by capitals, Chinese by its cut."""

from __future__ import annotations

import re

from ..stores.passage import Passage
from ..stores.text import STOP_ZH, content_terms, fold, has_cjk

_ASIDE = re.compile(r"\s*[(（][^)）]*[)）]\s*$")
_WORD = r"[A-Z][\w'’-]+"
_NAME = re.compile(rf"\b{_WORD}(?:\s+(?:(?:of|the|de|la|von|van)\s+)?{_WORD})*|\b\d{{4}}\b")
_NAME_ZH = re.compile(r"[《「“]([^》」”]{2,30})[》」”]|[A-Za-z][\w.+-]+|\d{4}(?=年)")
_RUN_ZH = re.compile(r"[\u4e00-\u9fff]{2,}")
_STOP_ZH = re.compile("|".join(sorted(map(re.escape, STOP_ZH), key=len, reverse=True)))
_OPENING = (
    "The A An In It He She His Her They This That These Those On At From After As For Its Their "
    "However During By With When While Although Before Since But And Or If Also There One"
)
_OPENERS = frozenset(_OPENING.split())
"""Words with a capital at the start of a sentence that name nothing."""


def title_of(passage: Passage) -> str:
    """The title, folded and without an aside in brackets; empty when it is too short to tell."""
    title = _ASIDE.sub("", fold(passage.get("title", ""))).strip()
    return title if len(title) >= (2 if has_cjk(title) else 3) else ""


def names_in(text: str) -> list[str]:
    """Names and years in a text, in order, each once; Chinese ones by their marks and their cut.

    Chinese has no capitals, so what stands between function words and is two to eight characters
    long counts: only those that a second passage shares are ever used.
    """
    if not has_cjk(text):
        found = [_without_opener(match.group()) for match in _NAME.finditer(text)]
        found = [name for name in found if not _only_opens(name, text)]
    else:
        found = [match.group(1) or match.group() for match in _NAME_ZH.finditer(text)]
        pieces = (piece for run in _RUN_ZH.findall(text) for piece in _STOP_ZH.split(run))
        found += [piece for piece in pieces if 2 <= len(piece) <= 8]
    return [name for name in dict.fromkeys(found) if name]


def _only_opens(name: str, text: str) -> bool:
    """True for a single word whose capital is owed to its place: it stands at starts only."""
    if not name.isalpha() or not name[1:].islower():
        return False
    inside = rf"(?<![.!?:;|>#*\n] )(?<![.!?:;|>#*\n\"“(\[])(?<!^)\b{name}\b"
    return re.search(inside, text) is None


def _without_opener(name: str) -> str:
    words = name.split()
    while words and words[0] in _OPENERS:
        words = words[1:]
    return " ".join(words)


def holds_name(text: str, name: str) -> bool:
    """True when a folded text holds a folded name as words of their own."""
    at = text.find(name)
    while name and at >= 0:
        end = at + len(name)
        if has_cjk(name) or not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(name, at + 1)
    return False


def leads_from(question: str, passage: Passage, most: int = 12) -> list[str]:
    """Names in a passage that the question does not hold: what the next search asks for."""
    asked = fold(question)
    names = [passage.get("title", ""), *names_in(passage["text"])]
    return [name for name in dict.fromkeys(names) if name and not holds_name(asked, fold(name))][
        :most
    ]


def left_open(question: str, passage: Passage) -> str:
    """The words of the question that a passage does not hold, in order."""
    held = set(content_terms(f"{passage.get('title', '')}\n{passage['text']}"))
    if has_cjk(question):
        pieces = [p for run in _RUN_ZH.findall(question) for p in _STOP_ZH.split(run) if p]
        return " ".join(piece for piece in pieces if not set(content_terms(piece)) <= held)
    words = question.rstrip("?").split()
    return " ".join(word for word in words if not set(content_terms(word)) <= held)
