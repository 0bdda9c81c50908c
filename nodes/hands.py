"""Doing what a node asks for: the only place where models and stores are touched."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from langgraph.config import get_config
from langgraph.types import interrupt

from ..stores.langchain_passages import to_langchain
from ..stores.passage import Document, Passage
from .judges.ask import AskOptions, aask, ask
from .searching import reranked
from .starting import InThread, OnLoop
from .steps import Ask, AskPerson, Embed, ListDocuments, Read, Request, Rerank, Search, Start, Wait

if TYPE_CHECKING:
    from .run import Run

_CHECKPOINTER = "__pregel_checkpointer"
"""Where LangGraph puts the checkpointer of a run; without one, nothing could be resumed."""


def perform(request: Request, run: Run) -> Any:
    """Do it, blocking."""
    match request:
        case Ask():
            return ask(request, _model(request, run), **_how(request, run))
        case AskPerson():
            return _ask_person(request, run)
        case Start(asked):
            begun = InThread(lambda: perform(asked, run))
            run.beside.append(begun)
            return begun
        case Wait(started):
            return started.result()
        case Search():
            return [_search(run, request, query) for query in request.queries]
        case ListDocuments():
            return _document_ids(run)
        case Read(document_ids):
            return [document for id in document_ids if (document := _read(run, id))]
        case Embed(texts):
            return run.engine.embed.embed_documents(list(texts))
        case Rerank(query, passages):
            documents = [to_langchain(passage) for passage in passages]
            ranked = run.engine.reranker.compress_documents(documents, query)
            return reranked(passages, ranked)


async def aperform(request: Request, run: Run) -> Any:
    """Do it without holding up the event loop."""
    match request:
        case Ask():
            return await aask(request, _model(request, run), **_how(request, run))
        case AskPerson():
            return _ask_person(request, run)
        case Start(asked):
            begun = OnLoop(aperform(asked, run))
            run.beside.append(begun)
            return begun
        case Wait(started):
            return await started.aresult()
        case Search():
            searches = (_asearch(run, request, query) for query in request.queries)
            return list(await asyncio.gather(*searches))
        case ListDocuments():
            return await asyncio.to_thread(_document_ids, run)
        case Read(document_ids):
            read = await asyncio.gather(*(_aread(run, id) for id in document_ids))
            return [document for document in read if document]
        case Embed(texts):
            return await run.engine.embed.aembed_documents(list(texts))
        case Rerank(query, passages):
            documents = [to_langchain(passage) for passage in passages]
            ranked = await run.engine.reranker.acompress_documents(documents, query)
            return reranked(passages, ranked)


def _search(run: Run, asked: Search, query: str) -> list[Passage]:
    source = run.engine.searched(asked.elsewhere)
    try:
        return source.search(query, asked.k, asked.where)
    except Exception as error:  # noqa: BLE001 - any kind; a store that fails raises it again
        return _nothing_from(run, asked, error)


async def _asearch(run: Run, asked: Search, query: str) -> list[Passage]:
    source = run.engine.searched(asked.elsewhere)
    try:
        return await source.asearch(query, asked.k, asked.where)
    except Exception as error:  # noqa: BLE001 - any kind; a store that fails raises it again
        return _nothing_from(run, asked, error)


def _nothing_from(run: Run, asked: Search, error: Exception) -> list[Passage]:
    """No passages, when it was the other source that failed.

    It is somebody else's code and network, of any kind, and only a second try: it must not cost
    the answer. A store that fails is an error.
    """
    if not asked.elsewhere:
        raise error
    line = str(error).strip().splitlines()[:1] or [type(error).__name__]
    run.warn(f"{run.node}: the other source failed and was left out ({line[0][:200]})")
    return []


def _document_ids(run: Run) -> list[str]:
    listed = getattr(run.engine.documents, "document_ids", None)
    return list(listed()) if listed else []


def _ask_person(request: AskPerson, run: Run) -> Any:
    if get_config().get("configurable", {}).get(_CHECKPOINTER) is None:
        return None
    reply = interrupt({"asks": request.asks, "message": request.message, **request.about})
    run.forgive_waiting()
    return reply


def _read(run: Run, document_id: str) -> Document | None:
    try:
        return run.engine.documents.read(document_id) if run.engine.documents else None
    except KeyError:
        return None


async def _aread(run: Run, document_id: str) -> Document | None:
    try:
        return await run.engine.documents.aread(document_id) if run.engine.documents else None
    except KeyError:
        return None


def _model(request: Ask, run: Run) -> Any:
    return run.engine.models.model_for(request.node, request.role, run.settings, run.engine.parts)


def _how(request: Ask, run: Run) -> dict[str, Any]:
    settings = run.settings
    options = AskOptions(
        max_concurrency=settings.max_concurrency,
        timeout_s=settings.timeout_s,
        retries=settings.retries,
        temperature=settings.temperature,
        logprobs=settings.logprobs,
        structured=None if settings.structured == "auto" else settings.structured,
        question=run.started,
    )
    return {
        "meter": run.meter,
        "ladder": run.engine.ladder,
        "options": options,
        "on_token": run.on_token if request.stream else None,
    }
