"""How passages are written as rows of Chroma, and filters as Chroma's `where`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .metadata import FIELDS, Scalar
from .passage import Passage
from .pieces import Mark

OWN = "ragloop_"
"""What our own keys of a row begin with; a document's metadata stands beside them."""
_LEGAL = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]")
_TEXTS = ("title", "source", "version", "date", "section")


def legal_name(name: str) -> str:
    """A collection name that Chroma takes, in any script: itself when legal, else made from it.

    Chroma wants 3 to 512 of [a-zA-Z0-9._-]. The same name always gives the same result.
    """
    if _LEGAL.fullmatch(name) and ".." not in name:
        return name
    plain = re.sub("[^a-zA-Z0-9]+", "-", name).strip("-")[:40]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return "-".join(filter(None, ["c", plain, digest]))


def row_id(batch: str, passage_id: str) -> str:
    """The id of a row: two versions of a passage can stand side by side while one replaces it."""
    return f"{batch}/{passage_id}"


def passage_id(row: str) -> str:
    """The id of the passage in a row."""
    return row.partition("/")[2]


def to_row(piece: Passage, number: int, batch: str, mark: Mark) -> dict[str, Any]:
    """The metadata of a row; the text is its document."""
    row: dict[str, Any] = {
        OWN + "document_id": piece["document_id"],
        OWN + "number": number,
        OWN + "start": piece["start"],
        OWN + "end": piece["end"],
        OWN + "batch": batch,
    }
    row |= {OWN + name: piece[name] for name in _TEXTS if piece.get(name)}  # type: ignore[literal-required]
    if number == 0:
        row[OWN + "mark"] = json.dumps(mark, ensure_ascii=False)
    for key, value in piece.get("metadata", {}).items():
        row[_outer(key)] = value
    return row


def from_row(identity: str, row: Mapping[str, Any], text: str | None) -> Passage:
    """A passage from a row of Chroma, without a score."""
    piece: Passage = {
        "id": passage_id(identity),
        "document_id": row[OWN + "document_id"],
        "text": text or "",
        "start": row[OWN + "start"],
        "end": row[OWN + "end"],
        "section": row.get(OWN + "section", ""),
    }
    for name in _TEXTS:
        if value := row.get(OWN + name):
            piece[name] = value  # type: ignore[literal-required]
    metadata = {_inner(key): value for key, value in row.items() if not key.startswith(OWN)}
    if metadata:
        piece["metadata"] = metadata
    return piece


def mark_of(row: Mapping[str, Any]) -> Mark:
    """What indexing remembers of a document, from its first row."""
    mark: Mark = json.loads(row.get(OWN + "mark") or "{}")
    return mark


def _outer(key: str) -> str:
    """A metadata key as Chroma may keep it: some names are taken, by us or by Chroma."""
    taken = key.startswith((OWN, "chroma:", "user:", "#", "$")) or not key
    return "user:" + key if taken else key


def _inner(key: str) -> str:
    return key.removeprefix("user:")


def together(conditions: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """All conditions in one; Chroma takes neither an empty `where` nor `$and` of one."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return {"$and": list(conditions)}


def conditions_of(wanted: Mapping[str, Sequence[Scalar]]) -> list[dict[str, Any]]:
    """A checked filter in Chroma's words. A list in the store matches by any of its members."""
    conditions: list[dict[str, Any]] = []
    for key, values in wanted.items():
        if key in FIELDS:
            conditions.append({OWN + key: {"$in": [str(value) for value in values]}})
            continue
        either = [
            test
            for value in values
            for test in ({_outer(key): {"$eq": value}}, {_outer(key): {"$contains": value}})
        ]
        conditions.append({"$or": either})
    return conditions
