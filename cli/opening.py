"""Opening what is searched: a store, or a folder that is indexed on the way."""

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

DEFAULT_STORE = Path(".ragloop")

StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="The store to ask; .ragloop when it is there."),
]
DocsOption = Annotated[
    Path | None,
    typer.Option("--docs", metavar="PATH", help="A file or folder: indexed into a cache, asked."),
]
EmbeddingsOption = Annotated[
    str,
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
    store: Path | None, docs: Path | None, embeddings: str, base_url: str | None
) -> Opened:
    """Open the store at `store`, or index `docs` into the cache and open that.

    Raises SettingsError when neither or both are given, StoreMissing, StoreEmpty or
    EmbeddingMismatch for a store that cannot be asked, LoadError for documents that cannot be read.
    """
    from ..stores.chroma import ChromaStore
    from ..stores.embeddings import embeddings_named
    from ..stores.hybrid import HybridSearch

    if store and docs:
        raise SettingsError("Give --store or --docs, not both")
    if not store and not docs and not DEFAULT_STORE.is_dir():
        raise SettingsError(
            "There is nothing to ask: give --docs PATH, or index first (ragloop index PATH) "
            "and give --store DIR"
        )
    embed = embeddings_named(embeddings, base_url=base_url)
    if docs:
        from .cache import cached_index

        opened = cached_index(docs, embeddings, embed)
    else:
        opened = ChromaStore(store or DEFAULT_STORE, embed)
    if len(opened) == 0:
        raise StoreEmpty(f"{docs or opened.where} holds no documents: there is nothing to ask")
    return Opened(opened, HybridSearch(opened), cast("Embeddings", embed))
