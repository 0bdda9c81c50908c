"""A chat model in this process whose replies are scripted by the node that asks.

    model = ScriptedModel(script={"grade_passages": ["no", "yes"], "generate": "At 07:40. [1]"})
    build_graph(Parts(passages=store, judge=model, writer=model, reader=model))

A reply is a word, a text, a dict in the asked shape, an exception to raise, or a function of the
prompt that gives one of these. A list is taken one by one, its last reply repeats. A node without a
script gets a positive reply. It counts its calls by node, and what was under way at once.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import BaseModel, Field, PrivateAttr

from ragloop.graph import prompts
from ragloop.stores.tokens import count_tokens

Reply = str | Mapping[str, Any] | Exception | Callable[[str], Any]
NODE_OF = {
    prompts.DEFAULTS[node].splitlines()[0].replace("{question}", ""): node
    for node in prompts.DEFAULTS
}
"""The first line of a prompt tells which node asks."""


class ScriptedModel(BaseChatModel):
    """See the top of this file."""

    script: dict[str, Any] = Field(default_factory=dict)
    seconds: float = 0.0
    """How long each call takes."""
    model_name: str = "scripted"
    _calls: Counter[str] = PrivateAttr(default_factory=Counter)
    _asked: list[tuple[str, str]] = PrivateAttr(default_factory=list)
    _under_way: int = PrivateAttr(default=0)
    _most_under_way: int = PrivateAttr(default=0)
    _sync_calls: int = PrivateAttr(default=0)
    _tokens: int = PrivateAttr(default=0)
    _queries: Any = PrivateAttr(default_factory=lambda: itertools.count(1))
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def calls(self) -> Counter[str]:
        """Calls by node."""
        return self._calls

    @property
    def asked(self) -> list[tuple[str, str]]:
        """Every node and prompt, in order."""
        return self._asked

    @property
    def most_under_way(self) -> int:
        """The most calls that were under way at once."""
        return self._most_under_way

    @property
    def sync_calls(self) -> int:
        """Calls that held up their thread."""
        return self._sync_calls

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """Remember the shape that is asked for."""
        return self.bind(shape=tools[0])

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self._sync_calls += 1
        node, prompt = self._enter(messages)
        time.sleep(self.seconds)
        return self._leave(node, prompt, kwargs.get("shape"))

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> ChatResult:
        node, prompt = self._enter(messages)
        await asyncio.sleep(self.seconds)
        return self._leave(node, prompt, kwargs.get("shape"))

    def _enter(self, messages: list[BaseMessage]) -> tuple[str, str]:
        prompt = "\n".join(message.text for message in messages)
        node = NODE_OF.get(prompt.splitlines()[0], "?")
        with self._lock:
            self._calls[node] += 1
            self._asked.append((node, prompt))
            self._under_way += 1
            self._most_under_way = max(self._most_under_way, self._under_way)
        return node, prompt

    def _leave(self, node: str, prompt: str, shape: type[BaseModel] | None) -> ChatResult:
        with self._lock:
            self._under_way -= 1
            reply = self._next(node)
        if callable(reply):
            reply = reply(prompt)
        if isinstance(reply, Exception):
            raise reply
        message = AIMessage(self._text(reply), tool_calls=_call(reply, shape))
        message.usage_metadata = _usage(prompt, reply)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _next(self, node: str) -> Reply:
        reply = self.script.get(node, self.script.get("*"))
        if isinstance(reply, list):
            return reply.pop(0) if len(reply) > 1 else reply[0]
        return self._positive(node) if reply is None else reply

    def _positive(self, node: str) -> Reply:
        return {
            "check_grounding": "full",
            "check_usefulness": "5",
            "generate": "The answer. [1]",
            "read_whole_document": "The whole answer. [1]",
            "answer_directly": "Hello.",
            "restate_question": lambda prompt: newest(prompt),
            "rewrite_query": {"failure": "other", "queries": [f"query {next(self._queries)}"]},
        }.get(node, "yes")

    @staticmethod
    def _text(reply: Any) -> str:
        return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def newest(prompt: str) -> str:
    """The question that a prompt holds."""
    found = re.findall(r"<question>\s*(.*?)\s*</question>", prompt, re.S)
    return str(found[-1]) if found else ""


def always_no() -> dict[str, Any]:
    """A script whose judges never are content."""
    return {
        "grade_passages": "no",
        "check_grounding": "none",
        "check_usefulness": "1",
        "generate": "Something. [1]",
        "read_whole_document": {"answerable": False, "answer": "", "missing": "all of it"},
    }


def _call(reply: Any, shape: type[BaseModel] | None) -> list[Any]:
    if shape is None or not isinstance(reply, Mapping):
        return []
    return [{"name": shape.__name__, "args": dict(reply), "id": "call", "type": "tool_call"}]


def _usage(prompt: str, reply: Any) -> Any:
    words = count_tokens(prompt), count_tokens(str(reply))
    return {"input_tokens": words[0], "output_tokens": words[1], "total_tokens": sum(words)}
