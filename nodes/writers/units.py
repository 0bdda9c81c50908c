"""An answer cut into the statements that must be grounded.

A unit is a sentence, a list item, a table or a code block. An item is a unit of its own because it
is true or false on its own; the sentence that leads into the list comes before it as context.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...stores.text import Span, sentences
from . import markers

Kind = Literal["sentence", "item", "table", "code", "heading"]
_HEADING = re.compile(r"#{1,6}\s")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)、]|[(（]\d{1,2}[)）])\s+|\d{1,2}、")
_RULE = re.compile(r"[-*_=|:\s]*$")
_EMPHASIS = re.compile(r"(\*\*|__|\*|(?<!\w)_)(?=\S)(.+?)(?<=\S)\1")
_LINK = re.compile(r"!?\[([^\[\]\n]+)\]\([^()\n]*\)")


@dataclass(frozen=True)
class Unit:
    """One statement of an answer."""

    text: str
    """What to judge: no markers, no list sign, no emphasis."""
    start: int
    end: int
    """`answer[start:end]` is the unit as written, its markers included."""
    kind: Kind
    markers: tuple[int, ...]
    """Numbers of the passages it cites, in order."""
    before: tuple[str, ...]
    """The statements before it, nearest last; at most three."""


def units(answer_text: str) -> list[Unit]:
    """Cut an answer into the statements to ground, in order; headings and rules are left out."""
    found: list[Unit] = []
    all_markers = markers.find(answer_text)
    for span, kind in _pieces(answer_text):
        inside = [m for m in all_markers if span.start <= m.start < span.end]
        numbers = tuple(dict.fromkeys(n for m in inside for n in m.numbers))
        text = plain(answer_text[span.start : span.end], kind)
        if kind == "heading" or not text or _RULE.match(text):
            continue
        before = tuple(unit.text for unit in found[-3:])
        found.append(Unit(text, span.start, span.end, kind, numbers, before))
    return found


def plain(text: str, kind: Kind = "sentence") -> str:
    """The words of a unit as they are judged."""
    text = text if kind == "code" else markers.strip(text)
    if kind in ("sentence", "item"):
        text = _ITEM.sub("", text.strip(), count=1) if kind == "item" else text
        text = _LINK.sub(r"\1", _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text)))
        text = re.sub(r"\s+", " ", text).lstrip("> ")
    return text.strip()


def _pieces(text: str) -> list[tuple[Span, Kind]]:
    """Spans of the units with their kinds, markers after a sentence's end drawn in."""
    masked = markers.mask(text)
    pieces: list[tuple[Span, Kind]] = []
    at = 0
    for start, end in [*markers.code_blocks(text), (len(text), len(text))]:
        for span in sentences(masked[at:start]):
            _append(pieces, Span(at + span.start, at + span.end), masked)
        if end > start:
            pieces.append((Span(start, end), "code"))
        at = end
    return [(Span(span.start, _reach(text, span.end)), kind) for span, kind in pieces]


def _append(pieces: list[tuple[Span, Kind]], span: Span, masked: str) -> None:
    """Add a sentence; rows of one table and sentences of one list item become one unit."""
    line = masked[span.start : span.end]
    gap = masked[pieces[-1][0].end : span.start] if pieces else ""
    kind: Kind = "sentence"
    if line.startswith("|"):
        kind = "table"
    elif _HEADING.match(line):
        kind = "heading"
    elif _ITEM.match(line):
        kind = "item"
    elif pieces and pieces[-1][1] == "item" and "\n" not in gap:
        kind = "item"
        pieces[-1] = (Span(pieces[-1][0].start, span.end), kind)
        return
    if kind == "table" and pieces and pieces[-1][1] == "table" and gap.count("\n") < 2:
        pieces[-1] = (Span(pieces[-1][0].start, span.end), kind)
        return
    pieces.append((span, kind))


def _reach(text: str, end: int) -> int:
    """Draw in the markers that follow a sentence on its line."""
    for marker in markers.find(text):
        if marker.start >= end and not text[end : marker.start].strip(" \t"):
            end = marker.end
    return end
