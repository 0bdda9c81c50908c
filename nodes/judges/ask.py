"""Asking a model many single questions at once.

    replies = ask(Ask("grade_passages", "judge", prompts, Relevance, scale=("yes", "no")), model,
                  meter=Meter(), ladder=Ladder(), options=AskOptions())

Replies come in the order of the prompts. A prompt that fails costs only itself; what no further
call can mend (the key, the quota, nobody there) is raised at once as a ModelError.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from ..steps import Ask, Reply
from .attempts import AskOptions, Batch, attempts
from .endpoint import Endpoint
from .ladder import Ladder
from .meter import Meter
from .stops import all_failed
from .transport import Call, asend, send

__all__ = ["AskOptions", "aask", "ask"]

OnToken = Callable[[str], None]


def ask(
    asked: Ask,
    model: Any,
    *,
    meter: Meter,
    ladder: Ladder,
    options: AskOptions,
    on_token: OnToken | None = None,
) -> list[Reply]:
    """Ask all prompts, blocking; at most `max_concurrency` calls are under way at the server.

    `model` is an Endpoint or any LangChain chat model. `on_token` gets the words of a streamed
    text; joined they are the reply's text. Raises ModelAuthError, ModelQuotaError,
    ModelUnreachable, ModelTimeout or ModelError.
    """
    batch = _batch(asked, model, meter, ladder, options, on_token)
    stop = threading.Event()
    first = _first_alone(batch)
    replies = [_drive(batch, prompt, stop) for prompt in asked.prompts[:first]]
    rest = asked.prompts[first:]
    if len(rest) == 1 or options.max_concurrency == 1:
        replies += [_drive(batch, prompt, stop) for prompt in rest]
    elif rest:
        replies += _drive_all(batch, rest, stop)
    return _checked(batch, replies)


async def aask(
    asked: Ask,
    model: Any,
    *,
    meter: Meter,
    ladder: Ladder,
    options: AskOptions,
    on_token: OnToken | None = None,
) -> list[Reply]:
    """Ask all prompts on the running event loop; no thread waits. Else the same as `ask`."""
    batch = _batch(asked, model, meter, ladder, options, on_token)
    first = _first_alone(batch)
    try:
        replies = [await _adrive(batch, prompt) for prompt in asked.prompts[:first]]
        if rest := asked.prompts[first:]:
            replies += await _adrive_all(batch, rest)
    finally:
        if batch.endpoint is not model:  # made here, so nobody else closes it
            await batch.endpoint.aclose()
    return _checked(batch, replies)


def _batch(
    asked: Ask,
    model: Any,
    meter: Meter,
    ladder: Ladder,
    options: AskOptions,
    on_token: OnToken | None,
) -> Batch:
    endpoint = model if isinstance(model, Endpoint) else Endpoint(model)
    return Batch(asked, endpoint, meter, ladder, options, on_token if asked.stream else None)


def _first_alone(batch: Batch) -> int:
    """1 when the first prompt goes ahead alone, to find out what the server takes; else 0."""
    return int(len(batch.asked.prompts) > 1 and not batch.ladder.known(batch.endpoint))


def _drive(batch: Batch, prompt: str, stop: threading.Event) -> Reply:
    steps = attempts(batch, prompt)
    gate = batch.ladder.gate(batch.endpoint, batch.options.question)
    while True:
        with gate.place(batch.options.max_concurrency):
            try:
                step = next(steps)
                while isinstance(step, Call):
                    step = steps.send(send(step))
            except StopIteration as done:
                reply: Reply = done.value
                return reply
        stop.wait(step.seconds)


def _drive_all(batch: Batch, prompts: Iterable[str], stop: threading.Event) -> list[Reply]:
    """Ask in threads. They leave early when one of them meets something fatal."""
    pool = ThreadPoolExecutor(batch.options.max_concurrency, thread_name_prefix="ragloop-ask")
    try:
        futures: list[Future[Reply]] = [
            pool.submit(contextvars.copy_context().run, _drive, batch, prompt, stop)
            for prompt in prompts
        ]
        open_ones = set(futures)
        while open_ones:
            done, open_ones = wait(open_ones, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()  # raises what is fatal
        return [future.result() for future in futures]
    finally:
        batch.stopped = True
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


async def _adrive(batch: Batch, prompt: str) -> Reply:
    steps = attempts(batch, prompt)
    gate = batch.ladder.gate(batch.endpoint, batch.options.question)
    while True:
        async with gate.aplace(batch.options.max_concurrency):
            try:
                step = next(steps)
                while isinstance(step, Call):
                    step = steps.send(await asend(step))
            except StopIteration as done:
                reply: Reply = done.value
                return reply
        await asyncio.sleep(step.seconds)


async def _adrive_all(batch: Batch, prompts: Iterable[str]) -> list[Reply]:
    tasks = [asyncio.create_task(_adrive(batch, prompt)) for prompt in prompts]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        batch.stopped = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _checked(batch: Batch, replies: list[Reply]) -> list[Reply]:
    """The replies, or the error when not one prompt got through and no limit was the reason."""
    if replies and len(batch.faults) == len(replies):
        error = all_failed(batch.faults, batch.asked, batch.endpoint, batch.options.timeout_s)
        if error is not None:
            raise error
    return replies
