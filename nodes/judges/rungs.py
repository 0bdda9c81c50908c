"""How a question is put on each rung: what goes into the request, what is added to the prompt."""

from __future__ import annotations

import typing
from typing import Any

from pydantic import BaseModel

from ..steps import Ask
from .endpoint import Endpoint
from .ladder import Manner, is_openai

ROOM = 4096
"""Tokens that a model which thinks before it speaks gets on top."""


def token_cap(asked: Ask, manner: Manner) -> int:
    """The most tokens that the reply may have."""
    return asked.max_tokens + (ROOM if manner.more_room else 0)


def prompt_on(prompt: str, asked: Ask, manner: Manner) -> str:
    """The prompt with what the rung needs said in words."""
    if manner.rung == "text":
        return f"{prompt.rstrip()}\n\n{_in_words(asked)}"
    if manner.rung == "json_object":
        return f"{prompt.rstrip()}\n\n{_one_object(asked.shape)}"
    return prompt


def request_on(
    endpoint: Endpoint,
    asked: Ask,
    manner: Manner,
    *,
    temperature: float | None,
    seconds: float,
    stream: bool,
    logprobs: bool,
) -> dict[str, Any]:
    """Everything that goes into the request beside the prompt, for OpenAI-compatible servers.

    `response_format` and `max_tokens` travel in `extra_body`: as ordinary arguments the client
    would parse the reply itself, and rename the cap.
    """
    body: dict[str, Any] = dict(getattr(endpoint.model, "extra_body", None) or {})
    made: dict[str, Any] = {"timeout": seconds, "stream": stream}
    if manner.cap == "max_tokens":
        body["max_tokens"] = token_cap(asked, manner)
    elif manner.cap:
        made["max_completion_tokens"] = token_cap(asked, manner)
    if temperature is not None and manner.temperature:
        made["temperature"] = temperature
    if asked.scale and logprobs and manner.top_logprobs:
        made |= {"logprobs": True, "top_logprobs": manner.top_logprobs}
    if stream:
        made["stream_usage"] = manner.stream_usage
    name = asked.shape.__name__
    if manner.rung == "json_schema":
        strict = is_openai(endpoint.server)
        schema: dict[str, Any] = {"name": name, "schema": schema_of(asked.shape, strict=strict)}
        if strict:
            schema["strict"] = True
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif manner.rung == "json_object":
        body["response_format"] = {"type": "json_object"}
    elif manner.rung == "function_calling":
        function = {"name": name, "parameters": schema_of(asked.shape)}
        if about := asked.shape.__doc__:
            function["description"] = about.strip()
        made["tools"] = [{"type": "function", "function": function}]
        made["tool_choice"] = {"type": "function", "function": {"name": name}}
    return {**made, "extra_body": body} if body else made


def schema_of(shape: type[BaseModel], *, strict: bool = False) -> dict[str, Any]:
    """The shape as a closed JSON schema; `strict` also requires every key.

    Only where a server insists: a small model that must fill in what is missing finds something,
    and then says that it cannot answer.
    """
    closed: dict[str, Any] = _closed(shape.model_json_schema(), strict)
    return closed


def _closed(part: Any, strict: bool) -> Any:
    if isinstance(part, list):
        return [_closed(one, strict) for one in part]
    if not isinstance(part, dict):
        return part
    dropped = ("title", "default", "maxItems") if strict else ("title", "default")
    made = {key: _closed(value, strict) for key, value in part.items() if key not in dropped}
    if isinstance(properties := part.get("properties"), dict):
        # A field may be called "title" or "default" itself.
        made["properties"] = {name: _closed(field, strict) for name, field in properties.items()}
        made["additionalProperties"] = False
        if strict:
            made["required"] = list(properties)
    return made


def flag_of(asked: Ask) -> str:
    """The yes-or-no field that says whether there is a text at all, or ""."""
    fields = asked.shape.model_fields
    return next((name for name, field in fields.items() if field.annotation is bool), "")


def _in_words(asked: Ask) -> str:
    if asked.scale:
        return f"Reply with one word and nothing else: {_either(asked.scale)}."
    flag = flag_of(asked)
    if asked.text_field and flag:
        rest = {
            name: f'"{field.description or name}"'
            for name, field in asked.shape.model_fields.items()
            if name not in (flag, asked.text_field)
        }
        pairs = ", ".join([f'"{flag}": false', *(f'"{n}": {v}' for n, v in rest.items())])
        return (
            f"Reply with the {asked.text_field} in plain words and nothing else. "
            f"Only when {flag} would be false, reply with this JSON object alone: {{{pairs}}}"
        )
    if list(asked.shape.model_fields) == [asked.text_field]:
        return f"Reply with the {asked.text_field} alone, without any explanation."
    return _one_object(asked.shape)


def _either(labels: tuple[str, ...]) -> str:
    return f"{', '.join(labels[:-1])} or {labels[-1]}" if len(labels) > 1 else labels[0]


def _one_object(shape: type[BaseModel]) -> str:
    pairs = []
    for name, field in shape.model_fields.items():
        about = field.description or _kind(field.annotation)
        value = f"[{about}]" if typing.get_origin(field.annotation) is list else f"<{about}>"
        pairs.append(f'"{name}": {value}')
    return "Reply with one JSON object and nothing else: {" + ", ".join(pairs) + "}"


def _kind(annotation: Any) -> str:
    if typing.get_origin(annotation) is typing.Literal:
        return _either(tuple(map(str, typing.get_args(annotation))))
    return {bool: "true or false", int: "number", float: "number"}.get(annotation, "text")
