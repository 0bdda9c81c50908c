"""What is known about how each server takes a question: its rung, and what it refuses.

The rungs, best first: `json_schema` (the server holds the model to the shape), `function_calling`
(the shape as a tool), `json_object` (any JSON), `text` (plain words, read tolerantly). One refused
call is enough to know; the knowledge serves the other models of the same server as a first guess.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from typing import Literal, Protocol
from weakref import WeakValueDictionary

from .faults import Fault
from .gate import Gate

Rung = Literal["json_schema", "function_calling", "json_object", "text"]
RUNGS: tuple[Rung, ...] = ("json_schema", "function_calling", "json_object", "text")
Cap = Literal["max_tokens", "max_completion_tokens", ""]


class HasServer(Protocol):
    """Which server and which model on it."""

    @property
    def server(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def openai_like(self) -> bool: ...


@dataclass(frozen=True)
class Manner:
    """How one model is asked."""

    rung: Rung = "json_schema"
    proven: bool = False
    """A reply was read on this rung."""
    cap: Cap = "max_completion_tokens"
    """The name that the server has for the most tokens of a reply."""
    cap_tried: tuple[Cap, ...] = ()
    temperature: bool = True
    top_logprobs: int = 20
    """How many alternatives are asked for with each token; 0: none."""
    stream_usage: bool = True
    more_room: bool = False
    """The model thinks before it speaks, out of the same allowance."""


_WORDS: dict[Rung, re.Pattern[str]] = {
    "json_schema": re.compile(r"response.?format|json.?schema|schema|structured|grammar", re.I),
    "function_calling": re.compile(r"tool|function", re.I),
    "json_object": re.compile(r"response.?format|json", re.I),
    "text": re.compile(r"(?!)"),
}
_ABOUT_HOW = re.compile(r"support|requir|unknown|allowed|unavailable|invalid|schema|grammar", re.I)


def is_openai(server: str) -> bool:
    """True for OpenAI's own servers: newer names, and schemas that must require every key."""
    return re.search(r"openai\.com|azure\.com", server) is not None


class Ladder:
    """Remembers one `Manner` a model. One lives in each built graph; safe for threads."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        """What was found out, a line each, for people."""
        self._manners: dict[tuple[str, str], Manner] = {}
        self._servers: dict[str, Manner] = {}
        self._gates: WeakValueDictionary[tuple[str, float], Gate] = WeakValueDictionary()
        self._lock = threading.Lock()

    def rung(self, model: HasServer) -> Rung:
        """The rung that a model is asked on now."""
        return self.manner(model).rung

    def known(self, model: HasServer) -> bool:
        """True when it need not be found out how this model, or its server, is asked."""
        return (model.server, model.name) in self._manners or model.server in self._servers

    def manner(self, model: HasServer, first: Rung | None = None) -> Manner:
        """How a model is asked now. `first` is where an unknown one starts."""
        known = self._manners.get((model.server, model.name)) or self._servers.get(model.server)
        if known is not None:
            return known
        rung = first or ("json_schema" if model.openai_like else "function_calling")
        new_names = is_openai(model.server)
        return Manner(rung=rung, cap="max_completion_tokens" if new_names else "max_tokens")

    def worked(self, model: HasServer, manner: Manner, readable: bool) -> None:
        """Remember how a call went through, and that its reply could be read."""
        proven = replace(manner, proven=manner.proven or readable)
        with self._lock:
            self._manners[model.server, model.name] = proven
            if readable:
                # Temperature and room are a model's own; the rest is its server's.
                self._servers[model.server] = replace(
                    proven, proven=False, temperature=True, more_room=False
                )

    def gate(self, model: HasServer, question: float = 0.0) -> Gate:
        """The gate that all calls of one question to a server share, while any is under way."""
        with self._lock:
            return self._gates.setdefault((model.server, question), Gate())

    def note(self, line: str) -> None:
        """Keep a line for people, once."""
        with self._lock:
            if line not in self.notes:
                self.notes.append(line)

    def after_refusal(self, model: HasServer, manner: Manner, fault: Fault) -> Manner | None:
        """Learn how to ask instead, or None when the refusal is not about how it was asked.

        `manner` is how the call was made: another call may have learned more in the meantime.
        """
        if fault.kind == "passing" and not (
            fault.status >= 500 and _ABOUT_HOW.search(fault.line) and _instead(manner, fault.line)
        ):
            return None
        now = self._manners.get((model.server, model.name))
        if now is not None and replace(now, proven=manner.proven) != manner:
            return now
        instead = _instead(manner, fault.line)
        if instead is not None and instead.rung == "json_object" and not model.openai_like:
            instead = replace(instead, rung="text")
        if instead is not None:
            self.worked(model, instead, readable=False)
            self.note(f"{model.name}: {_what(manner, instead)} ({fault.line})")
        return instead


def _instead(manner: Manner, said: str) -> Manner | None:
    if "logprob" in said and manner.top_logprobs:
        return replace(manner, top_logprobs=5 if manner.top_logprobs > 5 else 0)
    if "temperature" in said and manner.temperature:
        return replace(manner, temperature=False)
    if "stream_options" in said and manner.stream_usage:
        return replace(manner, stream_usage=False)
    if re.search(r"max_(?:completion_)?tokens", said) and manner.cap:
        tried = (*manner.cap_tried, manner.cap)
        names: tuple[Cap, ...] = ("max_tokens", "max_completion_tokens", "")
        return replace(manner, cap=next(n for n in names if n not in tried), cap_tried=tried)
    if _WORDS[manner.rung].search(said):
        return replace(manner, rung=RUNGS[RUNGS.index(manner.rung) + 1], proven=False)
    return None


def plainest(manner: Manner) -> Manner:
    """The manner that any server takes: tried once after a refusal that names nothing."""
    return replace(
        manner, rung="text", proven=False, temperature=False, top_logprobs=0, stream_usage=False
    )


def _what(before: Manner, after: Manner) -> str:
    if after.rung != before.rung:
        return f"the server refuses {before.rung}, so {after.rung} is used"
    if after.cap != before.cap:
        return f"the server refuses {before.cap}, so {after.cap or 'no limit'} is sent"
    if after.temperature != before.temperature:
        return "the server refuses a temperature, so none is sent"
    if after.top_logprobs != before.top_logprobs:
        return f"the server refuses {before.top_logprobs} top_logprobs"
    return "the server refuses stream_options, so token counts of streams are estimates"
