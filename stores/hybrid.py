"""Dense and lexical search as one, by reciprocal rank fusion.

Cormack, Clarke and Büttcher, SIGIR 2009: a passage scores the sum of weight / (constant + rank)
over the lists it is in. Only ranks are used, so score kinds are never mixed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from .dense import check_k
from .lexical import LexicalSearch
from .passage import Document, Passage, scored
from .protocols import Store, Where

CONSTANT = 10
"""The paper takes 60, for many runs of 1,000 each; of two lists the first ranks count more."""
DEPTH = 50
"""Passages taken from each list before they are fused; more when more are asked for."""


def fuse(
    lists: Sequence[Sequence[Passage]],
    k: int,
    *,
    weights: Sequence[float] | None = None,
    constant: int = CONSTANT,
) -> list[Passage]:
    """Fuse lists of passages, best first, into the best k; `score` is the fused one.

    A passage is known by its id. Ties go to the better rank in the first list, then by id.
    """
    scores: dict[str, float] = {}
    first_seen: dict[str, Passage] = {}
    for weight, found in zip(weights or [1.0] * len(lists), lists, strict=True):
        for rank, passage in enumerate(found, start=1):
            scores[passage["id"]] = scores.get(passage["id"], 0.0) + weight / (constant + rank)
            first_seen.setdefault(passage["id"], passage)
    place = {identity: at for at, identity in enumerate(first_seen)}
    best = sorted(scores, key=lambda identity: (-scores[identity], place[identity]))[:k]
    return [scored(first_seen[identity], scores[identity], "fusion") for identity in best]


class HybridSearch:
    """The default search: a store's own (dense) search fused with BM25 over the same passages.

    Also a store itself: what is added, removed and read goes through to the one below.
    """

    def __init__(
        self,
        store: Store,
        lexical: LexicalSearch | None = None,
        *,
        constant: int = CONSTANT,
        depth: int = DEPTH,
        dense_weight: float | None = None,
    ) -> None:
        """Lexical ranks weigh 1; dense ones what the embedding says of itself, else 1:
        `hashing` repeats what BM25 sees, so it counts 0.3.
        """
        self.store = store
        self.lexical = lexical or LexicalSearch(store)
        self._constant, self._depth = constant, depth
        if dense_weight is None:
            dense_weight = getattr(getattr(store, "embeddings", None), "fusion_weight", 1.0)
        self._weights = (1.0, dense_weight)

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Find k passages, best first. Raises what the two searches raise."""
        check_k(k)
        depth = max(k, self._depth)
        ranked = getattr(self.store, "ranked", None)
        if ranked is None:
            dense = self.store.search(query, depth, where)
        else:
            dense = self.lexical.passages_of(ranked(query, depth, where))
        return self._fused(self.lexical.search(query, depth, where), dense, k)

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Like `search`, both searches at once."""
        check_k(k)
        depth = max(k, self._depth)
        ranked = getattr(self.store, "aranked", None)
        words, dense = await asyncio.gather(
            self.lexical.asearch(query, depth, where),
            ranked(query, depth, where) if ranked else self.store.asearch(query, depth, where),
        )
        if ranked:
            dense = await asyncio.to_thread(self.lexical.passages_of, dense)
        return self._fused(words, dense, k)

    def _fused(self, words: list[Passage], dense: list[Passage], k: int) -> list[Passage]:
        return fuse([words, dense], k, weights=self._weights, constant=self._constant)

    def read(self, document_id: str) -> Document:
        """Give a whole document. Raises `KeyError` when there is none."""
        return self.store.read(document_id)

    async def aread(self, document_id: str) -> Document:
        """Like `read`."""
        return await self.store.aread(document_id)

    def add_documents(self, documents: Iterable[Document], **options: Any) -> Any:
        """Store documents in the store below."""
        return self.store.add_documents(documents, **options)

    def remove(self, ids: Sequence[str]) -> Any:
        """Remove documents from the store below."""
        return self.store.remove(ids)

    def passages(self, where: Where | None = None) -> list[Passage]:
        """All passages of the store below."""
        return self.store.passages(where)

    def document_ids(self) -> list[str]:
        """The ids of all documents of the store below."""
        return self.store.document_ids()

    def __len__(self) -> int:
        return len(self.store)
