"""Cut a document into passages that tile it, and put it together again.

A piece holds about 300 words and ends where a sentence ends (300-word pieces: Self-Route,
arXiv:2407.16833, section 3). A Chinese, Japanese or Korean character, its punctuation included,
counts as one word, so a piece never has more than `words` such characters; a run of more than 20
letters without a space counts one word for each ten. White space belongs to the piece before it,
so the pieces joined are the document, character for character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from .errors import SettingsError, StoreError
from .passage import ABOUT, Document, Passage
from .text import sentences

WORDS = 300
_CJK = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff65"
_TOKEN = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")
_LONGEST, _LETTERS = 20, 10
"""A run without spaces is one word up to the first, and above it one word for each ten letters."""
_CLOSING = "。，、；：！？…）」』】》〉”’,.;:!?)]}"
"""Signs that no piece may begin with."""
_PAUSE = re.compile(r"[，、；：。！？…,;:]+[”’」』）)]*|\s+")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
_ANCHOR = re.compile(r"\s*\{\s*#[^}]*\}\s*$")
_FULL_ENOUGH = 0.25
"""A heading starts a new piece once the piece before it has this share of its words."""


@dataclass(frozen=True)
class Heading:
    """A heading of Markdown and where its line begins."""

    start: int
    level: int
    title: str


@dataclass(frozen=True)
class _Unit:
    """The smallest stretch that is not cut: a sentence with the space after it."""

    start: int
    end: int
    words: int
    heading: bool


def count_words(text: str) -> int:
    """Words of a text as sizes of pieces count them; see the top of this module."""
    return sum(map(_size, _TOKEN.findall(text)))


def _size(token: str) -> int:
    return 1 if len(token) <= _LONGEST else -(-len(token) // _LETTERS)


def headings(text: str) -> list[Heading]:
    """Headings of Markdown in order; what stands inside code fences is no heading."""
    found: list[Heading] = []
    fence = ""
    at = last_start = 0
    last_line = ""
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if mark := _FENCE.match(bare):
            opened = mark.group(1)
            if not fence:
                fence = opened[:3]
            elif opened.startswith(fence) and not bare.strip(" `~"):
                fence = ""
        elif not fence:
            if match := _HEADING.match(bare):
                title = _ANCHOR.sub("", match.group(2)).strip()
                found.append(Heading(at, len(match.group(1)), title))
            elif _UNDERLINE.match(bare) and last_line.strip() and "#" not in last_line[:1]:
                found.append(Heading(last_start, 1, last_line.strip()))
        last_start, last_line = at, bare
        at += len(line)
    return [heading for heading in found if heading.title]


def split(document: Document, words: int = WORDS) -> list[Passage]:
    """Cut a document into passages of at most `words` words; a blank document has none.

    `text[start:end]` of the document is each passage's text, ids are `document#0`, `document#1` and
    so on in order, and `section` is the path of headings over its first words ("Guide > Install").
    Raises `SettingsError` when `words` is below 1.
    """
    if words < 1:
        raise SettingsError(f"words is {words}. A piece needs at least 1 word; 300 is usual.")
    text = document["text"]
    if not text.strip():
        return []
    marks = headings(text)
    about = {name: value for name, value in document.items() if name in ABOUT and value}
    pieces: list[Passage] = []
    for start, end in _pack(_units(text, words, marks), words):
        piece = {
            "id": f"{document['id']}#{len(pieces)}",
            "document_id": document["id"],
            "text": text[start:end],
            "start": start,
            "end": end,
            "section": _section(marks, start, end, text),
        }
        pieces.append(cast(Passage, piece | about))
    return pieces


def join(pieces: Sequence[Passage]) -> str:
    """Put a document together again from all its pieces, in any order.

    Raises `StoreError` when a piece is missing or two do not meet.
    """
    ordered = sorted(pieces, key=lambda piece: piece["start"])
    at = 0
    for piece in ordered:
        if piece["start"] != at or piece["end"] - at != len(piece["text"]):
            raise StoreError(
                f"Document {piece['document_id']!r} cannot be put together: its pieces do not meet "
                f"at character {at}. Index it again."
            )
        at = piece["end"]
    return "".join(piece["text"] for piece in ordered)


def piece_number(passage_id: str) -> int | None:
    """The place of a passage among its document's pieces, from 0; None for an id of another make.

    Its neighbours have the numbers beside it.
    """
    number = passage_id.rpartition("#")[2]
    return int(number) if "#" in passage_id and number.isdecimal() else None


def _section(marks: Sequence[Heading], start: int, end: int, text: str) -> str:
    """Headings over the first words of a piece, outermost first.

    A heading that opens the piece counts, and so do those that follow it with nothing between.
    """
    path: list[Heading] = []
    for mark in marks:
        if mark.start >= end:
            break
        if mark.start >= start:
            between = text[start : mark.start]
            if any(line.strip() and not _HEADING.match(line) for line in between.splitlines()):
                break
        path = [above for above in path if above.level < mark.level]
        path.append(mark)
    return " > ".join(mark.title for mark in path)


def _units(text: str, words: int, marks: Sequence[Heading]) -> list[_Unit]:
    """Sentences with the space after them; one that is over the size is cut."""
    starts = {mark.start for mark in marks}
    spans = sentences(text)
    units: list[_Unit] = []
    for number, span in enumerate(spans):
        start = span.start if number else 0
        end = spans[number + 1].start if number + 1 < len(spans) else len(text)
        if count_words(text[start:end]) <= words:
            heading = _line_start(text, span.start) in starts
            units.append(_Unit(start, end, count_words(text[start:end]), heading))
        else:
            units.extend(_cut(text, start, end, words))
    return units


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _cut(text: str, start: int, end: int, words: int) -> list[_Unit]:
    """Cut a long sentence at pauses or spaces where there are any, else hard."""
    units: list[_Unit] = []
    while start < end:
        stop, used = _reach(text, start, end, words)
        if stop < end:
            pauses = [match.end() for match in _PAUSE.finditer(text, start, stop)]
            fitting = [at for at in pauses if at > start + (stop - start) // 2]
            stop = _not_before_closing(text, start, fitting[-1] if fitting else stop)
            used = count_words(text[start:stop])
        units.append(_Unit(start, stop, used, False))
        start = stop
    return units


def _reach(text: str, start: int, end: int, words: int) -> tuple[int, int]:
    """How far `words` words go from `start`, white space after the last one included."""
    used, stop = 0, start
    for token in _TOKEN.finditer(text, start, end):
        size = _size(token.group())
        if used + size > words:
            if used == 0 or size > words:
                stop = max(stop, token.start()) + (words - used) * _LETTERS
                used = words
            else:
                stop = token.start()
            return min(stop, end), used
        used, stop = used + size, token.end()
    return end, used


def _not_before_closing(text: str, start: int, stop: int) -> int:
    """Step back so that the next piece does not begin with closing punctuation.

    Stays where it is when the whole stretch is such signs.
    """
    at = stop
    while at > start + 1 and at < len(text) and text[at] in _CLOSING:
        at -= 1
    return at if at > start + 1 or text[at : at + 1] not in _CLOSING else stop


def _pack(units: Sequence[_Unit], words: int) -> list[tuple[int, int]]:
    """Fill pieces with whole units; a heading goes with what follows it."""
    spans: list[tuple[int, int]] = []
    held: list[_Unit] = []
    size = 0
    for unit in units:
        new_section = unit.heading and size >= words * _FULL_ENOUGH and not held[-1].heading
        if held and (size + unit.words > words or new_section):
            kept = _without_last_headings(held)
            spans.append((kept[0].start, kept[-1].end))
            held = held[len(kept) :]
            size = sum(one.words for one in held)
            if held and size + unit.words > words:
                spans.append((held[0].start, held[-1].end))
                held, size = [], 0
        held.append(unit)
        size += unit.words
    if held:
        spans.append((held[0].start, held[-1].end))
    return spans


def _without_last_headings(units: list[_Unit]) -> list[_Unit]:
    """The units without the headings at their end, which open the next piece instead."""
    count = len(units)
    while count > 1 and units[count - 1].heading:
        count -= 1
    return units[:count] if not units[count - 1].heading else units
