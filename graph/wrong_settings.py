"""One line on a setting that cannot be used: what is wrong with the value, and what may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import ValidationError


def one_line(error: ValidationError, fields: Mapping[str, Any]) -> str:
    """Word the first fault that pydantic found; `fields` are those of the model."""
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "settings"
    if first["type"] == "extra_forbidden":
        near = get_close_matches(name, fields, n=3)
        hint = f" Did you mean {listed(near)}?" if near else ""
        return f"There is no setting {name!r}.{hint}"
    choices = get_args(fields[name].annotation)
    if choices and all(isinstance(choice, str) for choice in choices):
        return f"Settings.{name} is {first['input']!r}, but must be one of {listed(choices)}"
    reason = first["msg"].removeprefix("Value error, ")
    if name.endswith("_prompt"):
        return f"Settings.{name} {reason}"
    return f"Settings.{name} is {first['input']!r}: {reason[0].lower()}{reason[1:]}"


def listed(names: Iterable[object]) -> str:
    """Names with commas between."""
    return ", ".join(str(name) for name in names)
