"""Reading a reply that is a text, or holds one, into the fields of the shape that was asked for."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from .labels import bare, label_of
from .objects import Found, objects, strip_fences, strip_reasoning

_BULLET = re.compile(r"^\s*(?:[-*+•·]|\(?\d{1,2}[.)、：:]|[（(]\d{1,2}[)）])\s*")
_NOTHING = frozenset({"", "none", "null", "n/a", "nan", "undefined"})


def read_fields(
    text: str | None, shape: type[BaseModel], text_field: str = ""
) -> dict[str, Any] | None:
    """The reply in the asked shape, or None when it cannot be read.

    The last object that has one of the asked keys counts. A reply in plain words fills
    `text_field`; where there is no such field, plain words are not readable.
    """
    text = strip_reasoning(text or "")
    names = set(shape.model_fields)
    own = [one for one in objects(text) if names & {_key(key) for key in one.value}]
    if text_field and own and not _replies(own[-1], text, text_field, shape):
        own = []
    if own:
        return fields_of(own[-1].value, shape, text_field)
    plain = strip_fences(text) if text.startswith(("```", "~~~")) else text
    if not text_field or bare(plain) in _NOTHING:
        return None
    return _complete({text_field: plain}, shape, text_field)


def fields_of(
    value: Mapping[str, Any], shape: type[BaseModel], text_field: str = ""
) -> dict[str, Any] | None:
    """An object's values made to fit the shape's types; None when none of its keys is asked for."""
    given = {_key(key): part for key, part in value.items()}
    asked = {name: given[name] for name in shape.model_fields if name in given}
    return _complete(asked, shape, text_field) if asked else None


def _replies(one: Found, text: str, text_field: str, shape: type[BaseModel]) -> bool:
    """True when the object is the reply itself, not an example inside a text."""
    keys = {_key(key) for key in one.value}
    flags = {n for n, f in shape.model_fields.items() if _plain_type(f.annotation) is bool}
    rest = strip_fences(text[: one.start] + text[one.end :])
    return not rest or bool(keys & flags) or (text_field in keys and len(rest) < 200)


def _complete(given: Mapping[str, Any], shape: type[BaseModel], text_field: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, field in shape.model_fields.items():
        value = coerced(given[name], field.annotation) if name in given else None
        if value is not None:
            made[name] = value
    says_something = bool(made.get(text_field)) if text_field else bool(made)
    for name, field in shape.model_fields.items():
        made.setdefault(name, _default(field, says_something))
    return {name: made[name] for name in shape.model_fields}


def coerced(value: Any, annotation: Any) -> Any:
    """The value as the type that was asked for, or None where that makes no sense."""
    kind = _plain_type(annotation)
    if get_origin(kind) is Literal:
        words = {bare(str(word)): word for word in get_args(kind)}
        return words.get(bare(str(value)).replace("_", " "))
    if kind is bool:
        label = label_of(value, ("yes", "no"))
        return {"yes": True, "no": False}.get(label, _answerable(value))
    if kind is str:
        return _as_text(value)
    if kind in (int, float):
        found = re.search(r"-?\d+(?:\.\d+)?", str(value))
        return kind(float(found.group())) if found and not isinstance(value, bool) else None
    if get_origin(kind) in (list, tuple):
        return _as_list(value, (get_args(kind) or (str,))[0])
    return value


def _answerable(value: Any) -> bool | None:
    return {"answerable": True, "unanswerable": False, "not answerable": False}.get(
        bare(str(value))
    )


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(filter(None, map(_as_text, value)))
    return json.dumps(value, ensure_ascii=False)


def _as_list(value: Any, of: Any) -> list[Any]:
    if isinstance(value, str):
        lines = [_BULLET.sub("", line).strip() for line in value.splitlines()]
        value = [line.strip("\"'“”`") if of is str else line for line in lines]
    elif not isinstance(value, list | tuple):
        value = [value]
    parts = (coerced(part, of) for part in value)
    return [part for part in parts if part not in (None, "")]


def _default(field: FieldInfo, says_something: bool) -> Any:
    if field.default is not PydanticUndefined:
        return field.default
    if field.default_factory is not None:
        return field.get_default(call_default_factory=True, validated_data={})
    kind = _plain_type(field.annotation)
    if get_origin(kind) is Literal:
        return get_args(kind)[-1]
    if get_origin(kind) in (list, tuple):
        return []
    # A yes-or-no that was left out: a reply that says something has answered.
    return {bool: says_something, int: 0, float: 0.0}.get(kind, "")


def _plain_type(annotation: Any) -> Any:
    """The type without `| None`."""
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        return kinds[0] if kinds else str
    return annotation


def _key(key: str) -> str:
    return bare(key).replace(" ", "_")
