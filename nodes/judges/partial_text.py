"""Passing an answer on while it is being written, out of JSON or plain words.

Chunks may end anywhere: inside an escape, a surrogate pair, a key. What was passed on is never
taken back, so nothing is passed on before it is known to be the answer.
"""

from __future__ import annotations

import json
import re
from typing import Literal

_THINK = re.compile(
    r"<(think|thinking|thought|thoughts|reasoning|reason|reflection|analysis|scratchpad)\b", re.I
)
_THOUGHTS_LATER = re.compile(r"</?(?:t(?:h(?:i(?:n(?:k.*)?)?|o.*)?)?)?\Z", re.I | re.S)
_STRING_END = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_HIGH_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z")


class PartialText:
    """Takes a reply chunk by chunk and gives back the words of its text field, as they come.

    `field` is the key of the text; `flag` the key that says whether there is an answer at all
    ("" when the shape has none). While the flag is not known the text is held back, and when it is
    false nothing is ever given.
    """

    def __init__(self, field: str, flag: str = "") -> None:
        self.field = field
        self.flag = flag
        self.passed = ""
        """All that was given so far."""
        self._raw = ""
        self._kind: Literal["", "json", "plain", "hidden"] = ""

    def feed(self, chunk: str) -> str:
        """Give what the chunk adds to the text; often nothing."""
        self._raw += chunk
        if not self._kind:
            self._kind = self._recognised()
        if self._kind == "json":
            return self._give(self._text_so_far())
        if self._kind == "plain":
            return self._give(self._plain_so_far())
        return ""

    def finish(self, text: str) -> str:
        """Give what is left of the final text, once the reply has been read as a whole."""
        return self._give(text)

    def _give(self, text: str) -> str:
        if not text.startswith(self.passed):
            return ""
        new = text[len(self.passed) :]
        self.passed = text
        return new

    def _recognised(self) -> Literal["", "json", "plain", "hidden"]:
        start = self._raw.lstrip()
        if not start:
            return ""
        if start[0] == "{":
            return "json"
        if start[0] in "<`~":
            # Thoughts, a code block or an ordinary "<b>": thoughts and blocks wait for the end.
            if len(start) < 14 and "\n" not in start:
                return ""
            return "hidden" if _THINK.match(start) or start[0] in "`~" else "plain"
        return "plain"

    def _plain_so_far(self) -> str:
        """Plain words up to where thoughts may begin; space at the end may be the reply's last."""
        thoughts = _THOUGHTS_LATER.search(self._raw)
        return (self._raw[: thoughts.start()] if thoughts else self._raw).strip()

    def _text_so_far(self) -> str:
        if self.flag and not self._flag_is_true():
            return ""
        begin = self._value_of(self.field)
        if begin is None or self._raw[begin : begin + 1] != '"':
            return ""
        body = self._raw[begin:]
        whole = _STRING_END.match(body)
        inside = whole.group()[1:-1] if whole else body[1:]
        if not whole:
            inside = _HIGH_HALF.sub("", _HALF_ESCAPE.sub("", inside))
        try:
            text = str(json.loads(f'"{inside}"', strict=False))
        except json.JSONDecodeError:
            return self.passed
        return text.strip() if whole else text.lstrip().rstrip()

    def _flag_is_true(self) -> bool:
        begin = self._value_of(self.flag)
        return (
            begin is not None and re.match(r'"?(?:true|yes)\b', self._raw[begin:], re.I) is not None
        )

    def _value_of(self, key: str) -> int | None:
        """Where the value of a top-level key begins, or None while it has not come."""
        depth, at, raw = 0, 0, self._raw
        while at < len(raw):
            char = raw[at]
            if char == '"':
                string = _STRING_END.match(raw, at)
                if not string:
                    return None
                after = re.compile(r"\s*:\s*(?=\S)").match(raw, string.end())
                if depth == 1 and after and string.group()[1:-1] == key:
                    return after.end()
                at = string.end()
                continue
            depth += (char in "{[") - (char in "}]")
            at += 1
        return None
