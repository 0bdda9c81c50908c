"""The text of an HTML page: headings as in Markdown, no scripts and no styles."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_DROPPED = frozenset(["script", "style", "noscript", "template", "svg", "iframe", "object", "head"])
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt"),
        *("figcaption", "figure", "footer", "form", "header", "hr", "main", "nav", "ol", "p"),
        *("pre", "section", "summary", "table", "ul"),
    )
)
_LINES = frozenset(["br", "tr", "li"])
_KEPT = "\ue000"
"""Stands for a space of preformatted text until all other space is settled."""
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))


def html_text(page: str) -> tuple[str, str]:
    """Text and title of a page. Damaged markup is read as browsers do, as far as it goes."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = (re.sub(r"[ \t\f\v\u00a0]+", " ", line).strip() for line in reader.text.split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip().replace(_KEPT, " ")
    return text, " ".join(reader.title.split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._parts: list[str] = []
        self._dropped: list[str] = []
        self._in_title = False
        self._in_pre = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = not self.title
        elif tag == "body":
            self._dropped.clear()  # a head that was never closed
        if tag in _DROPPED:
            self._dropped.append(tag)
        elif tag in _HEADINGS:
            self._parts.append("\n\n" + "#" * int(tag[1]) + " ")
        elif tag in _BLOCKS:
            self._parts.append("\n\n")
            self._in_pre += tag == "pre"
        elif tag in _LINES:
            self._parts.append("\n- " if tag == "li" else "\n")
        elif tag in ("td", "th"):
            self._parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in self._dropped:
            while self._dropped.pop() != tag:
                pass
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._parts.append("\n\n")
            self._in_pre -= tag == "pre" and self._in_pre > 0

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._dropped:
            self._parts.append(
                data.replace(" ", _KEPT) if self._in_pre else re.sub(r"\s+", " ", data)
            )
