"""One call to a chat model, blocking or not: what came back, or what went wrong, as a value."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import aclosing, closing
from dataclasses import dataclass, field, replace
from typing import Any

from ..steps import Ask
from .endpoint import Endpoint
from .faults import Fault, classify
from .ladder import Manner, Rung
from .partial_text import PartialText
from .rungs import prompt_on, request_on

# LangGraph leaves the raw tokens of calls with this tag out of its `messages` stream.
_CONFIG: Any = {"tags": ["nostream"]}


@dataclass(frozen=True)
class Call:
    """One attempt at one prompt."""

    endpoint: Endpoint
    asked: Ask
    prompt: str
    manner: Manner
    temperature: float | None
    seconds: float
    """The most it may take; for a stream, the most until the next chunk."""
    seconds_left: Callable[[], float]
    """Seconds until the run's deadline."""
    partial: PartialText | None = None
    """Takes the chunks of a stream; None for a reply that comes as one."""
    on_token: Callable[[str], None] | None = None
    logprobs: bool = True

    @property
    def words(self) -> str:
        """The prompt as it is sent."""
        return prompt_on(self.prompt, self.asked, replace(self.manner, rung=self.rung))

    @property
    def rung(self) -> Rung:
        """How the shape is asked for; other libraries' models stream plain words only."""
        plain = self.partial is not None and not self.endpoint.openai_like
        return "text" if plain else self.manner.rung

    def request(self) -> dict[str, Any]:
        """The arguments of the call."""
        if not self.endpoint.openai_like:
            return {}
        return request_on(
            self.endpoint,
            self.asked,
            self.manner,
            temperature=self.temperature,
            seconds=self.seconds,
            stream=self.partial is not None,
            logprobs=self.logprobs,
        )

    def take_chunk(self, chunk: Any) -> None:
        """Pass on what a chunk adds to the text."""
        if self.partial is None:
            return
        arguments = (part.get("args") or "" for part in getattr(chunk, "tool_call_chunks", ()))
        new = self.partial.feed(chunk.text or "".join(arguments))
        if new and self.on_token is not None:
            self.on_token(new)


@dataclass(frozen=True)
class Raw:
    """What came back from one attempt."""

    text: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    """Of a tool call."""
    finish_reason: str = ""
    refusal: str = ""
    tokens: tuple[int, int] | None = None
    """In and out, as the server counted them."""
    logprobs: list[Any] = field(default_factory=list)
    fault: Fault | None = None


def send(call: Call) -> Raw:
    """Make the call, blocking."""
    if not call.endpoint.openai_like:
        return _within(call.seconds, lambda: _send(call), call.endpoint.key)
    return _send(call)


def _send(call: Call) -> Raw:
    chat = call.endpoint.chat(temperature=call.manner.temperature)
    if call.partial is not None:
        return _stream(call, chat)
    try:
        message = _runnable(call, chat).invoke(call.words, config=_CONFIG, **call.request())
    except Exception as error:  # noqa: BLE001 - each client library raises kinds of its own
        return _failed(error, call)
    return _read(message, call)


def _stream(call: Call, chat: Any) -> Raw:
    message: Any = None
    with closing(chat.stream(call.words, config=_CONFIG, **call.request())) as chunks:
        while True:
            try:
                chunk = next(chunks)
            except StopIteration:
                return _read(message, call)
            except Exception as error:  # noqa: BLE001 - the same, in the middle of a stream
                return _failed(error, call, message)
            message = chunk if message is None else message + chunk
            call.take_chunk(chunk)
            if call.seconds_left() <= 0:
                return _failed(TimeoutError(), call, message)


async def asend(call: Call) -> Raw:
    """Make the call on the running event loop."""
    async with call.endpoint.achat(temperature=call.manner.temperature) as chat:
        if call.partial is not None:
            return await _astream(call, chat)
        try:
            async with asyncio.timeout(call.seconds):
                model = _runnable(call, chat)
                message = await model.ainvoke(call.words, config=_CONFIG, **call.request())
        except Exception as error:  # noqa: BLE001 - each client library raises kinds of its own
            return _failed(error, call)
        return _read(message, call)


async def _astream(call: Call, chat: Any) -> Raw:
    message: Any = None
    async with aclosing(chat.astream(call.words, config=_CONFIG, **call.request())) as chunks:
        while True:
            try:
                async with asyncio.timeout(min(call.seconds, call.seconds_left())):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return _read(message, call)
            except Exception as error:  # noqa: BLE001 - the same, in the middle of a stream
                return _failed(error, call, message)
            message = chunk if message is None else message + chunk
            call.take_chunk(chunk)


def _within(seconds: float, work: Callable[[], Raw], key: str) -> Raw:
    """Do the work in a thread of its own and stop waiting for it in time."""
    done: list[Raw] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            errors.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), daemon=True)
    thread.start()
    thread.join(None if seconds == float("inf") else seconds)
    if errors:
        raise errors[0]
    return done[0] if done else Raw(fault=classify(TimeoutError(), key))


def _runnable(call: Call, model: Any) -> Any:
    """The model itself; for other libraries' models on a structured rung, their own way of it."""
    if call.endpoint.openai_like or call.rung == "text":
        return model
    return call.endpoint.structured(call.asked.shape)


def _failed(error: Exception, call: Call, message: Any = None) -> Raw:
    fault = classify(error, call.endpoint.key)
    return Raw(text=message.text if message is not None else "", fault=fault)


def _read(message: Any, call: Call) -> Raw:
    arguments: dict[str, Any] = {}
    if isinstance(message, dict):  # with_structured_output(include_raw=True)
        parsed: Any = message.get("parsed")
        arguments = parsed.model_dump() if hasattr(parsed, "model_dump") else parsed or {}
        message = message.get("raw")
    if message is None:
        return Raw(arguments=arguments)
    about = message.response_metadata or {}
    usage = getattr(message, "usage_metadata", None) or {}
    counted = (int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0))
    calls = [one["args"] for one in getattr(message, "tool_calls", ()) if one.get("args")]
    broken = [one["args"] for one in getattr(message, "invalid_tool_calls", ()) if one.get("args")]
    logprobs = about.get("logprobs") or {}
    return Raw(
        text=message.text or (str(broken[-1]) if broken else ""),
        arguments=calls[-1] if calls else arguments,
        finish_reason=str(about.get("finish_reason") or about.get("stop_reason") or ""),
        refusal=str(message.additional_kwargs.get("refusal") or ""),
        tokens=counted if any(counted) else None,
        logprobs=list(logprobs.get("content") or []) if isinstance(logprobs, dict) else [],
    )


def seconds_for(timeout_s: float, left: float) -> float:
    """How long one call may take, in seconds."""
    return max(0.001, min(timeout_s, left))
