"""LangChain retrievers, vector stores, tools and callables as a passage search, and back."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any

from .metadata import check_where, clean_metadata, holds
from .passage import Passage
from .protocols import PassageSearch, Where

_FIELDS = ("title", "source", "section", "version", "date")


def to_document(passage: Passage) -> Any:
    """Give a LangChain document whose metadata holds all of the passage but its text."""
    from langchain_core.documents import Document

    fields = {key: value for key, value in passage.items() if key not in ("text", "metadata")}
    metadata = {**passage.get("metadata", {}), **fields}
    return Document(page_content=passage["text"], metadata=metadata, id=passage["id"])


def to_passage(found: Any, at: int) -> Passage:
    """Read a LangChain document, a mapping or a text as a passage; `at` names one without an id."""
    if isinstance(found, str):
        text, metadata, id = found, {}, ""
    elif isinstance(found, Mapping):
        metadata = dict(found)
        text = next(
            (str(metadata.pop(key)) for key in ("text", "page_content", "content", "snippet")
             if metadata.get(key)), "",
        )
        id = str(metadata.get("id") or "")
    else:
        text, metadata, id = found.page_content, dict(found.metadata), str(found.id or "")
    url = metadata.get("source") or metadata.get("url") or metadata.get("link") or ""
    start = int(metadata.pop("start", 0) or 0)
    name = str(id or metadata.get("id") or url or f"found#{at}")
    passage: dict[str, Any] = {
        "id": name,
        "document_id": str(metadata.pop("document_id", None) or url or name),
        "text": text,
        "start": start,
        "end": start + len(text),
        "source": str(url),
    }
    for key in _FIELDS:
        if key != "source" and metadata.get(key):
            passage[key] = str(metadata[key])
    if isinstance(score := metadata.pop("score", None), int | float):
        passage["score"], passage["score_kind"] = float(score), metadata.pop("score_kind", "unknown")
    passage["metadata"] = clean_metadata(metadata)
    return passage  # type: ignore[return-value]  # built key by key


class LangChainSearch:
    """Any retriever, vector store, tool or callable, behind `search` and `asearch`."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """See `PassageSearch`; a filter that the source does not take holds afterwards."""
        if hasattr(self.source, "similarity_search_with_score"):
            found = self.source.similarity_search(query, k=k * (4 if where else 1))
        elif hasattr(self.source, "invoke"):
            found = self.source.invoke(query)
        else:
            found = self.source(query)
        return self._read(found, k, where)

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """See `PassageSearch`."""
        if hasattr(self.source, "asimilarity_search"):
            found = await self.source.asimilarity_search(query, k=k * (4 if where else 1))
        elif hasattr(self.source, "ainvoke"):
            found = await self.source.ainvoke(query)
        elif inspect.iscoroutinefunction(self.source):
            found = await self.source(query)
        else:
            found = await asyncio.to_thread(self.source, query)
        return self._read(found, k, where)

    def _read(self, found: Any, k: int, where: Where | None) -> list[Passage]:
        passages = [to_passage(one, at) for at, one in enumerate(found)]
        wanted = check_where(where)
        return [passage for passage in passages if holds(passage, wanted)][:k]


def from_langchain(source: Any) -> PassageSearch:
    """Give a passage search over any LangChain retriever, vector store, tool or callable."""
    return LangChainSearch(source)
