"""Reading a Chroma collection that other processes may be writing to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from .chroma_client import Engine, inode, plain_errors
from .chroma_rows import (
    OWN,
    conditions_of,
    from_row,
    legal_name,
    mark_of,
    passage_id,
    together,
)
from .dense import DenseStore, Wanted, mismatch
from .embeddings import name_of
from .errors import StoreError, StoreMissing
from .metadata import check_where
from .passage import Document, Passage, scored
from .pieces import Mark, document_of
from .protocols import Embedder, Where
from .splitting import WORDS

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

    from .embeddings import Matrix


class ChromaReader(DenseStore):
    """The half of `ChromaStore` that only reads."""

    def __init__(
        self,
        path: str | Path | None = None,
        embeddings: Embedder | None = None,
        *,
        client: ClientAPI | None = None,
        host: str | None = None,
        port: int = 8000,
        collection: str = "ragloop",
        words: int = WORDS,
    ) -> None:
        super().__init__(embeddings, words=words)
        if sum(given is not None for given in (path, client, host)) != 1:
            raise StoreError("Say where the store is: one of path, host or client.")
        self.path = Path(path) if path is not None else None
        self.collection = collection
        self._server = (host, port) if host is not None else None
        self._engine: Engine | None = Engine(client) if client is not None else None
        self._lock = threading.RLock()
        self._open: Collection | None = None
        self._seen: tuple[Any, ...] = ()

    @property
    def where(self) -> str:
        """Where the store is, for people."""
        if self.path is not None:
            return str(self.path)
        return f"http://{self._server[0]}:{self._server[1]}" if self._server else "Chroma"

    # Reading

    def read(self, document_id: str) -> Document:
        """Give a whole document. Raises `KeyError` when there is none."""
        return document_of(self.passages({"document_id": document_id}), document_id)

    def passages(self, where: Where | None = None) -> list[Passage]:
        """All passages, in the order of documents and text, without scores."""
        wanted = check_where(where)
        if not all(wanted.values()):
            return []
        got = self._get(conditions_of(wanted), ["metadatas", "documents"])
        rows = zip(got["ids"], got["metadatas"], got["documents"], strict=True)
        return sorted(
            (from_row(*row) for row in rows),
            key=lambda piece: (piece["document_id"], piece["start"]),
        )

    def document_ids(self) -> list[str]:
        """The ids of all documents, sorted."""
        return sorted(self.marks())

    def marks(self) -> dict[str, Mark]:
        """What indexing remembers of each document."""
        got = self._get([{OWN + "number": 0}], ["metadatas"])
        return {row[OWN + "document_id"]: mark_of(row) for row in got["metadatas"]}

    def __len__(self) -> int:
        with self._reading() as collection:
            if not self._hidden(collection):
                return int(collection.count())
        return len(self._get([], [])["ids"])

    def stamp(self) -> tuple[Any, ...]:
        """A value that changes with the content, whoever writes."""
        with self._reading():
            return self._seen

    def embedding(self) -> tuple[str, int]:
        """Name and size of the embedding the store was made with."""
        if self._open is not None:
            return recorded(self._open)
        with self._reading() as collection:
            return recorded(collection)

    def recorded_embedding(self) -> str:
        """Name of the embedding the store was made with, whatever this handle was given."""
        with self._lock, plain_errors(self.where):
            if self._gone():
                raise self._missing()
            return recorded(self._find())[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files or the connection; the next use opens it again."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
            if self.path is not None or self._server is not None:
                self._engine = None
            self._open, self._seen = None, ()

    def _worth_searching(self, query: str, wanted: Wanted) -> bool:
        with self._reading():
            return bool(query.strip()) and all(wanted.values())

    def _nearest(self, vector: Matrix, k: int, wanted: Wanted) -> list[Passage]:
        got = self._query(vector, k, wanted, ["metadatas", "documents", "distances"])
        rows = zip(got["ids"], got["metadatas"], got["documents"], strict=True)
        return [
            scored(from_row(*row), 1.0 - distance, "cosine")
            for row, distance in zip(rows, got["distances"], strict=True)
        ]

    def _nearest_ids(self, vector: Matrix, k: int, wanted: Wanted) -> list[tuple[str, float]]:
        got = self._query(vector, k, wanted, ["distances"])
        hits = zip(got["ids"], got["distances"], strict=True)
        return [(passage_id(row), 1.0 - distance) for row, distance in hits]

    def _query(
        self, vector: Matrix, k: int, wanted: Wanted, include: list[str]
    ) -> dict[str, list[Any]]:
        """Ask Chroma; the collection is as `_worth_searching` just found it."""
        with self._lock, plain_errors(self.where):
            collection = self._open if self._open is not None else self._refresh()
            conditions = conditions_of(wanted) + self._hidden(collection)
            got: Any = collection.query(
                query_embeddings=[vector],  # type: ignore[arg-type]
                n_results=k,
                where=together(conditions),
                include=include,  # type: ignore[arg-type]
            )
            hits = len(got["ids"][0])
            # A lost index still knows the few rows that Chroma had not put into it yet.
            if hits < k and not conditions and 2 * hits < min(k, collection.count()):
                raise StoreError(
                    f"The store at {self.where} has lost its vectors: it holds passages that it "
                    "does not find. Remove it and index again."
                )
        return {name: got[name][0] for name in ("ids", *include)}

    def _get(self, conditions: list[dict[str, Any]], include: list[str]) -> Any:
        with self._reading() as collection:
            return collection.get(
                where=together(conditions + self._hidden(collection)),
                include=include,  # type: ignore[arg-type]
            )

    def _hidden(self, collection: Collection) -> list[dict[str, Any]]:
        """Conditions that hide the rows of a write that is under way or was cut short."""
        record = collection.metadata or {}
        hidden: list[dict[str, Any]] = []
        if writing := record.get("writing"):
            hidden.append({OWN + "batch": {"$ne": writing}})
        replaced: dict[str, str] = json.loads(record.get("replaced") or "{}")
        if replaced:
            others = {OWN + "document_id": {"$nin": list(replaced)}}
            new = {OWN + "batch": {"$in": sorted(set(replaced.values()))}}
            hidden.append({"$or": [others, new]})
        return hidden

    # Opening

    @contextmanager
    def _reading(self) -> Iterator[Collection]:
        """The collection as it is now. Raises `StoreMissing` when there is none."""
        with self._lock, plain_errors(self.where):
            if self._gone():
                raise self._missing()
            yield self._refresh()

    def _gone(self) -> bool:
        return self.path is not None and not inode(self.path)

    def _refresh(self) -> Collection:
        """Open the collection, anew when another process wrote to it or the folder was remade."""
        file = inode(self.path) if self.path is not None else 0
        if self._seen and self._seen[0] != file:
            self.close()
        collection = self._find()
        seen = (file, str(collection.id), (collection.metadata or {}).get("stamp"))
        if self._seen and seen != self._seen and self.path is not None:
            self.close()
            collection = self._find()
        if not self._seen:
            self._check_embedding(collection)
        self._open, self._seen = collection, seen
        return collection

    def _missing(self) -> StoreMissing:
        return StoreMissing(
            f"There is no store at {self.where}, so there are no documents. "
            "Make one: ragloop index PATH --store DIR"
        )

    def _connect(self) -> ClientAPI:
        if self._engine is None:
            if self.path is not None:
                self._engine = Engine.on_disk(self.path)
            else:
                assert self._server is not None
                self._engine = Engine.on_server(*self._server)
        return self._engine.client

    def _find(self) -> Collection:
        from chromadb.errors import NotFoundError

        client = self._connect()
        try:
            return client.get_collection(legal_name(self.collection), embedding_function=None)
        except NotFoundError as error:
            raise StoreMissing(
                f"The store at {self.where} has no collection {self.collection!r}. "
                "Index into it first: ragloop index."
            ) from error

    def _check_embedding(self, collection: Collection) -> None:
        stored, dims = recorded(collection)
        given = name_of(self.embeddings)
        if stored and stored != given:
            own: Any = getattr(self.embeddings, "dims", None)
            size = own or len(self.embeddings.embed_query("size"))
            raise mismatch(stored, dims, given, size)


def recorded(collection: Collection) -> tuple[str, int]:
    """Name and size of the embedding that a collection was made with."""
    record = collection.metadata or {}
    return str(record.get("embedding", "")), int(record.get("dims", 0))
