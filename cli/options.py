"""Flags for settings, the same for every command that runs the graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Annotated, Any

import typer

from ..graph.settings import Settings, read_change, split_pair
from ..graph.settings import preset as make_preset

# Values stay text until Settings checks them, so that the range of a setting is written down once.
_FLAGS: tuple[tuple[str, str, str, str], ...] = (
    ("k", "--k", "N", "Passages a search brings."),
    ("max_rounds", "--max-rounds", "N", "Rewrites with a new search, at most."),
    ("max_calls", "--max-calls", "N", "Model calls a question, at most."),
    ("max_tokens", "--max-tokens", "N", "Tokens in and out a question, at most."),
    ("deadline_s", "--deadline", "SECONDS", "Seconds a question may take."),
    ("context_window", "--context-window", "N", "Tokens the models take, in and out."),
    ("timeout_s", "--timeout", "SECONDS", "Seconds a single model call may take."),
    ("retries", "--retries", "N", "Further tries of a call that failed."),
    ("model", "--model", "NAME", "Chat model for all roles; none: the offline engine."),
    ("judge_model", "--judge-model", "NAME", "Chat model of the judges."),
    ("reader_model", "--reader-model", "NAME", "Chat model that reads whole documents."),
    ("base_url", "--base-url", "URL", "Address of an OpenAI-compatible server."),
)
_PRESET = (
    "preset",
    "--preset",
    "NAME",
    "Start from plain, check, guard, loop, crag, self_rag, ...",
)
_LISTS = (
    ("model_for", "--model-for", "NODE=NAME", "Chat model of one node; may be given again."),
    ("changes", "--set", "NAME=VALUE", "Any setting, as JSON or text; may be given again."),
)


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command a flag for each usual setting; it gets them all as `settings`.

    Raises SettingsError, before the command starts, when a value cannot be used.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        flags = {name: given.pop(name) for name, *_ in (_PRESET, *_FLAGS, *_LISTS)}
        command(**given, settings=settings_from(**flags))

    own = inspect.signature(command, eval_str=True)
    parameters = [item for name, item in own.parameters.items() if name != "settings"]
    parameters += [_parameter(*flag, str | None, None) for flag in (_PRESET, *_FLAGS)]
    parameters += [_parameter(*flag, list[str], ()) for flag in _LISTS]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    return run


def _parameter(
    name: str, flag: str, shown: str, told: str, kind: Any, default: Any
) -> inspect.Parameter:
    option = typer.Option(flag, metavar=shown, help=told, show_default=False)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


def settings_from(
    preset: str | None = None,
    model_for: Iterable[str] = (),
    changes: Iterable[str] = (),
    **flags: str | None,
) -> Settings:
    """Read flags into Settings: the preset first, then `--set`, then the flags of their own.

    Raises SettingsError with one line that names the setting and what it may be.
    """
    values = dict(read_change(change) for change in changes)
    values |= {name: value for name, value in flags.items() if value is not None}
    models = dict(split_pair(pair, "--model-for", "NODE=NAME") for pair in model_for)
    if isinstance(values.setdefault("models", {}), dict):
        values["models"] |= models
    return make_preset(preset or "loop", **values)
