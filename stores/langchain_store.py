"""A LangChain vector store as a whole store: documents in, passages and whole documents out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from .errors import StoreError
from .langchain import MakeFilter, VectorStoreSearch
from .langchain_passages import passages_from, to_langchain
from .metadata import check_where, holds
from .passage import Document, Passage, ScoreKind
from .pieces import Added, Mark, document_of, prepare
from .protocols import Where
from .splitting import WORDS

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore


class LangChainStore(VectorStoreSearch):
    """Keeps documents in a LangChain vector store that can `get_by_ids` and `delete`.

    LangChain has no way to list what a vector store holds. So this object remembers what it stored
    itself; for documents stored earlier give their passages' ids as `known` (document id -> ids).
    """

    def __init__(
        self,
        store: VectorStore,
        *,
        words: int = WORDS,
        known: Mapping[str, Sequence[str]] | None = None,
        make_filter: MakeFilter | None = None,
        score_kind: ScoreKind | None = None,
    ) -> None:
        super().__init__(store, make_filter=make_filter, score_kind=score_kind)
        self.words = words
        self._lock = threading.RLock()
        self._known = {identity: list(ids) for identity, ids in (known or {}).items()}
        self._marks: dict[str, Mark] = {}
        self._version = 0

    def add_documents(
        self, documents: Iterable[Document], *, marks: Mapping[str, Mark] | None = None
    ) -> Added:
        """Store documents as passages; one with an id that is there already replaces it."""
        added = Added()
        with self._lock:
            for one in prepare(documents, self.words, marks):
                identity = one.document["id"]
                self.remove([identity])
                if not one.pieces:
                    added.blank.append(identity)
                    continue
                ids = [piece["id"] for piece in one.pieces]
                self._store.add_documents([to_langchain(piece) for piece in one.pieces], ids=ids)
                self._known[identity], self._marks[identity] = ids, one.mark
                added.document_ids.append(identity)
                added.pieces += len(ids)
            self._version += 1
        return added

    def remove(self, ids: Sequence[str]) -> int:
        """Remove documents by id and say how many there were; unknown ids are no error."""
        with self._lock:
            here = [identity for identity in dict.fromkeys(ids) if identity in self._known]
            for identity in here:
                self._store.delete(self._known.pop(identity))
                self._marks.pop(identity, None)
            self._version += 1
        return len(here)

    def read(self, document_id: str) -> Document:
        """Give a whole document. Raises `KeyError` when there is none."""
        return document_of(self._pieces(document_id), document_id)

    async def aread(self, document_id: str) -> Document:
        """Like `read`, in a thread."""
        return await asyncio.to_thread(self.read, document_id)

    def passages(self, where: Where | None = None) -> list[Passage]:
        """All passages of the known documents, without scores."""
        wanted = check_where(where)
        found = [piece for identity in self.document_ids() for piece in self._pieces(identity)]
        return [piece for piece in found if holds(piece, wanted)]

    def document_ids(self) -> list[str]:
        """The ids of the known documents, sorted."""
        return sorted(self._known)

    def marks(self) -> dict[str, Mark]:
        """What indexing remembers of each document."""
        return dict(self._marks)

    def stamp(self) -> int:
        """A number that changes with what this object stores."""
        return self._version

    def __len__(self) -> int:
        return sum(map(len, list(self._known.values())))

    def _pieces(self, document_id: str) -> list[Passage]:
        ids = self._known.get(document_id, [])
        found = passages_from(self._store.get_by_ids(ids)) if ids else []
        if len(found) < len(ids):
            raise StoreError(
                f"The vector store has lost passages of {document_id!r}. Add it again."
            )
        return sorted(found, key=lambda piece: piece["start"])
