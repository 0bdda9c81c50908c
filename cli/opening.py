"""Opening what is asked: a store, or a folder that is indexed on the way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ..stores.errors import SettingsError, StoreEmpty

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from ..stores.chroma import ChromaStore
    from ..stores.protocols import PassageSearch

DEFAULT_STORE = ".ragloop"

StoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="The store to ask; .ragloop when it is there."),
]
DocsOption = Annotated[
    Path | None,
    typer.Option("--docs", metavar="PATH", help="A file or folder: indexed into a cache, asked."),
]
CollectionOption = Annotated[
    str, typer.Option("--collection", metavar="NAME", help="Name inside the store.")
]
EmbeddingsOption = Annotated[
    str | None,
    typer.Option(
        "--embeddings", metavar="NAME", help="hashing, minilm, multilingual or a model's name."
    ),
]
EmbedModelOption = Annotated[
    str | None,
    typer.Option("--embed-model", metavar="NAME", help="Embedding model of the --base-url server."),
]


@dataclass(frozen=True)
class Opened:
    """A store that is ready to be asked."""

    store: ChromaStore
    search: PassageSearch
    """Words and vectors at once over the store."""
    embed: Embeddings


def opened_store(
    store: str | None,
    docs: Path | None,
    *,
    embeddings: str | None = None,
    base_url: str | None = None,
    collection: str = "ragloop",
) -> Opened:
    """Open the store at `store`, or bring the cached one of `docs` up to date and open that.

    Raises SettingsError when neither or both are given, StoreMissing, StoreEmpty or
    EmbeddingMismatch for a store that cannot be asked, LoadError for documents that cannot be read.
    """
    if store and docs:
        raise SettingsError("Give --store or --docs, not both")
    if not store and not docs and not Path(DEFAULT_STORE).is_dir():
        raise SettingsError(
            "There is nothing to ask: give --docs PATH, or index first (ragloop index PATH) "
            "and give --store DIR"
        )
    if docs:
        from .cache import cached_store

        opened = cached_store(docs, embeddings, base_url)
    else:
        from .stores import open_store

        opened = open_store(
            store or DEFAULT_STORE, embeddings=embeddings, base_url=base_url, collection=collection
        )
    if len(opened) == 0:
        raise StoreEmpty(f"{docs or opened.where} holds no documents: there is nothing to ask")
    from ..stores.hybrid import HybridSearch

    return Opened(opened, HybridSearch(opened), cast("Embeddings", opened.embeddings))
