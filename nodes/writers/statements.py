"""What the passages say, as statements that can be quoted, each with what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...stores.passage import Passage
from ...stores.text import Span, sentences
from . import markers

Kind = Literal["sentence", "item", "list", "code", "heading"]
_LONGEST_BLOCK = 1500
"""Characters of a list or code block that may still be quoted whole."""
_HEADING = re.compile(r"\s*#{1,6}\s")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_NOISE = re.compile(r"[\W\d_]*$|\{\*.*\*\}$|/{3}|:::|[|\-\s:]+$")
_HANGING = re.compile(
    r"[\"'(“‘\s]*(?:(?:he|she|it|they|this|these|that|those|his|her|its|their|him|them|such|"
    r"however|but|and|also|so|therefore|thus|then|instead|there|otherwise|moreover|"
    r"the (?:latter|former|same|following))\b|"
    "他|她|它|其|该|这|此|因此|但|而|同时|另外|此外|所以|随后|不过)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Statement:
    """Words of one passage that can be quoted. `span` counts characters of the passage's text."""

    passage: int
    """Position in the context; the marker is one more."""
    span: Span
    kind: Kind
    text: str
    around: str
    """Title, section and the sentence before: what the words are about."""
    bare: str
    """The words without mark-up and addresses, for comparing."""
    before: Span | None
    """The sentence before it in the same paragraph or list, if there is one."""
    heading: str = ""
    """The heading it stands under, or else the section of its passage."""

    @property
    def hangs(self) -> bool:
        """True when it begins with a word that points back, such as "it" or "该"."""
        return _HANGING.match(self.bare) is not None

    @property
    def leads(self) -> bool:
        """True when it only leads to what comes after it, such as "do this:"."""
        return self.kind == "sentence" and self.bare.rstrip(" *_").endswith((":", "："))


def statements(passages: Sequence[Passage], *, blocks: bool = False) -> list[Statement]:
    """All statements of the passages in order; with `blocks`, whole lists and code blocks too."""
    found: list[Statement] = []
    for position, passage in enumerate(passages):
        of_passage = _of_passage(position, passage)
        found += [_with_lead(one, passage) for one in of_passage if blocks or one.kind != "code"]
        if blocks:
            found += _lists(position, passage, of_passage)
    return found


_MARK_UP = re.compile(
    r"https?://[^\s)>\]]+|</?[A-Za-z][^>\n]*>|!?\[(?=[^\]\n]*\]\()|\]\([^)\n]*\)|\*\*|__|`"
    r"|\{\s*#[\w-]+\s*\}|^\s*(?:[-*+•]|\d{1,3}[.)])\s+",
    re.MULTILINE,
)


def bare(text: str) -> str:
    """A source's words without Markdown, HTML tags and addresses; link texts and code stay."""
    return _MARK_UP.sub("", text)


def _of_passage(position: int, passage: Passage) -> list[Statement]:
    text = passage["text"]
    topic = " ".join(filter(None, (passage.get("title", ""), passage.get("section", ""))))
    code = markers.code_blocks(text)
    found: list[Statement] = []
    heading = ""
    for span in [*sentences(_without(text, code)), *(Span(*block) for block in code)]:
        piece = text[span.start : span.end]
        if _HEADING.match(piece):
            heading = piece.strip("# \n")
            continue
        if _NOISE.match(piece):
            continue
        kind: Kind = "item" if _ITEM.match(piece) else "sentence"
        kind = "code" if (span.start, span.end) in code else kind
        before = _before(text, found, span)
        said_before = text[before.start : before.end] if before else ""
        around = " ".join(filter(None, (topic, heading, said_before)))
        under = heading or passage.get("section", "").rpartition(" > ")[2]
        found.append(Statement(position, span, kind, piece, around, bare(piece), before, under))
    return sorted(found, key=lambda one: one.span)


def _with_lead(one: Statement, passage: Passage) -> Statement:
    """A code block with the sentence that leads to it; anything else as it is."""
    if one.kind != "code" or one.before is None:
        return one
    span = Span(one.before.start, one.span.end)
    piece = passage["text"][span.start : span.end]
    return replace(one, span=span, text=piece, bare=bare(piece), before=None)


def _without(text: str, blocks: Sequence[tuple[int, int]]) -> str:
    """The text with blocks blanked out, offsets kept."""
    for start, end in blocks:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _before(text: str, found: Sequence[Statement], span: Span) -> Span | None:
    """The sentence just before, unless a heading or more than a blank line is between."""
    earlier = [one.span for one in found[-1:] if one.span.end <= span.start]
    if earlier and not text[earlier[-1].end : span.start].strip():
        return earlier[-1]
    return None


def _lists(position: int, passage: Passage, of_passage: Sequence[Statement]) -> list[Statement]:
    """Runs of list items, and code blocks, each with the sentence that leads into it."""
    text = passage["text"]
    found: list[Statement] = []
    run: list[Statement] = []
    lead: Statement | None = None
    for one in [*of_passage, None]:
        joins = one is not None and (one.kind == "item" or (run and _same_item(text, run[-1], one)))
        if one is not None and joins:
            run.append(one)
            continue
        if len(run) > 1:
            first = lead.span if lead and run[0].before == lead.span else run[0].span
            span = Span(first.start, run[-1].span.end)
            if span.end - span.start <= _LONGEST_BLOCK:
                piece = text[span.start : span.end]
                around = run[0].around
                found.append(
                    Statement(position, span, "list", piece, around, bare(piece), None,
                              run[0].heading)
                )  # fmt: skip
        run, lead = [], one
    return found


def _same_item(text: str, last: Statement, one: Statement) -> bool:
    """Whether a sentence still belongs to the list item before it."""
    return one.kind == "sentence" and "\n" not in text[last.span.end : one.span.start]
