"""Search by words: BM25 over the passages of a store.

Lucene's variant of BM25 (Kamphuis et al., ECIR 2020, through bm25s, arXiv:2407.03618), with our
terms: stemmed words, and for Chinese each character and each pair of characters.
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .dense import check_k
from .metadata import Scalar, check_where, holds
from .passage import Document, Passage, scored
from .pieces import text_to_search
from .protocols import Where
from .text import content_terms, terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.2, 0.6
_MASKS = 8
"""Filters whose passages are remembered; a conversation keeps to one or two."""


class Readable(Protocol):
    """What lexical search needs of a store. With a `stamp()` it sees changes for little; without
    one it looks at the document ids and the count.
    """

    def passages(self, where: Where | None = None) -> list[Passage]: ...
    def document_ids(self) -> list[str]: ...
    def read(self, document_id: str) -> Document: ...
    async def aread(self, document_id: str) -> Document: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Index:
    """BM25 over a store as it was at one stamp."""

    stamp: Hashable
    pieces: list[Passage]
    model: Any
    by_id: dict[str, int]
    masks: dict[Hashable, NDArray[np.bool_]]


def query_terms(query: str) -> list[str]:
    """Terms to search for: those that carry the topic, or all when none does ("to be or not")."""
    return content_terms(query) or terms(query)


class LexicalSearch:
    """Finds passages that share words with the query; `score` is BM25's, above 0.

    The index is made at the first search and again when the store has changed.
    """

    def __init__(
        self,
        store: Readable,
        *,
        tokenize: Callable[[str], list[str]] = terms,
        tokenize_query: Callable[[str], list[str]] | None = None,
        k1: float = K1,
        b: float = B,
    ) -> None:
        self.store = store
        self._tokenize = tokenize
        self._asked = tokenize_query or (query_terms if tokenize is terms else tokenize)
        self._k1, self._b = k1, b
        self._lock = threading.Lock()
        self._index: Index | None = None

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Find the k passages with the highest BM25 score, best first; none that share no word.

        Raises `SettingsError` for k below 1 and `StoreError` for a filter that cannot hold.
        """
        check_k(k)
        wanted = check_where(where)
        index = self.index()
        return [
            scored(index.pieces[at], score, "bm25")
            for at, score in self.ranked(index, query, k, wanted)
        ]

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Like `search`, in a thread."""
        return await asyncio.to_thread(self.search, query, k, where)

    def read(self, document_id: str) -> Document:
        """Give a whole document of the store. Raises `KeyError` when there is none."""
        return self.store.read(document_id)

    async def aread(self, document_id: str) -> Document:
        """Like `read`."""
        return await self.store.aread(document_id)

    def passages_of(self, hits: list[tuple[str, float]]) -> list[Passage]:
        """Passages for ids with scores that the store gave; one removed meanwhile is left out."""
        index = self.index() if self._index is None else self._index
        if any(identity not in index.by_id for identity, _ in hits):
            index = self.index()
        return [
            scored(index.pieces[index.by_id[identity]], score, "cosine")
            for identity, score in hits
            if identity in index.by_id
        ]

    def index(self) -> Index:
        """The index of the store as it is now."""
        with self._lock:
            stamp = self._stamp()
            if self._index is None or self._index.stamp != stamp:
                self._index = self._make(stamp)
            return self._index

    def ranked(
        self, index: Index, query: str, k: int, wanted: dict[str, list[Scalar]]
    ) -> list[tuple[int, float]]:
        """Places in `index.pieces` with their scores, best first; ties in order of the passages."""
        import numpy as np

        asked = self._asked(query)
        if not asked or index.model is None:
            return []
        scores = index.model.get_scores(asked)
        if wanted:
            scores = np.where(_mask(index, wanted), scores, 0.0)
        chosen = np.flatnonzero(scores > 0)
        if len(chosen) > 4 * k:  # sort only what can be among the best k
            bar = np.partition(scores[chosen], len(chosen) - k)[len(chosen) - k]
            chosen = chosen[scores[chosen] >= bar]
        best = chosen[np.lexsort((chosen, -scores[chosen]))[:k]]
        return [(int(at), float(scores[at])) for at in best]

    def _stamp(self) -> Hashable:
        own = getattr(self.store, "stamp", None)
        if own is not None:
            stamp: Hashable = own()
            return stamp
        return len(self.store), tuple(self.store.document_ids())

    def _make(self, stamp: Hashable) -> Index:
        pieces = self.store.passages()
        found = [self._tokenize(text_to_search(piece)) for piece in pieces]
        model = None
        if any(found):
            with warnings.catch_warnings():  # in a notebook its progress bars ask for ipywidgets
                warnings.filterwarnings("ignore", message="IProgress not found")
                import bm25s

            model = bm25s.BM25(method="lucene", k1=self._k1, b=self._b)
            model.index(found, show_progress=False)
        by_id = {piece["id"]: at for at, piece in enumerate(pieces)}
        return Index(stamp, pieces, model, by_id, {})


def _mask(index: Index, wanted: dict[str, list[Scalar]]) -> NDArray[np.bool_]:
    """Which passages meet the filter."""
    import numpy as np

    key = repr(sorted(wanted.items(), key=repr))
    mask = index.masks.get(key)
    if mask is None:
        mask = np.fromiter((holds(piece, wanted) for piece in index.pieces), dtype=np.bool_)
        if len(index.masks) >= _MASKS:
            index.masks.clear()
        index.masks[key] = mask
    return mask
