"""Whole documents: which ones, whether they fit, and what is read of those that do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..graph.settings import Settings
from ..graph.state import State
from ..stores.passage import Document, Passage
from ..stores.text import fold
from .names import holds_name
from .rewriting import kind_of_failure
from .steps import ListDocuments, Read, Steps

if TYPE_CHECKING:
    from .run import Run

MOST_DOCUMENTS = 8
PROMPT_TOKENS = 400
"""Kept free for the instructions and the marks round the documents."""
SHORTEST_NAME = 4
"""Characters (Chinese: 2) that a name must have before a question can be said to name it."""


def read_all_at_once(state: State, run: Run) -> Steps[str]:
    """Say why whole documents are read before any search; empty when they are not.

    `facts` decides as Pre-Route does, before anything is searched and without a model: by the kind
    of question, which documents are meant, their length and the window. Ties go to passages.
    """
    if run.settings.pre_route == "off" or "read_whole" not in state["remedies"]:
        return ""
    if run.settings.pre_route == "always":
        return "the settings ask for whole documents at once"
    if kind_of_failure(state["question"], ()) != "implicit":
        return ""
    ids: list[str] = yield ListDocuments()
    meant = named_in(state["question"], ids) or (ids if len(ids) <= MOST_DOCUMENTS else [])
    documents: list[Document] = yield Read(tuple(meant[:MOST_DOCUMENTS]))
    tokens = sum(run.count_tokens(document["text"]) for document in documents)
    if not documents or tokens > room_for(state, run):
        return ""
    return f"it asks about a whole text, which fits the window ({tokens} tokens)"


def wanted(state: State, settings: Settings, all_ids: Sequence[str] = ()) -> tuple[str, ...]:
    """Ids of the documents to read, best first.

    `hits`: those of the best passages. `named`: those that the question names, by id or title;
    when it names none, those of the best passages. `corpus`: all, those of the best passages first.
    What was found elsewhere has no document behind it here.
    """
    passages = [*state["kept"], *state["found"]]
    own = [p for p in passages if p.get("metadata", {}).get("origin") != "elsewhere"]
    ids = [passage["document_id"] for passage in own]
    if settings.whole_document == "named":
        titles = {p["document_id"]: p.get("title", "") for p in own}
        ids = named_in(state["question"], dict.fromkeys([*ids, *all_ids]), titles) or ids
    elif settings.whole_document == "corpus":
        ids += all_ids
    return tuple(dict.fromkeys(ids))[:MOST_DOCUMENTS]


def named_in(question: str, ids: Iterable[str], titles: dict[str, str] | None = None) -> list[str]:
    """The documents whose title, id or file name stands in the question, in the order given."""
    asked = fold(question)
    return [
        id
        for id in ids
        if any(_is_named(asked, name) for name in (id, PurePath(id).stem, (titles or {}).get(id)))
    ]


def _is_named(asked: str, name: str | None) -> bool:
    folded = fold(name or "").strip()
    long_enough = len(folded) >= (SHORTEST_NAME if folded.isascii() else 2)
    return long_enough and (
        holds_name(asked, folded) or holds_name(_spaced(asked), _spaced(folded))
    )


def _spaced(name: str) -> str:
    """A file name as people say it."""
    return name.replace("_", " ").replace("-", " ")


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
        part = around_hits(document, hits, room, run)
        if part is not None:
            taken.append(part)
        return taken, True
    return taken, False


def around_hits(
    document: Document, hits: Sequence[Passage], room: int, run: Run
) -> Document | None:
    """The stretch of a document that holds its best hit and as much around it as there is room.

    Cut at white space where there is any, and never over the room. None when not even the hit
    fits, or when there is no hit.
    """
    text = document["text"]
    own = [hit for hit in hits if hit["document_id"] == document["id"]]
    if not own or not room:
        return None
    best = own[0]
    length = int(len(text) * min(1.0, room / max(1, run.count_tokens(text))))
    while length >= best["end"] - best["start"]:
        middle = (best["start"] + best["end"]) // 2
        start = max(0, min(middle - length // 2, len(text) - length))
        start, end = _at_space(text, start, start + length, best)
        part = text[start:end]
        if run.count_tokens(part) <= room:
            return {**document, "text": part, "metadata": {"part_start": start}}
        length = int(length * 0.95)
    return None


def _at_space(text: str, start: int, end: int, hit: Passage) -> tuple[int, int]:
    """Move both ends inwards to white space, at most to the hit."""
    while 0 < start < min(hit["start"], end) and not text[start - 1].isspace():
        start += 1
    while max(hit["end"], start) < end < len(text) and not text[end].isspace():
        end -= 1
    return start, end


def adds_nothing(documents: Sequence[Document], context: Sequence[Passage]) -> bool:
    """True when the passages that were used hold all of these documents already.

    A document of a single passage is not counted as held: reading it costs no more than the
    passage did, and the reader may be a better model with another prompt.
    """
    return bool(documents) and all(_is_held(document, context) for document in documents)


def _is_held(document: Document, context: Sequence[Passage]) -> bool:
    """True when several passages leave nothing but white space of the document out."""
    text = document["text"]
    offset = int((document.get("metadata") or {}).get("part_start", 0))
    spans = sorted(
        (passage["start"] - offset, passage["end"] - offset)
        for passage in context
        if passage["document_id"] == document["id"]
    )
    reached = 0
    for start, end in spans:
        if text[reached : max(reached, start)].strip():
            return False
        reached = max(reached, end)
    return len(spans) > 1 and not text[reached:].strip()
