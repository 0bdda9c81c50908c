"""The two shapes of text that everything shares: Document and Passage."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, Required

from typing_extensions import TypedDict

ScoreKind = Literal["cosine", "distance", "bm25", "fusion", "rerank", "unknown"]
"""How to read a score. Higher is better in all but `distance`; kinds are never mixed."""


ABOUT = ("title", "source", "version", "date", "metadata")
"""What a passage has from its document."""


class Document(TypedDict, total=False):
    """A whole text, before it is cut."""

    id: Required[str]
    text: Required[str]
    title: str
    source: str
    """Where a reader finds it: a path or an address."""
    version: str
    date: str
    """ISO 8601, as far as it is known."""
    metadata: dict[str, Any]
    """Strings, numbers, booleans and lists of those; used by `where` filters."""


class Passage(TypedDict, total=False):
    """A piece of a document, or of something found elsewhere."""

    id: Required[str]
    document_id: Required[str]
    text: Required[str]
    start: Required[int]
    """First character in the document's text."""
    end: Required[int]
    """One past the last character in the document's text."""
    section: str
    """Headings above it, joined with " > "."""
    score: float
    score_kind: ScoreKind
    title: str
    source: str
    version: str
    date: str
    metadata: dict[str, Any]
    vector: NotRequired[list[float]]
    """Only where a selector asked for it; never kept in the state of a graph."""


def scored(passage: Passage, score: float, kind: ScoreKind) -> Passage:
    """A copy of the passage with its score."""
    copy = passage.copy()
    copy["score"] = score
    copy["score_kind"] = kind
    return copy
