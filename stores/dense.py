"""Search by vectors: what the stores in memory and in Chroma have in common."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from .embeddings import HashingEmbeddings, name_of, unit
from .errors import EmbeddingMismatch, SettingsError, StoreError
from .metadata import Scalar, check_where
from .passage import Document, Passage
from .pieces import Prepared, text_to_search
from .protocols import Embedder, Where
from .splitting import WORDS

if TYPE_CHECKING:
    from .embeddings import Matrix

Wanted = dict[str, list[Scalar]]
EMBED_BATCH = 256
"""Pieces embedded in one go."""


def check_k(k: int) -> None:
    """Raise `SettingsError` unless k can be searched for."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise SettingsError(f"k is {k!r}. Ask for 1 passage or more.")


class DenseStore(ABC):
    """A store that finds passages by cosine; subclasses keep the pieces and their vectors."""

    def __init__(self, embeddings: Embedder | None = None, *, words: int = WORDS) -> None:
        if words < 1:
            raise SettingsError(f"words is {words}. A piece needs at least 1 word; 300 is usual.")
        self.embeddings: Embedder = embeddings if embeddings is not None else HashingEmbeddings()
        self.words = words

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Find the k passages nearest to the query, best first, with `score` as cosine.

        A blank query finds nothing. Raises `SettingsError` for k below 1, `StoreError` for a filter
        that cannot hold or a store that cannot be read.
        """
        check_k(k)
        wanted = check_where(where)
        if not self._worth_searching(query, wanted):
            return []
        return self._nearest(self._vector(query), k, wanted)

    def ranked(self, query: str, k: int, where: Where | None = None) -> list[tuple[str, float]]:
        """Like `search`, but only ids and scores: faster where the texts are at hand already."""
        check_k(k)
        wanted = check_where(where)
        if not self._worth_searching(query, wanted):
            return []
        return self._nearest_ids(self._vector(query), k, wanted)

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Like `search`; an endpoint is awaited, the store itself is read in a thread."""
        check_k(k)
        wanted = check_where(where)
        if not await asyncio.to_thread(self._worth_searching, query, wanted):
            return []
        return await asyncio.to_thread(self._nearest, await self._avector(query), k, wanted)

    async def aranked(
        self, query: str, k: int, where: Where | None = None
    ) -> list[tuple[str, float]]:
        """Like `ranked`; waits as `asearch` does."""
        check_k(k)
        wanted = check_where(where)
        if not await asyncio.to_thread(self._worth_searching, query, wanted):
            return []
        return await asyncio.to_thread(self._nearest_ids, await self._avector(query), k, wanted)

    async def aread(self, document_id: str) -> Document:
        """Like `read`, in a thread."""
        return await asyncio.to_thread(self.read, document_id)

    def _worth_searching(self, query: str, wanted: Wanted) -> bool:
        return bool(query.strip()) and all(wanted.values()) and len(self) > 0

    def _vector(self, query: str) -> Matrix:
        own = getattr(self.embeddings, "query_vector", None)
        return self._checked(own(query) if own else self.embeddings.embed_query(query))

    async def _avector(self, query: str) -> Matrix:
        embed: Any = getattr(self.embeddings, "aembed_query", None)
        if embed is None or hasattr(self.embeddings, "query_vector"):
            return await asyncio.to_thread(self._vector, query)
        return self._checked(await embed(query))

    def _checked(self, numbers: Any) -> Matrix:
        """A query's vector at length 1. Raises `EmbeddingMismatch` when its size is not ours."""
        import numpy as np

        vector = unit(np.asarray(numbers, dtype=np.float32), name_of(self.embeddings))
        name, dims = self.embedding()
        if dims and vector.shape[-1] != dims:
            raise mismatch(name, dims, name_of(self.embeddings), vector.shape[-1])
        return vector

    def _embed(self, prepared: list[Prepared]) -> Matrix:
        """Vectors of all pieces, in batches, in the order of the documents."""
        import numpy as np

        from .embeddings import matrix_of

        texts = [text_to_search(piece) for one in prepared for piece in one.pieces]
        rows = [
            matrix_of(self.embeddings, texts[first : first + EMBED_BATCH])
            for first in range(0, len(texts), EMBED_BATCH)
        ]
        sizes = {row.shape[1] for row in rows}
        if len(sizes) > 1:
            raise StoreError(f"The embedding gave vectors of different sizes: {sorted(sizes)}.")
        return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    @abstractmethod
    def embedding(self) -> tuple[str, int]:
        """Name and size of the embedding the pieces were stored with; size 0 when none are."""

    @abstractmethod
    def read(self, document_id: str) -> Document: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _nearest(self, vector: Matrix, k: int, wanted: Wanted) -> list[Passage]: ...

    @abstractmethod
    def _nearest_ids(self, vector: Matrix, k: int, wanted: Wanted) -> list[tuple[str, float]]: ...


def mismatch(stored: str, stored_dims: int, given: str, given_dims: int) -> EmbeddingMismatch:
    """The error for a store that was made with another embedding."""
    size = f"{given_dims} numbers" if given_dims else "another size"
    return EmbeddingMismatch(
        f"The store was made with the embedding {stored!r} ({stored_dims} numbers a vector), and "
        f"now {given!r} ({size}) is asked for. Use {stored!r}, or index into a new store with "
        f"{given!r}."
    )
