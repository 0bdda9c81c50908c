"""The two shapes a writer hands on: Draft and the Citations in it. Both are JSON."""

from __future__ import annotations

from typing_extensions import TypedDict


class Citation(TypedDict):
    """Where one statement of an answer comes from.

    `quote == document.text[start:end] == passage.text[start - passage.start : end - passage.start]`
    always holds. One marker may have several citations, one for each statement it stands on.
    """

    marker: int
    """The number in the answer's text: 1 is the first passage of the context."""
    passage_id: str
    document_id: str
    title: str
    source: str
    section: str
    quote: str
    start: int
    end: int


class Draft(TypedDict):
    """An answer not yet checked, or the finding that the sources do not answer."""

    text: str
    answerable: bool
    missing: str
    """What the sources lack, in the question's language; empty when nothing is known to lack."""
    citations: list[Citation]
    uncited: list[str]
    """Ids of passages the writer had before it but did not cite, where a reader should know."""
    warnings: list[str]
