"""Opening what is asked: a store, or a folder that is indexed on the way."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..stores.errors import SettingsError, StoreEmpty

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from ..stores.chroma import ChromaStore
    from ..stores.protocols import PassageSearch

DEFAULT_STORE = ".ragloop"

_OPTIONS: tuple[tuple[str, Any, Any, str, str], ...] = (
    ("store", str | None, None, "DIR", "The store to ask; .ragloop when it is there."),
    ("docs", Path | None, None, "PATH", "A file or folder: indexed into a cache, asked."),
    ("collection", str, "ragloop", "NAME", "Name inside the store."),
    ("embeddings", str | None, None, "NAME", "hashing, minilm, multilingual or a model's name."),
    ("embed_model", str | None, None, "NAME", "Embedding model of the --base-url server."),
)


@dataclass(frozen=True)
class Opened:
    """A store that is ready to be asked."""

    store: ChromaStore
    search: PassageSearch
    """Words and vectors at once over the store."""
    embed: Embeddings


Opener = Callable[[], Opened]
"""Opens what the command line names; raises what `opened_store` raises."""


def with_store(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags that say what is asked; it gets an Opener as `opens`.

    Stands below `with_settings`, since embeddings may come from the settings' server.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name, *_ in _OPTIONS}
        command(**given, opens=partial(opened_store, **chosen, base_url=given["settings"].base_url))

    own = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for name, item in own.parameters.items():
        parameters += map(_parameter, _OPTIONS) if name == "opens" else [item]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


def _parameter(option: tuple[str, Any, Any, str, str]) -> inspect.Parameter:
    name, kind, default, shown, told = option
    flag = typer.Option(f"--{name.replace('_', '-')}", metavar=shown, help=told)
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=default,
        annotation=Annotated[kind, flag],
    )


def opened_store(
    store: str | None,
    docs: Path | None,
    *,
    embeddings: str | None = None,
    embed_model: str | None = None,
    base_url: str | None = None,
    collection: str = "ragloop",
) -> Opened:
    """Open the store at `store`, or bring the cached one of `docs` up to date and open that.

    Raises SettingsError when neither or both are given, StoreMissing, StoreEmpty or
    EmbeddingMismatch for a store that cannot be asked, LoadError for documents that cannot be read.
    """
    embeddings = embed_model or embeddings
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
