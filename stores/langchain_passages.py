"""LangChain documents, search results and tool replies as passages, and passages as documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from .metadata import clean_metadata
from .passage import Passage
from .text import clean

if TYPE_CHECKING:
    from langchain_core.documents import Document as LangChainDocument

_TEXT = ("page_content", "text", "content", "snippet", "body", "raw_content")
_NAMES: dict[str, tuple[str, ...]] = {
    "document_id": ("document_id", "doc_id", "parent_id"),
    "title": ("title", "name"),
    "source": ("source", "url", "link", "href", "file_path"),
    "section": ("section",),
    "version": ("version",),
    "date": ("date", "publishedDate", "published_date", "published", "published_at"),
}
"""Where search tools and loaders keep what a passage has a field for; the first found counts."""
_RESULTS = ("results", "documents", "items", "organic", "data", "context")


def to_langchain(passage: Passage) -> LangChainDocument:
    """A passage as a LangChain document: its fields are in the metadata beside its own keys."""
    from langchain_core.documents import Document

    fields = {
        key: value
        for key, value in passage.items()
        if key not in ("id", "text", "metadata", "vector") and value not in (None, "")
    }
    return Document(
        id=passage["id"],
        page_content=passage["text"],
        metadata={**passage.get("metadata", {}), **fields},
    )


def passages_from(given: Any) -> list[Passage]:
    """Passages of whatever a retriever, tool or function gave, in its order; blank ones left out.

    Understood are documents, dictionaries, texts, JSON of those, a list of any, and a tool's
    message with its artifact.
    """
    found = [passage for one in _each(given) if (passage := _passage(one))]
    seen: dict[str, int] = {}
    for passage in found:  # a source that gives no ids may give one text twice
        count = seen[passage["id"]] = seen.get(passage["id"], 0) + 1
        if count > 1:
            passage["id"] = f"{passage['id']}~{count}"
    return found


def _each(given: Any) -> Iterable[Any]:
    """The single results in what was given."""
    artifact = getattr(given, "artifact", None)
    if artifact:
        return _each(artifact)
    if hasattr(given, "tool_call_id") or (hasattr(given, "content") and not hasattr(given, "id")):
        return _each(given.content)
    if isinstance(given, str):
        return _in_text(given)
    if isinstance(given, Mapping):
        for name in _RESULTS:
            if isinstance(given.get(name), list):
                return cast(list[Any], given[name])
        return [given]
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], list):
        return given[1]  # a tool's content and artifact
    if isinstance(given, Iterable):
        return given
    return [given] if given is not None else []


def _in_text(given: str) -> Iterable[Any]:
    if given.lstrip().startswith(("[", "{")):
        try:
            return _each(json.loads(given))
        except json.JSONDecodeError:
            pass
    return [given] if given.strip() else []


def _passage(given: Any) -> Passage | None:
    """One result as a passage; None when it holds no text."""
    if isinstance(given, str):
        given = {"text": given}
    if isinstance(given, Mapping):
        identity, about = given.get("id"), dict(given)
    else:
        identity = getattr(given, "id", None)
        about = {**(getattr(given, "metadata", None) or {})}
        about["page_content"] = getattr(given, "page_content", "")
    text = next((about[name] for name in _TEXT if isinstance(about.get(name), str)), "")
    text = clean(text)
    if not text.strip():
        return None
    inner = about.pop("metadata", None)
    metadata = clean_metadata(
        {key: value for key, value in about.items() if key not in (*_TEXT, "id", "vector")}
        | (dict(inner) if isinstance(inner, Mapping) else {})
    )
    return _built(text, str(identity or metadata.get("id") or ""), metadata)


def _built(text: str, identity: str, metadata: dict[str, Any]) -> Passage:
    fields: dict[str, str] = {}
    for field, names in _NAMES.items():
        value = next((metadata[name] for name in names if metadata.get(name) not in (None, "")), "")
        if isinstance(value, (str, int, float)) and value != "":
            fields[field] = str(value)
    start = metadata.pop("start", metadata.get("start_index", 0))
    start = start if isinstance(start, int) and start >= 0 else 0
    metadata.pop("end", None)
    score, kind = metadata.pop("score", None), metadata.pop("score_kind", "unknown")
    home = fields.pop("document_id", "") or fields.get("source", "")
    digest = hashlib.sha256(f"{home}\n{start}\n{text}".encode()).hexdigest()[:12]
    made: dict[str, Any] = {
        "id": identity or f"{home or 'found'}#{digest}",
        "document_id": home or identity or f"found#{digest}",
        "text": text,
        "start": start,
        "end": start + len(text),
        **fields,
    }
    if isinstance(score, (int, float)) and not isinstance(score, bool):
        made |= {"score": float(score), "score_kind": kind}
    for own in ("document_id", "title", "source", "section", "version", "date"):
        metadata.pop(own, None)
    if metadata:
        made["metadata"] = metadata
    return cast(Passage, made)
