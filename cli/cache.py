"""Folders that are asked without a store of their own: indexed into the user's cache."""

from __future__ import annotations

import hashlib
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from ..stores.errors import LoadError, StoreEmpty
from .output import note
from .progress import progress_bar
from .stores import open_store

if TYPE_CHECKING:
    from ..stores.chroma import ChromaStore

FORM = "1"
"""Raised when stores of an older form can no longer be read."""


def cache_folder(docs: Path, embedding: str, words: int) -> Path:
    """Name the store that belongs to a folder, an embedding and a size of pieces."""
    from platformdirs import user_cache_path

    what = "\n".join([FORM, str(docs.resolve()), embedding, str(words)])
    name = hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return user_cache_path("ragloop", appauthor=False) / "docs" / name


def cached_store(docs: Path, embedding: str | None, base_url: str | None = None) -> ChromaStore:
    """Bring the cached store of `docs` up to date and open it; what is unchanged costs nothing.

    Sources are absolute paths, so that they hold wherever the next question is asked from. Raises
    LoadError for a path that is not there, StoreEmpty when it holds no text.
    """
    from ..stores.indexing import index
    from ..stores.splitting import WORDS

    name = embedding or "hashing"
    if not docs.exists():
        raise LoadError(f"There is no file or folder {docs}")
    store = open_store(cache_folder(docs, name, WORDS), embeddings=name, base_url=base_url)
    with warnings.catch_warnings(record=True) as caught, progress_bar() as progress:
        warnings.simplefilter("always")
        report = index([docs.resolve()], store, progress=progress)
    said = [*report.skipped.values(), *report.notes, *(str(one.message) for one in caught)]
    for line in dict.fromkeys(said):
        note(f"Note: {line}")
    if not report.documents:
        raise StoreEmpty(f"{docs} holds no documents: there is nothing to ask")
    return store
