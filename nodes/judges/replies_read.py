"""From what came back to a `Reply`: how it ended, its label or fields, its score."""

from __future__ import annotations

from typing import Any

from ..steps import Reply
from .faults import one_line
from .fields import fields_of, read_fields
from .objects import strip_reasoning
from .reading import label_in_object, read_label
from .rungs import flag_of, token_cap
from .soft_scores import score_from_tokens
from .transport import Call, Raw
from .verdict import UNCLEAR

_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "model_length"})
_FILTERED = frozenset({"content_filter", "refusal", "SAFETY", "safety"})


def read_reply(raw: Raw, call: Call) -> Reply:
    """Say how a reply ended, and read it when it is whole. Never raises."""
    said = strip_reasoning(raw.text)
    label = UNCLEAR if call.asked.scale else ""
    if raw.finish_reason in _CUT:
        return _cut_off(raw, call, said, label, _cap_line(call))
    if raw.refusal or raw.finish_reason in _FILTERED:
        why = raw.refusal or "its content filter"
        return Reply(
            label=label,
            finish="refused",
            error=one_line(f"the model refused: {why}", call.endpoint.key),
        )
    if call.partial is not None and call.endpoint.openai_like and not raw.finish_reason:
        return _cut_off(raw, call, said, label, "cut off: the stream ended without a finish mark")
    is_label = said.lower() in call.asked.scale  # "none" is one of the labels for support
    if not raw.arguments and not is_label and said.lower() in ("", "none", "null", "{}"):
        return Reply(label=label, finish="empty", error="the reply was empty")
    return _verdict(raw, call, said) if call.asked.scale else _fields(raw, call, said)


def _cap_line(call: Call) -> str:
    cap = token_cap(call.asked, call.manner)
    setting = "" if call.asked.role == "judge" else "; raise Settings.answer_tokens"
    return f"cut off at the token limit (max_tokens {cap}){setting}"


def _cut_off(raw: Raw, call: Call, said: str, label: str, error: str) -> Reply:
    """What there is of a text is kept; a verdict that was cut off is none."""
    text = call.partial.passed if call.partial is not None else ""
    if not text and call.asked.text_field and said and not said.startswith(("{", "`")):
        text = said
    fields = {call.asked.text_field: text} if text else {}
    return Reply(fields=fields, text=text, label=label, finish="cut off", error=error)


def _verdict(raw: Raw, call: Call, said: str) -> Reply:
    asked = call.asked
    field = next(iter(asked.shape.model_fields))
    if raw.arguments:
        label = label_in_object(raw.arguments, asked.scale, field)
        fields = fields_of(raw.arguments, asked.shape) or {}
        said = said or ", ".join(f"{key}: {value}" for key, value in raw.arguments.items())
    else:
        label = read_label(said, asked.scale, field)
        fields = read_fields(said, asked.shape) or {}
    if label == UNCLEAR:
        error = f"the verdict could not be read: {one_line(said, call.endpoint.key, 80)!r}"
        return Reply(text=said, label=label, finish="unreadable", error=error)
    fields = {**fields, field: label}
    score = score_from_tokens(raw.logprobs, asked.scale, label, field) if raw.logprobs else None
    return Reply(fields=fields, text=said, label=label, score=score)


def _fields(raw: Raw, call: Call, said: str) -> Reply:
    asked = call.asked
    if raw.arguments:
        fields = fields_of(raw.arguments, asked.shape, asked.text_field)
    else:
        fields = read_fields(said, asked.shape, asked.text_field)
    if fields is None:
        error = f"the reply could not be read: {one_line(said, call.endpoint.key, 80)!r}"
        return Reply(text=said, finish="unreadable", error=error)
    text: Any = fields.get(asked.text_field, said)
    text = text if isinstance(text, str) else "\n".join(map(str, text))
    flag = flag_of(asked)
    if asked.stream:
        passed = call.partial.passed if call.partial is not None else ""
        if flag and fields.get(flag) is False and not passed:
            text = ""
        elif not text.startswith(passed):
            text = passed  # what the reader has seen is the answer
        if asked.text_field and isinstance(fields.get(asked.text_field), str):
            fields = {**fields, asked.text_field: text}
    return Reply(fields=fields, text=text)
