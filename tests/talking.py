"""The scripted model, with words that come one after the other and may break off."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from scripted import ScriptedModel

BREAK = "\u26a1"
"""In a reply: the connection breaks here."""


class TalkingModel(ScriptedModel):
    """A `ScriptedModel` that can stream, five characters at a time."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return _unbroken(super()._generate(messages, **kwargs))

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> ChatResult:
        return _unbroken(await super()._agenerate(messages, **kwargs))

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        said = super()._generate(messages, **kwargs).generations[0].message
        yield from _chunks(said)

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        said = (await super()._agenerate(messages, **kwargs)).generations[0].message
        for chunk in _chunks(said):
            yield chunk


def _unbroken(made: ChatResult) -> ChatResult:
    if BREAK in made.generations[0].message.text:
        raise ConnectionError("the connection broke")
    return made


def _chunks(said: Any) -> Iterator[ChatGenerationChunk]:
    text, broken, _ = said.text.partition(BREAK)
    for at in range(0, len(text), 5):
        yield ChatGenerationChunk(message=AIMessageChunk(text[at : at + 5]))
    if broken:
        raise ConnectionError("the connection broke")
    last = AIMessageChunk("", usage_metadata=said.usage_metadata, chunk_position="last")
    last.response_metadata = {"finish_reason": "stop"}
    yield ChatGenerationChunk(message=last)
