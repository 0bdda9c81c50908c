"""The graph that langgraph.json names: opens in Studio without a key, a store or the network.

It answers from the folder in RAGLOOP_DOCS (default: docs), or from the store in RAGLOOP_STORE.
Nothing is read before the first question, and no model is built before a setting names one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from ..stores.hybrid import HybridSearch
from ..stores.passage import Document, Passage
from .build import Parts, build_graph, recursion_limit
from .settings import Settings


class FolderSearch:
    """A folder as a store: read and indexed in memory when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _store(self) -> HybridSearch:
        if path := os.environ.get("RAGLOOP_STORE"):
            from ..stores.chroma import ChromaStore

            return HybridSearch(ChromaStore(Path(path)))
        from ..stores.loading import load
        from ..stores.memory import MemoryStore

        store = MemoryStore()
        documents, _ = load([Path(os.environ.get("RAGLOOP_DOCS", "docs"))])
        store.add_documents(documents)
        return HybridSearch(store)

    def _opened(self) -> HybridSearch:
        with self._lock:
            return self._store

    def search(self, query: str, k: int, where: Mapping[str, Any] | None = None) -> list[Passage]:
        """See `PassageSearch`."""
        return self._opened().search(query, k, where)

    async def asearch(
        self, query: str, k: int, where: Mapping[str, Any] | None = None
    ) -> list[Passage]:
        """See `PassageSearch`."""
        import asyncio

        return await asyncio.to_thread(self.search, query, k, where)

    def read(self, document_id: str) -> Document:
        """See `DocumentReader`."""
        return self._opened().read(document_id)

    async def aread(self, document_id: str) -> Document:
        """See `DocumentReader`."""
        import asyncio

        return await asyncio.to_thread(self.read, document_id)


graph = (
    build_graph(Parts(passages=FolderSearch()), studio=True)
    .compile(name="ragloop")
    .with_config(recursion_limit=recursion_limit(Settings(max_rounds=100)))
)
