"""What the loop asks of a store. Anything with these methods will do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from .passage import Document, Passage

Where = Mapping[str, Any]
"""A metadata filter: `{"tenant": "a"}`, or several keys that must all hold. A list means any of."""


@runtime_checkable
class PassageSearch(Protocol):
    """Finds passages for a query, best first."""

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]: ...
    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]: ...


@runtime_checkable
class DocumentReader(Protocol):
    """Gives a whole document by its id; `KeyError` when there is none."""

    def read(self, document_id: str) -> Document: ...
    async def aread(self, document_id: str) -> Document: ...


@runtime_checkable
class Store(PassageSearch, DocumentReader, Protocol):
    """Keeps documents as passages, and finds them again."""

    def add_documents(self, documents: Iterable[Document]) -> Any: ...
    def remove(self, ids: Sequence[str]) -> Any: ...
    def passages(self, where: Where | None = None) -> list[Passage]: ...
    def document_ids(self) -> list[str]: ...
    def __len__(self) -> int: ...


@runtime_checkable
class Embedder(Protocol):
    """The part of LangChain's `Embeddings` that stores use; async twins are optional."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]: ...
    def embed_query(self, text: str) -> list[float]: ...
