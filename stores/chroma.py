"""The default store: Chroma on disk, or on a server.

A document is replaced in one step. New rows are written under a batch name that readers hide; then
one record in the collection's metadata shows them and hides the old ones, which are deleted last.
A process that is killed at any moment leaves either the old document or the new one, and the next
write cleans up what it left.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .chroma_client import inode, plain_errors
from .chroma_reading import ChromaReader, recorded
from .chroma_rows import OWN, legal_name, row_id, to_row
from .dense import mismatch
from .embeddings import name_of
from .errors import StoreError, StoreMissing
from .passage import Document
from .pieces import Added, Mark, Prepared, prepare

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

    from .embeddings import Matrix

LOCK = "ragloop.lock"
_WAIT = 60
"""Seconds to wait for another process that is writing."""
_IDS = 500
"""Document ids in one condition."""
_GONE = "-"
"""In the record of replaced documents: the document is not replaced but removed."""


class ChromaStore(ChromaReader):
    """Passages in a Chroma collection, on disk (`path`), on a server (`host`, `port`) or behind a
    `client` of yours.

    Nothing is made before something is stored: to search where there is no store raises
    `StoreMissing`. A handle sees what other processes write. One process writes at a time: on disk
    a lock file sees to it, on a server it is up to you.
    """

    def add_documents(
        self, documents: Iterable[Document], *, marks: Mapping[str, Mark] | None = None
    ) -> Added:
        """Store documents as passages; one with an id that is there already replaces it.

        All of a call appears at once. Raises `EmbeddingMismatch` and `StoreError`; the store then
        is as it was.
        """
        ready = prepare(documents, self.words, marks)
        if self.path is None or inode(self.path):
            self._known_or_new()
        vectors = self._embed(ready)
        full = [one for one in ready if one.pieces]
        blank = [one.document["id"] for one in ready if not one.pieces]
        if full:
            with self._writing(vectors.shape[1]) as collection:
                self._replace(collection, full, vectors, blank)
        elif blank and not self._gone():
            self.remove(blank)
        return Added(
            [one.document["id"] for one in full], sum(len(one.pieces) for one in full), blank
        )

    def remove(self, ids: Sequence[str]) -> int:
        """Remove documents by id and say how many there were; unknown ids are no error."""
        with self._writing(0) as collection:
            known = self._stored(collection, list(dict.fromkeys(ids)))
            if known:
                self._note(collection, replaced=dict.fromkeys(known, _GONE))
                self._clean_up(collection)
        return len(known)

    def _known_or_new(self) -> None:
        """Check the embedding before any work is done; no collection yet is no error."""
        try:
            with self._reading():
                return
        except StoreMissing:
            return

    @contextmanager
    def _writing(self, dims: int) -> Iterator[Collection]:
        """The collection, locked for writing, with the leavings of a killed writer removed.

        With `dims` it is made when there is none.
        """
        with self._lock, self._file_lock(make=bool(dims)), plain_errors(self.where):
            if dims:
                self._make(dims)
            elif self._gone():
                raise self._missing()
            collection = self._refresh()
            self._clean_up(collection)
            yield collection

    @contextmanager
    def _file_lock(self, *, make: bool) -> Iterator[None]:
        if self.path is None:
            yield
            return
        from filelock import FileLock, Timeout

        try:
            if make:
                self.path.mkdir(parents=True, exist_ok=True)
            elif not self.path.is_dir():
                raise self._missing()
            lock = FileLock(self.path / LOCK, timeout=_WAIT)
            lock.acquire()
        except Timeout as error:
            raise StoreError(f"Another process is writing to {self.where}. Try later.") from error
        except FileExistsError as error:
            raise StoreError(f"The store cannot be at {self.where}: a file is there.") from error
        except OSError as error:
            raise StoreError(
                f"The store at {self.where} is not writable ({error.strerror}). "
                "Is the disk read-only?"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _make(self, dims: int) -> None:
        """Make the collection when there is none; check that vectors of this size fit in."""
        fresh = {
            "name": self.collection,
            "embedding": name_of(self.embeddings),
            "dims": dims,
            "stamp": secrets.token_hex(6),
        }
        if self.path is not None and self._seen and self._seen[0] != inode(self.path):
            self.close()
        collection = self._connect().get_or_create_collection(
            legal_name(self.collection),
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine"}},
            metadata=fresh,
        )
        name, stored = recorded(collection)
        if stored != dims:
            raise mismatch(name, stored, name_of(self.embeddings), dims)

    def _replace(
        self, collection: Collection, full: list[Prepared], vectors: Matrix, blank: list[str]
    ) -> None:
        """Write the new rows hidden, show them in one step, delete the old ones."""
        batch = secrets.token_hex(6)
        new = [one.document["id"] for one in full]
        old = self._stored(collection, new + blank)
        self._note(collection, writing=batch)
        self._add_rows(collection, full, vectors, batch)
        replaced = {identity: _GONE if identity in blank else batch for identity in old}
        self._note(collection, writing="", replaced=replaced)
        self._clean_up(collection)

    def _add_rows(
        self, collection: Collection, full: list[Prepared], vectors: Matrix, batch: str
    ) -> None:
        pieces = [
            (piece, number, one.mark) for one in full for number, piece in enumerate(one.pieces)
        ]
        most = self._connect().get_max_batch_size()
        for first in range(0, len(pieces), most):
            part = pieces[first : first + most]
            collection.add(
                ids=[row_id(batch, piece["id"]) for piece, _, _ in part],
                embeddings=vectors[first : first + most],
                documents=[piece["text"] for piece, _, _ in part],
                metadatas=[to_row(piece, number, batch, mark) for piece, number, mark in part],
            )

    def _stored(self, collection: Collection, ids: list[str]) -> list[str]:
        """Which of these documents the collection holds."""
        known: list[str] = []
        for first in range(0, len(ids), _IDS):
            some: dict[str, Any] = {OWN + "document_id": {"$in": ids[first : first + _IDS]}}
            first_rows: Any = {"$and": [some, {OWN + "number": 0}]}
            got = collection.get(where=first_rows, include=["metadatas"])
            known += [str(row[OWN + "document_id"]) for row in got["metadatas"] or []]
        return known

    def _note(
        self,
        collection: Collection,
        *,
        writing: str = "",
        replaced: Mapping[str, str] | None = None,
    ) -> None:
        """Write the record that readers go by; its stamp tells them that something changed."""
        record: dict[str, Any] = dict(collection.metadata or {})
        record["writing"] = writing
        record["replaced"] = json.dumps(dict(replaced), ensure_ascii=False) if replaced else ""
        record["stamp"] = secrets.token_hex(6)
        collection.modify(metadata=record)
        self._seen = (self._seen[0], str(collection.id), record["stamp"])

    def _clean_up(self, collection: Collection) -> None:
        """Delete what the record hides, and clear the record."""
        record = collection.metadata or {}
        writing = record.get("writing")
        replaced: dict[str, str] = json.loads(record.get("replaced") or "{}")
        if not writing and not replaced:
            return
        if writing:
            collection.delete(where={OWN + "batch": str(writing)})
        for batch in sorted(set(replaced.values())):
            ids = [identity for identity, new in replaced.items() if new == batch]
            for first in range(0, len(ids), _IDS):
                some: dict[str, Any] = {OWN + "document_id": {"$in": ids[first : first + _IDS]}}
                older: Any = {"$and": [some, {OWN + "batch": {"$ne": batch}}]}
                collection.delete(where=older)
        self._note(collection)
