"""Whole documents: which ones, whether they fit, and what is read of those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..graph.settings import Settings
from ..graph.state import State
from ..stores.passage import Document, Passage

if TYPE_CHECKING:
    from .run import Run

MOST_DOCUMENTS = 8
PROMPT_TOKENS = 400
"""Kept free for the instructions and the marks round the documents."""


def reads_all_at_once(state: State, run: Run) -> str:
    """Say why whole documents are read before any search; empty when they are not."""
    if not run.settings.pre_route or "read_whole" not in state["remedies"]:
        return ""
    return "the settings ask for whole documents at once"


def wanted(state: State, settings: Settings) -> tuple[str, ...]:
    """Ids of the documents to read, those of the best passages first."""
    passages = [*state["kept"], *state["found"]]
    ids = dict.fromkeys(
        passage["document_id"]
        for passage in passages
        if passage.get("metadata", {}).get("origin") != "elsewhere"
    )
    return tuple(ids)[:MOST_DOCUMENTS]


def room_for(state: State, run: Run) -> int:
    """Tokens that the documents may take in the reader's prompt."""
    settings = run.settings
    taken = PROMPT_TOKENS + settings.answer_tokens + run.count_tokens(state["question"])
    return max(0, settings.context_window - taken)


def packed(
    documents: Sequence[Document], hits: Sequence[Passage], room: int, run: Run
) -> tuple[list[Document], bool]:
    """Documents that fit, best first; of one that does not, contiguous parts around the hits.

    Gives what is read, and whether something did not fit (Self-Route, section 3: beyond the
    window a long context does worse than passages do).
    """
    taken: list[Document] = []
    for document in documents:
        tokens = run.count_tokens(document["text"])
        if tokens <= room:
            taken.append(document)
            room -= tokens
            continue
        part = around_hits(document, hits, room, tokens)
        if part is not None:
            taken.append(part)
        return taken, True
    return taken, False


def around_hits(
    document: Document, hits: Sequence[Passage], room: int, tokens: int
) -> Document | None:
    """The stretch of a document that holds its best hit and as much around it as there is room."""
    own = [hit for hit in hits if hit["document_id"] == document["id"]]
    length = int(len(document["text"]) * room / max(1, tokens) * 0.95)
    if not own or length < own[0]["end"] - own[0]["start"]:
        return None
    middle = (own[0]["start"] + own[0]["end"]) // 2
    start = max(0, min(middle - length // 2, len(document["text"]) - length))
    text = document["text"][start : start + length]
    return {**document, "text": text, "metadata": {"part_start": start}}
