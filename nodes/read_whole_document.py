"""Read whole documents when passages do not suffice (Self-Route)."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.answer import WholeDocument
from ..graph.state import State
from ..stores.metadata import check_where, holds
from ..stores.passage import Document, Passage
from ..stores.splitting import split
from .person import approved
from .run import Run
from .searching import filter_of
from .steps import ListDocuments, Read, Search, Steps
from .whole import adds_nothing, packed, room_for, wanted
from .writers import extractive, model
from .writers.draft import Citation, Draft
from .writers.language import say, spoken

EVIDENCE_MARGIN = 400
"""Characters kept around a quote as evidence: the document itself never enters the state."""


def read_whole_document(state: State, run: Run) -> Steps[State]:
    """Load, check the fit, answer. Nothing is asked when what fits was read before."""
    hits = [*state["kept"], *state["found"]]
    if not hits:
        where = filter_of(state, run.settings)
        brought = yield Search((state["question"],), run.settings.k, where)
        hits = brought[0]
    documents = yield from _documents(state, hits, run)
    read, over = packed(documents, hits, room_for(state, run), run)
    whole: WholeDocument = {
        "document_ids": [document["id"] for document in read],
        "tokens": sum(run.count_tokens(document["text"]) for document in read),
        "over_window": over,
        "nothing_new": not read or adds_nothing(read, state["context"]),
    }
    if over:
        run.warn(f"{run.node}: the documents are larger than the window; only what fits was read.")
    if read and whole["nothing_new"]:
        whole["tokens"] = 0
        draft = model.not_answerable("the whole documents hold nothing beyond the passages")
    elif not read:
        draft = model.not_answerable("no whole document could be read")
    elif run.has_model("reader"):
        if (yield from approved(run, state["question"], read, whole["tokens"])):
            draft = yield from model.read(run, state["question"], read)
        else:
            whole["tokens"] = 0
            draft = model.not_answerable(say("not_approved", spoken(state["question"])))
    else:
        draft = _read_offline(state["question"], read, run)
        if draft["answerable"] and run.streams_live:
            run.say(draft["text"])
    return {
        "whole": whole,
        "draft": draft,
        "shown_citations": draft["citations"] if run.said else state["shown_citations"],
        "found": state["found"] or hits,
        "context": evidence_of(draft, read) or state["context"],
        "why_not": state["why_not"] if draft["answerable"] else draft["missing"],
    }


def _documents(state: State, hits: Sequence[Passage], run: Run) -> Steps[list[Document]]:
    """The documents to read; the filter of the question holds for them as well."""
    known: list[str] = []
    if run.settings.whole_document != "hits":
        known = yield ListDocuments()
    ids = wanted({**state, "found": list(hits)}, run.settings, known)
    documents: list[Document] = yield Read(ids)
    wanted_by = check_where(filter_of(state, run.settings))
    return [one for one in documents if holds(model.as_passage(one), wanted_by)]


def _read_offline(question: str, documents: Sequence[Document], run: Run) -> Draft:
    pieces = [piece for document in documents for piece in split(document)]
    ranked = run.judge.relevant_many(question, pieces)
    best = sorted(range(len(pieces)), key=lambda at: (-(ranked[at].score or 0.0), at))[:20]
    return extractive.write(
        question,
        [pieces[at] for at in best],
        run.judge,
        max_tokens=run.settings.answer_tokens,
        count_tokens=run.count_tokens,
    )


def evidence_of(draft: Draft, documents: Sequence[Document]) -> list[Passage]:
    """The stretches around the quotes, as passages: what the checks and the reader need to see."""
    known = {document["id"]: document for document in documents}
    return [
        _stretch(citation, known[citation["document_id"]])
        for citation in draft["citations"]
        if citation["document_id"] in known
    ]


def _stretch(citation: Citation, document: Document) -> Passage:
    offset = int((document.get("metadata") or {}).get("part_start", 0))
    start = max(offset, citation["start"] - EVIDENCE_MARGIN)
    end = min(offset + len(document["text"]), citation["end"] + EVIDENCE_MARGIN)
    stretch: Passage = {
        "id": f"{document['id']}@{start}",
        "document_id": document["id"],
        "text": document["text"][start - offset : end - offset],
        "start": start,
        "end": end,
        "title": document.get("title", ""),
        "source": document.get("source", ""),
    }
    return stretch
