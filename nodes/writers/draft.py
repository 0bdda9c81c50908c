"""What a writer hands on, a Draft with its Citations, and what the checks say of it. All JSON."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from ..steps import Finish


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


class Grounding(TypedDict, total=False):
    """The verdict on one sentence of the draft."""

    sentence: str
    verdict: str
    passage_ids: list[str]
    how: str
    why: str


class Usefulness(TypedDict):
    """How useful the draft is; `rating` is 1 to 5, or 0 when it could not be read."""

    rating: int
    how: str
    why: str


class Checked(TypedDict):
    """What the checks say of a draft, in the shape in which the answer shows it."""

    grounding: list[Grounding]
    usefulness: Usefulness


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
    finish: NotRequired[Finish]
    """How the model's reply ended, where it ended otherwise than with its own full stop."""
    checked: NotRequired[Checked]
    """Of a draft that was chosen among several: it has been checked for that already."""
