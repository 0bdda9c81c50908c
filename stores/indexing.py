"""Bring a store up to date with files: only what changed is read, cut and embedded.

A file's fingerprint (its bytes, its metadata, the size of the pieces) stands with its document in
the store. Documents are written in batches, each in one step, so that a run that is stopped or
killed leaves whole documents, and the next run does the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from .errors import LoadError, StoreMissing
from .loading import FoundFile, find_files, load_file, read_bytes
from .metadata import clean_metadata
from .passage import Document
from .pieces import Added, Mark
from .splitting import count_words

VERSION = "1"
"""Raised when the same file would be stored in another form, so that it is stored anew."""
BATCH_WORDS = 60_000
"""Words stored in one step: about 200 pieces."""

Progress = Callable[[int, int, str], None]
"""Called with files done, files in all and the file at hand."""


class Indexable(Protocol):
    """What indexing needs of a store."""

    words: int

    def add_documents(
        self, documents: Iterable[Document], *, marks: Mapping[str, Mark] | None = None
    ) -> Added: ...
    def remove(self, ids: list[str]) -> Any: ...
    def marks(self) -> dict[str, Mark]: ...
    def __len__(self) -> int: ...


@dataclass
class IndexReport:
    """What a run did, by document id; `skipped` gives a reason for each file left out."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    pieces: int = 0
    """Passages in the store after the run."""

    @property
    def documents(self) -> int:
        """Files that are in the store after the run."""
        return len(self.added) + len(self.changed) + len(self.unchanged)


def index(
    paths: Iterable[str | Path],
    store: Indexable,
    *,
    metadata: Mapping[str, Any] | None = None,
    prune: bool = True,
    progress: Progress | None = None,
) -> IndexReport:
    """Store the files and folders at `paths`, and what changed since the last time.

    With `prune`, a document that came from one of these folders and is no longer there is removed;
    documents of other folders and of files given by themselves stay. A file that became blank or
    unreadable is skipped, and its old text is removed. Raises `LoadError` for a path that does not
    exist, and what the store and the embedding raise.
    """
    given = [Path(path) for path in paths]
    files = find_files(given)
    known = _marks(store)
    ids = _own_ids(files, known)
    extra = clean_metadata(metadata or {})
    report = IndexReport()
    batch = _Batch(store, report, known)
    for number, (identity, file) in enumerate(ids.items()):
        if progress:
            progress(number, len(files), file.source)
        try:
            content = read_bytes(file)
            mark = Mark(fingerprint=_fingerprint(content, store.words, extra), path=file.absolute)
            if known.get(identity) == mark:
                report.unchanged.append(identity)
                continue
            loaded = load_file(file, content, extra)
        except LoadError as error:
            report.skipped[file.source] = str(error)
            continue
        report.notes += loaded.notes
        batch.add({**loaded.document, "id": identity}, mark)
    batch.write()
    folders = [path.resolve() for path in given if path.is_dir()] if prune else []
    report.removed = _gone(known, ids, report, folders)
    if report.removed:
        store.remove(report.removed)
    report.pieces = len(store) if report.documents or known else 0
    if progress:
        progress(len(files), len(files), "")
    return report


@dataclass
class _Batch:
    """Documents that wait to be stored together."""

    store: Indexable
    report: IndexReport
    known: Mapping[str, Mark]
    documents: list[Document] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
    words: int = 0

    def add(self, document: Document, mark: Mark) -> None:
        self.documents.append(document)
        self.marks[document["id"]] = mark
        self.words += count_words(document["text"])
        if self.words >= BATCH_WORDS:
            self.write()

    def write(self) -> None:
        if self.documents:
            self.store.add_documents(self.documents, marks=self.marks)
        for document in self.documents:
            done = self.report.changed if document["id"] in self.known else self.report.added
            done.append(document["id"])
        self.documents, self.marks, self.words = [], {}, 0


def _marks(store: Indexable) -> dict[str, Mark]:
    """What the store holds; nothing when there is no store yet."""
    try:
        return store.marks()
    except StoreMissing:
        return {}


def _own_ids(files: list[FoundFile], known: Mapping[str, Mark]) -> dict[str, FoundFile]:
    """An id for each file: the one it has, else its path below its folder.

    Where another file has that id already, the names of the folders above are put before it, as
    many as are needed. A file that is no longer on this machine gives its id up: most likely it was
    moved, and comes under its new path.
    """
    by_path = {mark.get("path"): identity for identity, mark in known.items()}
    ids = {by_path[file.absolute]: file for file in files if file.absolute in by_path}
    for file in files:
        if file.absolute in by_path:
            continue
        for identity in _candidates(file):
            owner = known.get(identity, {}).get("path", "")
            if identity not in ids and not (owner and Path(owner).exists()):
                ids[identity] = file
                break
    return ids


def _candidates(file: FoundFile) -> Iterator[str]:
    """The path below the folder given, then one more folder name before it at a time."""
    whole = Path(file.absolute)
    for count in range(len(Path(file.id).parts), len(whole.parts) + 1):
        yield Path(*whole.parts[-count:]).as_posix()


def _fingerprint(content: bytes, words: int, metadata: Mapping[str, Any]) -> str:
    about = json.dumps([VERSION, words, metadata], ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(about.encode())
    digest.update(content)
    return digest.hexdigest()


def _gone(
    known: Mapping[str, Mark],
    ids: Mapping[str, FoundFile],
    report: IndexReport,
    folders: list[Path],
) -> list[str]:
    """Documents whose file is gone from one of the folders, or can no longer be read."""
    stored = {*report.added, *report.changed, *report.unchanged}
    gone: list[str] = []
    for identity, mark in known.items():
        if identity in ids:
            if identity not in stored:
                gone.append(identity)
        elif any(Path(mark.get("path", "")).is_relative_to(folder) for folder in folders):
            gone.append(identity)
    return gone
