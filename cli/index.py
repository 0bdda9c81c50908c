"""`ragloop index`: bring a store up to date with files and folders."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..stores.errors import LoadError, SettingsError
from .output import note, say, say_json
from .progress import progress_bar
from .stores import open_store

if TYPE_CHECKING:
    from ..stores.indexing import IndexReport


def index(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.")],
    store: Annotated[
        str, typer.Option("--store", metavar="DIR", help="A folder, or a Chroma server's address.")
    ] = ".ragloop",
    chunk_words: Annotated[
        int, typer.Option("--chunk-words", metavar="N", help="Words of a passage, at most.")
    ] = 300,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="KEY=VALUE", help="Metadata for all these files; repeat."),
    ] = None,
    embeddings: Annotated[
        str | None,
        typer.Option(
            "--embeddings", metavar="NAME", help="hashing, minilm, multilingual or a model's name."
        ),
    ] = None,
    embed_model: Annotated[
        str | None,
        typer.Option("--embed-model", metavar="NAME", help="Embedding model of an endpoint."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="URL", help="Address of an OpenAI-compatible server."),
    ] = None,
    collection: Annotated[
        str, typer.Option("--collection", metavar="NAME", help="Name inside the store, any script.")
    ] = "ragloop",
    prune: Annotated[
        bool,
        typer.Option("--prune/--keep", help="Remove documents whose file left these folders."),
    ] = True,
    ray: Annotated[
        str | None,
        typer.Option("--ray", metavar="ADDRESS", help="Embed on a Ray cluster; local starts one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")] = False,
) -> None:
    """Cut documents into passages and keep them in a store; what is unchanged costs nothing."""
    from ..stores.indexing import index as bring_up_to_date

    if chunk_words < 1:
        raise SettingsError(f"--chunk-words is {chunk_words}. Give 1 or more; 300 is usual.")
    opened = open_store(
        store,
        embeddings=embeddings,
        embed_model=embed_model,
        base_url=base_url,
        collection=collection,
        words=chunk_words,
    )
    if ray is not None:
        from ..stores.ray_cluster import RayEmbeddings

        opened.embeddings = RayEmbeddings(opened.embeddings, ray)
    with warnings.catch_warnings(record=True) as caught, progress_bar(quiet=quiet) as progress:
        warnings.simplefilter("always")
        report = bring_up_to_date(
            paths, opened, metadata=read_meta(meta or ()), prune=prune, progress=progress
        )
    report.notes += list(dict.fromkeys(str(warning.message) for warning in caught))
    _tell(report, paths, as_json=as_json, quiet=quiet)


def read_meta(pairs: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """Metadata of `KEY=VALUE` pairs; a key given twice holds a list. Values stay text."""
    metadata: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise SettingsError(f"--meta {pair!r} is not KEY=VALUE.")
        before = metadata.get(key.strip())
        if before is not None:
            metadata[key.strip()] = [*(before if isinstance(before, list) else [before]), value]
        else:
            metadata[key.strip()] = value
    return metadata


def _tell(report: IndexReport, paths: list[Path], *, as_json: bool, quiet: bool) -> None:
    """Write the report. Raises `LoadError` when nothing could be indexed."""
    if not quiet:
        for reason in report.skipped.values():
            note(f"Skipped: {reason}")
        for line in report.notes:
            note(f"Note: {line}")
    if as_json:
        say_json({"documents": report.documents, **asdict(report)})
    elif report.documents or report.removed:
        say(summary(report))
    if not report.documents and not report.removed:
        given = ", ".join(map(str, paths))
        reasons = " ".join(list(report.skipped.values())[:3])
        raise LoadError(f"Nothing was indexed: {given} holds no text to read. {reasons}".strip())


def summary(report: IndexReport) -> str:
    """One line: what is in the store now, and what this run did."""
    did = [
        f"{len(files)} {word}"
        for word in ("added", "changed", "unchanged", "removed", "skipped")
        if (files := getattr(report, word))
    ]
    return f"{report.documents} documents, {report.pieces} passages ({', '.join(did)})"
