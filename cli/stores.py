"""Opening a store by what stands on the command line, the same for every command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..stores.errors import SettingsError

if TYPE_CHECKING:
    from ..stores.chroma import ChromaStore


def open_store(
    where: str | Path,
    *,
    embeddings: str | None = None,
    embed_model: str | None = None,
    base_url: str | None = None,
    collection: str = "ragloop",
    words: int | None = None,
) -> ChromaStore:
    """Open the store in a folder, or on a Chroma server when `where` is an address.

    Without a named embedding it is the one that the store was made with, and `hashing` for a new
    store. Opening makes nothing. Raises `SettingsError` for an address or embedding that cannot be
    used; `EmbeddingMismatch` comes when the store is first read.
    """
    from ..stores.chroma import ChromaStore
    from ..stores.embeddings import embeddings_named
    from ..stores.splitting import WORDS

    place = _place(str(where))
    words = WORDS if words is None else words
    name = embed_model or embeddings
    if name is None:
        name = _recorded(place, collection) or "hashing"
    embed = embeddings_named(name, base_url=base_url)
    return ChromaStore(embeddings=embed, collection=collection, words=words, **place)


def _recorded(place: dict[str, Any], collection: str) -> str:
    """The name of the embedding that a store was made with; empty when there is no store."""
    from ..stores.chroma import ChromaStore
    from ..stores.errors import StoreMissing

    store = ChromaStore(collection=collection, **place)
    try:
        return store.recorded_embedding()
    except StoreMissing:
        return ""
    finally:
        store.close()


def _place(where: str) -> dict[str, Any]:
    """A folder, or the host and port of an address."""
    if not where.startswith(("http://", "https://")):
        return {"path": where}
    address = urlsplit(where)
    if not address.hostname:
        raise SettingsError(f"--store {where!r} is no address. Give http://HOST:PORT or a folder.")
    return {"host": address.hostname, "port": address.port or 8000}
