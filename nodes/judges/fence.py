"""Marks round a text that is to be judged, which the text itself can neither close nor forge."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

TAGS = (
    "answer",
    "context",
    "document",
    "draft",
    "evidence",
    "history",
    "passage",
    "passages",
    "question",
    "sentence",
    "sources",
)
"""Every tag that a prompt fences a text with: none of them can be written inside any fence."""

# Signs that a model may read as "<" although NFKC does not make them one.
_OPENERS = "<‹«〈《⟨⟪〈❮❰≺⧼˂ᐸ"
_CONFUSABLE = str.maketrans("аеорсѕіјухһԁɡոυԛαοιρτν", "aeopcsijyxhdgnuqaoiptv")
_MAYBE = re.compile(rf"[{_OPENERS}＜﹤]|&(?:amp;)*(?:lt|#0*60|#x0*3c)", re.IGNORECASE)


def fence(tag: str, text: str, **attributes: object) -> str:
    """Return the text between `<tag ...>` and `</tag>`, each on a line of its own.

    Whatever in the text looks like one of our fences, or like the control marks of a chat template
    (`<|im_start|>`), loses its opening bracket: any case, full-width, entities, look-alike letters
    and zero-width characters in between included. Other text stays as it is. Attributes that are
    None or empty are left out.
    """
    words = "".join(
        f' {name}="{_attribute(str(value))}"'
        for name, value in attributes.items()
        if value is not None and str(value) != ""
    )
    return f"<{tag}{words}>\n{neutral(text, tag)}\n</{tag}>"


def neutral(text: str, *more_tags: str) -> str:
    """The text without anything that could be taken for a fence."""
    if not _MAYBE.search(text):
        return text
    folded, where = _folded(text)
    pieces: list[str] = []
    done = 0
    for match in _forged(more_tags).finditer(folded):
        start, end = where[match.start(1)], where[match.end(1) - 1] + 1
        if start >= done:
            pieces += [text[done:start], "("]
            done = end
    return "".join([*pieces, text[done:]])


@lru_cache(maxsize=64)
def _forged(more_tags: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted({*TAGS, *more_tags}, key=len, reverse=True)))
    opener = rf"([{_OPENERS}]|&(?:amp;)*(?:lt;?|#0*60;?|#x0*3c;?))"
    return re.compile(rf"{opener}(?:[\s/\\|!?]*(?:{names})|\|\s*\w+\s*\||(?:start|end)_of_turn)")


def _folded(text: str) -> tuple[str, list[int]]:
    """The text as a model may see it, and for each of its characters the place it came from."""
    folded: list[str] = []
    where: list[int] = []
    for place, char in enumerate(text):
        for sign in _fold(char):
            folded.append(sign)
            where.append(place)
    return "".join(folded), where


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    if char.isspace() or (char.isascii() and char.isprintable()):
        return char.lower()
    if unicodedata.category(char) in ("Cf", "Mn", "Me", "Cc") or char in "\u115f\u1160\u3164":
        return ""
    # Letters with accents come apart, so that the accents can be left out as well.
    parts = unicodedata.normalize("NFKD", char).casefold().translate(_CONFUSABLE)
    return "".join(p for p in parts if unicodedata.category(p) != "Mn")


def _attribute(value: str) -> str:
    value = " ".join(value.split()).replace('"', "'")
    return re.sub(rf"[{_OPENERS}>＜＞﹤﹥]", "", value)[:200]
