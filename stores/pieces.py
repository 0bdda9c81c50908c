"""What every store of ours does with documents on the way in and on the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from typing_extensions import TypedDict

from .errors import StoreError
from .metadata import clean_metadata
from .passage import ABOUT, Document, Passage
from .splitting import WORDS, join, split
from .text import clean


class Mark(TypedDict, total=False):
    """What indexing remembers of a document, so that an unchanged file costs nothing."""

    fingerprint: str
    """Of the file's bytes and everything that decides what is stored."""
    path: str
    """The file it came from, absolute."""


@dataclass(frozen=True)
class Prepared:
    """A document ready to be stored."""

    document: Document
    pieces: list[Passage]
    mark: Mark


@dataclass
class Added:
    """What `add_documents` did."""

    document_ids: list[str] = field(default_factory=list)
    pieces: int = 0
    blank: list[str] = field(default_factory=list)
    """Documents without text: not stored, and an older version of theirs is removed."""


def prepare(
    documents: Iterable[Document], words: int = WORDS, marks: Mapping[str, Mark] | None = None
) -> list[Prepared]:
    """Clean and cut documents; of two with one id the last counts.

    Raises `StoreError` for a document without an id or a text.
    """
    ready: dict[str, Prepared] = {}
    for given in documents:
        document = clean_document(given)
        mark = (marks or {}).get(given["id"], {})
        ready.pop(document["id"], None)
        ready[document["id"]] = Prepared(document, split(document, words), mark)
    return list(ready.values())


def clean_document(document: Document) -> Document:
    """Make a document safe to store: text cleaned, fields as text, metadata of plain values.

    A title, source, version or date that stands only in the metadata becomes the document's own.
    """
    for needed in ("id", "text"):
        if not isinstance(document.get(needed), str):
            raise StoreError(f"A document has no {needed}. Give it one, as a string.")
    identity = clean(document["id"])
    if not identity.strip():
        raise StoreError("A document's id is blank. Give it a name, such as its path.")
    made: dict[str, Any] = {"id": identity, "text": clean(document["text"])}
    metadata = clean_metadata(document.get("metadata") or {})
    for name in ("title", "source", "version", "date"):
        value: Any = document.get(name) or metadata.get(name)
        if value is not None and value != "" and not isinstance(value, list):
            made[name] = clean(str(value))
    if metadata:
        made["metadata"] = metadata
    return cast(Document, made)


def text_to_search(passage: Passage) -> str:
    """What of a passage is embedded and indexed: its title, headings and text.

    Headings that the text itself begins with are not said twice.
    """
    text = passage["text"].strip()
    title, section = passage.get("title", ""), passage.get("section", "")
    lead = [part for part in section.split(" > ") if part and part not in text[:200]]
    if title and title not in section and title not in text[:200]:
        lead.insert(0, title)
    return "\n".join([*lead, text])


def document_of(pieces: Sequence[Passage], document_id: str) -> Document:
    """Put a document together from all its pieces. Raises `KeyError` when there are none."""
    if not pieces:
        raise KeyError(document_id)
    first = min(pieces, key=lambda piece: piece["start"])
    about = {name: value for name, value in first.items() if name in ABOUT and value}
    return cast(Document, {"id": document_id, "text": join(pieces), **about})
