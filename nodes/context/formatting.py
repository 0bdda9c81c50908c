"""The exact text of the context that reaches the prompt. What is counted is what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_INVISIBLE = "\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
_BETWEEN = rf"[\s{_INVISIBLE}]*"
# The sign before anything that reads as the word "passage": full-width and invisible letters too.
_FENCE = re.compile(
    rf"[<＜﹤](?={_BETWEEN}[/／\\]?{_BETWEEN}"
    + _BETWEEN.join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in "passage")
    + ")",
    re.IGNORECASE,
)
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_MAX_ATTRIBUTE = 160


def neutralise(text: str) -> str:
    """Make look-alike fences in a document harmless, one character for one, so offsets hold."""
    return _FENCE.sub("‹", text)


def _attribute(name: str, value: object) -> str:
    flat = " ".join(str(value).split())
    if not flat:
        return ""
    if len(flat) > _MAX_ATTRIBUTE:
        flat = flat[: _MAX_ATTRIBUTE - 1] + "…"
    return f' {name}="{flat.translate(_ESCAPES)}"'


def format_passage(passage: Mapping[str, Any], number: int) -> str:
    """One fenced passage under the number that its citations use."""
    attributes = "".join(
        _attribute(name, passage.get(name) or "") for name in ("title", "section", "source", "date")
    )
    return f'<passage id="{number}"{attributes}>\n{neutralise(str(passage["text"]))}\n</passage>'


def format_context(passages: Iterable[Mapping[str, Any]]) -> str:
    """Number the passages from 1 and fence each; `[1]` in an answer means the first of them.

    Nothing inside a document's text or metadata can open or close a fence.
    """
    return "\n".join(format_passage(passage, at) for at, passage in enumerate(passages, 1))
