"""Finding JSON objects in what a model wrote, forgiving the usual slips."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, NamedTuple

_MOST = 64
"""Opening braces that are looked at, from the end of the text."""
_THINK = "think|thinking|thought|thoughts"
# Words that a text may use as tags of its own: thoughts only where they begin a line.
_OTHER = "reasoning|reason|reflection|analysis|scratchpad"
_TAG = rf"(?:<(?:{_THINK})\b|^[ \t]*<(?:{_OTHER})\b)"
_CLOSED = re.compile(rf"{_TAG}[^>]*>.*?</(?:{_THINK}|{_OTHER})\s*>", re.I | re.S | re.M)
_OPEN = re.compile(rf"{_TAG}[^>]*>.*\Z", re.I | re.S | re.M)
_TAIL = re.compile(rf"\A.*</(?:{_THINK})\s*>", re.I | re.S)
_CHANNEL = re.compile(r"\A.*<\|channel\|>final(?:<\|message\|>)?", re.S)
_MARKS = r"(?:\s*(?:<\|\w+\|>|</s>|<eos>|<end_of_turn>|\[/INST\]))+\s*\Z"
_LEFTOVER = re.compile(_MARKS)
_AFTER_SENTENCE = re.compile(r"(?<=[.!?。！？\])}\"”])" + _MARKS)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.M)


class Found(NamedTuple):
    """An object, and where in the text it stands."""

    value: dict[str, Any]
    start: int
    end: int
    torn: bool
    """One key was given twice with different values."""


def strip_reasoning(text: str) -> str:
    """The text without the model's thoughts (closed, unclosed, or without their start).

    Marks of the chat template that a server left behind the last sentence go as well; elsewhere
    they may be what the text is about.
    """
    text = _CHANNEL.sub("", text)
    text = _CLOSED.sub("", text)
    text = _TAIL.sub("", text)
    return _AFTER_SENTENCE.sub("", _OPEN.sub("", text)).strip()


def strip_marks(text: str) -> str:
    """A verdict without the marks of the chat template behind it."""
    return _LEFTOVER.sub("", text).strip()


def strip_fences(text: str) -> str:
    """The text without the lines that open and close a code block."""
    return _FENCE.sub("", text).strip()


def objects(text: str) -> list[Found]:
    """All outermost JSON objects of the text, in order."""
    found: list[Found] = []
    at = 0
    starts = [m.start() for m in re.finditer(r"\{", text)][-_MOST:]
    for start in starts:
        if start < at:
            continue
        one = _object_at(text, start)
        if one is not None:
            found.append(one._replace(value=_arguments(one.value)))
            at = one.end
    return found


def _arguments(value: dict[str, Any]) -> dict[str, Any]:
    """What a tool call that was written as text holds; any other object as it is."""
    for key in ("arguments", "parameters", "args", "input"):
        if isinstance(inner := value.get(key), dict) and ("name" in value or len(value) == 1):
            return inner
    return value


def _object_at(text: str, start: int) -> Found | None:
    torn: list[bool] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in items:
            torn.extend([True] if key in made and made[key] != value else [])
            made[key] = value
        return made

    try:
        decoder = json.JSONDecoder(strict=False, object_pairs_hook=pairs)
        value, end = decoder.raw_decode(text, start)
        return Found(value, start, end, bool(torn))
    except (json.JSONDecodeError, RecursionError):
        pass
    for quotes in ('"', "\"'", ""):
        end = _closing(text, start, quotes)
        if end and (value := _forgiving(text[start:end])) is not None:
            return Found(value, start, end, False)
    return None


def _closing(text: str, start: int, quotes: str) -> int:
    """One past the brace that closes the one at `start`; 0 when there is none."""
    depth, quote, skip = 0, "", False
    for at in range(start, min(len(text), start + 20_000)):
        char = text[at]
        if skip:
            skip = False
        elif char == "\\":
            skip = True
        elif quote:
            quote = "" if char == quote else quote
        elif char in quotes:
            quote = char
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at + 1
    return 0


def _forgiving(text: str) -> dict[str, Any] | None:
    """Read an object with single quotes, trailing commas, bare keys or Chinese signs."""
    text = text.translate(str.maketrans("“”‘’", "\"\"''"))
    text = re.sub(r"[\"']\s*：", lambda m: m.group()[0] + ":", text)
    text = re.sub(r"([\"'\d\]}el])\s*，\s*(?=[\"'])", r"\1,", text)
    text = re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*[:：]", r'\1"\2":', text)
    text = re.sub(r",\s*([}\]])", r"\1", text)
    try:
        value = json.loads(text, strict=False)
    except (json.JSONDecodeError, RecursionError):
        names = {"true": "True", "false": "False", "null": "None"}
        text = re.sub(r"(?<=[:\[,\s])(true|false|null)\b", lambda m: names[m.group()], text)
        text = re.sub(r":\s*([A-Za-z]+)\s*(?=[,}])", _quoted_word, text)
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return value if isinstance(value, dict) and all(isinstance(k, str) for k in value) else None


def _quoted_word(match: re.Match[str]) -> str:
    word = match.group(1)
    return match.group() if word in ("True", "False", "None") else f": '{word}'"
