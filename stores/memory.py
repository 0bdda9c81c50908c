"""A store in memory, for tests, notebooks and small collections."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from .dense import DenseStore, Wanted, mismatch
from .embeddings import name_of
from .metadata import check_where, holds
from .passage import Document, Passage, scored
from .pieces import Added, Mark, document_of, prepare
from .protocols import Embedder, Where
from .splitting import WORDS

if TYPE_CHECKING:
    from .embeddings import Matrix

_SPARSE = 0.25
"""Below this share of numbers that are not zero, only those columns are multiplied."""


class MemoryStore(DenseStore):
    """Keeps passages and their vectors in memory; exact search, safe to share between threads."""

    def __init__(self, embeddings: Embedder | None = None, *, words: int = WORDS) -> None:
        super().__init__(embeddings, words=words)
        self._lock = threading.RLock()
        self._documents: dict[str, list[Passage]] = {}
        self._vectors: dict[str, Matrix] = {}
        self._marks: dict[str, Mark] = {}
        self._dims = 0
        self._version = 0
        self._table: tuple[list[Passage], Matrix] | None = None

    def add_documents(
        self, documents: Iterable[Document], *, marks: Mapping[str, Mark] | None = None
    ) -> Added:
        """Store documents as passages; one with an id that is there already replaces it."""
        ready = prepare(documents, self.words, marks)
        rows = self._embed(ready)
        added = Added()
        with self._lock:
            if len(rows) and self._dims and rows.shape[1] != self._dims:
                name = name_of(self.embeddings)
                raise mismatch(name, self._dims, name, rows.shape[1])
            at = 0
            for one in ready:
                identity = one.document["id"]
                self._forget(identity)
                if not one.pieces:
                    added.blank.append(identity)
                    continue
                self._documents[identity] = one.pieces
                self._vectors[identity] = rows[at : at + len(one.pieces)]
                self._marks[identity] = one.mark
                at += len(one.pieces)
                added.document_ids.append(identity)
                added.pieces += len(one.pieces)
            self._dims = rows.shape[1] if len(rows) else self._dims
            self._changed()
        return added

    def remove(self, ids: Sequence[str]) -> int:
        """Remove documents by id and say how many there were; unknown ids are no error."""
        with self._lock:
            known = [identity for identity in dict.fromkeys(ids) if identity in self._documents]
            for identity in known:
                self._forget(identity)
            self._changed()
        return len(known)

    def read(self, document_id: str) -> Document:
        """Give a whole document. Raises `KeyError` when there is none."""
        return document_of(self._documents.get(document_id, []), document_id)

    def passages(self, where: Where | None = None) -> list[Passage]:
        """All passages in the order of documents and text, without scores."""
        wanted = check_where(where)
        with self._lock:
            pieces = [piece for found in self._documents.values() for piece in found]
        return [piece.copy() for piece in pieces if holds(piece, wanted)]

    def document_ids(self) -> list[str]:
        """The ids of all documents, sorted."""
        return sorted(self._documents)

    def marks(self) -> dict[str, Mark]:
        """What indexing remembers of each document."""
        return dict(self._marks)

    def stamp(self) -> int:
        """A number that changes with the content."""
        return self._version

    def embedding(self) -> tuple[str, int]:
        return name_of(self.embeddings), self._dims

    def __len__(self) -> int:
        return sum(map(len, list(self._documents.values())))

    def _forget(self, identity: str) -> None:
        self._documents.pop(identity, None)
        self._vectors.pop(identity, None)
        self._marks.pop(identity, None)

    def _changed(self) -> None:
        self._version += 1
        self._table = None

    def _columns(self) -> tuple[list[Passage], Matrix]:
        """All passages, and their vectors as columns: a sparse query then reads few rows."""
        import numpy as np

        with self._lock:
            if self._table is None:
                pieces = [piece for found in self._documents.values() for piece in found]
                rows = np.concatenate(list(self._vectors.values()))
                self._table = pieces, np.ascontiguousarray(rows.T)
            return self._table

    def _nearest(self, vector: Matrix, k: int, wanted: Wanted) -> list[Passage]:
        pieces, columns = self._columns()
        return [
            scored(pieces[at], score, "cosine")
            for at, score in _best(pieces, columns, vector, k, wanted)
        ]

    def _nearest_ids(self, vector: Matrix, k: int, wanted: Wanted) -> list[tuple[str, float]]:
        pieces, columns = self._columns()
        best = _best(pieces, columns, vector, k, wanted)
        return [(pieces[at]["id"], score) for at, score in best]


def _best(
    pieces: list[Passage], columns: Matrix, vector: Matrix, k: int, wanted: Wanted
) -> list[tuple[int, float]]:
    """Places of the k nearest pieces with their cosines, best first, ties in order."""
    import numpy as np

    used = np.flatnonzero(vector)
    sparse = len(used) < _SPARSE * len(vector)
    scores = vector[used] @ columns[used] if sparse else vector @ columns
    chosen = np.arange(len(pieces))
    if wanted:
        chosen = np.flatnonzero([holds(piece, wanted) for piece in pieces])
    best = chosen[np.lexsort((chosen, -scores[chosen]))[:k]]
    return [(int(at), float(scores[at])) for at in best]
