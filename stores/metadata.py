"""Metadata: made storable on the way in, and asked by `where` on the way out."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from datetime import date, time
from pathlib import PurePath
from typing import Any

from .errors import RagloopWarning, StoreError
from .passage import Passage
from .protocols import Where
from .text import clean

FIELDS = ("document_id", "title", "source", "version", "date", "section")
"""Fields of a passage that `where` may name beside the keys of its metadata; a field wins."""

Scalar = str | int | float | bool


def clean_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Make metadata that any store takes: strings, numbers, booleans and lists of one kind.

    None and empty lists are left out; dates and paths become text, dictionaries JSON text. A value
    that cannot be written down is left out with a `RagloopWarning` that names its key.
    """
    kept: dict[str, Any] = {}
    for key, value in metadata.items():
        try:
            plain = _plain(value)
        except (TypeError, ValueError):
            kind = type(value).__name__
            warnings.warn(
                f"Metadata {key!r} is left out: a {kind} cannot be stored. Make it text first.",
                RagloopWarning,
                stacklevel=3,
            )
            continue
        if plain is not None:
            kept[clean(str(key))] = plain
    return kept


def _plain(value: Any) -> Scalar | list[Any] | None:
    """One value in storable form; None leaves it out."""
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        value = value.item()  # a number of numpy's
    if isinstance(value, (list, tuple, set, frozenset)):
        return _plain_list(list(value) if isinstance(value, (list, tuple)) else sorted(value))
    if isinstance(value, Mapping):
        return clean(json.dumps(value, ensure_ascii=False, sort_keys=True, default=_text))
    return _scalar(value)


def _plain_list(values: list[Any]) -> list[Any] | str | None:
    if not values:
        return None
    if any(isinstance(v, (list, tuple, set, Mapping)) for v in values):
        return clean(json.dumps(values, ensure_ascii=False, default=_text))
    plain = [v for v in map(_scalar, values) if v is not None]
    if len({type(v) for v in plain}) > 1:
        plain = [str(v) for v in plain]
    return plain or None


def _scalar(value: Any) -> Scalar | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return clean(value if isinstance(value, str) else _text(value))


def _text(value: Any) -> str:
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, PurePath):
        return value.as_posix()
    raise TypeError(type(value).__name__)


def check_where(where: Where | None) -> dict[str, list[Scalar]]:
    """A filter as key -> the values that will do. Raises `StoreError` for what cannot hold.

    A filter keeps tenants apart, so one that is not understood is an error and never ignored.
    """
    wanted: dict[str, list[Scalar]] = {}
    for key, value in (where or {}).items():
        values = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
        for one in values:
            if not isinstance(one, (str, int, float, bool)):
                raise StoreError(
                    f"where[{key!r}] is {one!r}. Give a string, a number, true or false, "
                    "or a list of those."
                )
        wanted[key] = values
    return wanted


def same(stored: Any, wanted: Scalar) -> bool:
    """Equal, numbers as numbers, and true never equal to 1; a stored list matches by any member."""
    if isinstance(stored, list):
        return any(same(one, wanted) for one in stored)
    if isinstance(stored, bool) or isinstance(wanted, bool):
        return stored is wanted
    return bool(stored == wanted)


def holds(passage: Passage, wanted: Mapping[str, list[Scalar]]) -> bool:
    """True when the passage meets every key of a checked filter."""
    for key, values in wanted.items():
        stored = passage.get(key) if key in FIELDS else passage.get("metadata", {}).get(key)
        if stored is None or not any(same(stored, value) for value in values):
            return False
    return True
