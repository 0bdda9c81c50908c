"""Citation markers in a text: finding them, and telling them from other brackets.

A marker is a number, or a few, in brackets: [1], [2][3], [1, 2], [1-3], 【1】, 【1†source】, ［1］,
[^1], [source 2], [来源 2]. Not markers: anything in code, links and link definitions, array
literals, indexes, and numbers no list of sources reaches, such as [2020]. A [0] is one only where a
sentence ends.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...stores.text import has_cjk

_LARGEST = 99
_ENDERS = tuple(".!?。！？")
_NUMBERS = r"\d{1,4}(?:\s*(?:[,，、;；–-]|\band\b|和)\s*\^?\d{1,4})*"
_WORD = (
    r"(?:(?:sources?|passages?|refs?|references?|documents?|docs?|来源|段落|文献|资料|参考)"
    r"\s*[#:：]?\s*)?"
)
_MARKER = re.compile(
    rf"\[\^?{_WORD}(?P<a>{_NUMBERS})\]|[【［]\^?{_WORD}(?P<b>{_NUMBERS})(?:†[^】］\n]{{0,80}})?[】］]",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ ]{0,3}(```+|~~~+)[^\n]*\n.*?(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")
_LINK = re.compile(
    r"!?\[[^\[\]\n]*\]\([^()\n]*\)|!?\[[^\[\]\n]*[^\[\]\d\s^,][^\[\]\n]*\]\[[^\]\n]*\]"
)
_DEFINITION = re.compile(r"^[ ]{0,3}\[[^\]\n]+\]:\s.*$", re.M)
_MATH = re.compile(r"\$\$[^$\n]+\$\$|\$[^$\n]*[\\^_=][^$\n]*\$")
_CLOSED = re.compile(r"[^\]】］]*[\]】］](?:[^(]|\([^)]*\).)", re.S)
_ARRAY_BEFORE = re.compile(
    r"""(?:=|["']\s*:|\w\(|\b(?:array|list|vector|tuple|range|interval|slice|index))\s*$"""
    r"|(?:数组|列表|向量|区间|范围)(?:是|为)?\s*$|\b[a-z]\w*(?:\.\w+|_\w+)+$",
    re.IGNORECASE,
)


class Marker(NamedTuple):
    """A marker found at `text[start:end]`, with the numbers it names."""

    start: int
    end: int
    numbers: tuple[int, ...]


def protected(text: str) -> list[tuple[int, int]]:
    """Spans where nothing is a marker: code, links, link definitions and formulas."""
    spans: list[tuple[int, int]] = []
    for pattern in (_FENCE, _INLINE_CODE, _LINK, _DEFINITION, _MATH):
        for match in pattern.finditer(text):
            if not _inside(spans, match.start()):
                spans.append(match.span())
    return sorted(spans)


def code_blocks(text: str) -> list[tuple[int, int]]:
    """Spans of the fenced code blocks, fences included."""
    return [match.span() for match in _FENCE.finditer(text)]


def find(text: str) -> list[Marker]:
    """All markers of a text in order, known numbers or not."""
    spans = protected(text)
    found: list[Marker] = []
    for match in _MARKER.finditer(text):
        numbers = _numbers(match["a"] or match["b"])
        after_marker = bool(found) and not text[found[-1].end : match.start()].strip()
        before = text[max(0, match.start() - 40) : match.start()]
        array = not after_marker and text[match.start()] == "[" and _ARRAY_BEFORE.search(before)
        if _inside(spans, match.start()) or array or not all(n <= _LARGEST for n in numbers):
            continue
        if 0 in numbers and not (after_marker or _ends_sentence(text, match)):
            continue  # an index
        found.append(Marker(match.start(), match.end(), numbers))
    return found


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    """Whether a bracket stands where a sentence ends: "It is deep. [0]", "It is deep [0]."."""
    before, after = text[: match.start()], text[match.end() : match.end() + 1]
    apart = before[-1:].isspace() or has_cjk(before[-1:])
    return before.rstrip()[-1:] in _ENDERS or (apart and after in _ENDERS)


def settled(text: str) -> int:
    """How much of a text that is still being written can be read for good.

    What comes later may turn a bracket at the end into a marker, a link or a definition, and an
    open backtick or dollar sign into code or a formula; so the count ends before those.
    """
    opened = [match for match in _FENCE.finditer(text) if match.end() == len(text)]
    if opened and "\n" in opened[-1].group():
        return len(text) if text.endswith("\n") or not _fence_line(text) else text.rfind("\n") + 1
    first = text.rfind("\n") + 1
    line = text[first:]
    if re.match(r"[ ]{0,3}(?:[`~\[]|$)", line):
        return first
    ends = [first + line.index("$")] if "$" in line else []
    spans = list(_INLINE_CODE.finditer(line))
    closed = _INLINE_CODE.sub(lambda span: " " * len(span.group()), line)
    if "`" in closed:
        ends.append(first + closed.index("`"))
    if spans and spans[-1].end() == len(line):
        ends.append(first + spans[-1].start())
    bracket = max(line.rfind(sign) for sign in "[【［")
    if bracket >= 0 and not _CLOSED.match(line, bracket):
        ends.append(first + bracket)
    return min([*ends, len(text)])


def _fence_line(text: str) -> bool:
    return re.match(r"[ ]{0,3}[`~]*[ \t]*$", text[text.rfind("\n") + 1 :]) is not None


def mask(text: str) -> str:
    """The text with each marker blanked out, same length, so that offsets stay true."""
    for marker in find(text):
        blank = " " * (marker.end - marker.start)
        text = text[: marker.start] + blank + text[marker.end :]
    return text


def strip(text: str) -> str:
    """The text without its markers and without the space before them."""
    parts: list[str] = []
    at = 0
    for marker in find(text):
        parts.append(text[at : marker.start].rstrip(" \t"))
        at = marker.end
    return "".join([*parts, text[at:]])


def _numbers(inner: str) -> tuple[int, ...]:
    """Read "1, 3" and "1-3"; a range of more than nine is not one."""
    ranged = re.fullmatch(r"\s*(\d+)\s*[-–]\s*(\d+)\s*", inner)
    if ranged:
        first, last = int(ranged[1]), int(ranged[2])
        if 0 < first < last <= first + 9:
            return tuple(range(first, last + 1))
    return tuple(dict.fromkeys(int(number) for number in re.findall(r"\d+", inner)))


def _inside(spans: list[tuple[int, int]], at: int) -> bool:
    return any(start <= at < end for start, end in spans)
