"""Async HTTP clients that outlive no event loop.

The client that langchain-openai shares among all loops raises "Event loop is closed" in a second
`asyncio.run`. Here each loop has a client of its own, with connections kept open between calls. It
is closed when it was idle for a while, and at the latest when the loop shuts down its generators.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

IDLE_S = 30.0


@dataclass
class _Open:
    """One client. The loop's timer holds it, so that it is never collected while open."""

    loop: asyncio.AbstractEventLoop
    client: Any
    keeper: AsyncGenerator[Any, None]
    under_way: int = 0
    last_used: float = 0.0
    closing: asyncio.Task[None] | None = None


class Clients:
    """Gives copies of one OpenAI client, one a running loop. Safe for threads."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._open: list[_Open] = []
        self._lock = threading.Lock()

    @asynccontextmanager
    async def on_loop(self) -> AsyncIterator[Any]:
        """The client of the running loop, for one call."""
        mine = self._find() or await self._made()
        mine.under_way += 1
        try:
            yield mine.client
        finally:
            mine.under_way -= 1
            mine.last_used = mine.loop.time()

    async def aclose(self) -> None:
        """Close the client of the running loop now."""
        mine = self._find()
        if mine is not None:
            self._forget(mine)
            await mine.keeper.aclose()

    def _find(self) -> _Open | None:
        loop = asyncio.get_running_loop()
        with self._lock:
            self._open = [one for one in self._open if not one.loop.is_closed()]
            return next((one for one in self._open if one.loop is loop), None)

    async def _made(self) -> _Open:
        loop = asyncio.get_running_loop()
        keeper = _kept_open(self._root)
        made = _Open(loop, await anext(keeper), keeper, last_used=loop.time())
        with self._lock:
            self._open.append(made)
        loop.call_later(IDLE_S, self._look_at, made)
        return made

    def _look_at(self, one: _Open) -> None:
        if one.under_way or one.loop.time() - one.last_used < IDLE_S:
            one.loop.call_later(IDLE_S, self._look_at, one)
            return
        self._forget(one)
        one.closing = one.loop.create_task(_closed(one.keeper))

    def _forget(self, one: _Open) -> None:
        with self._lock:
            self._open = [other for other in self._open if other is not one]


async def _kept_open(root: Any) -> AsyncGenerator[Any, None]:
    import openai

    http = openai.DefaultAsyncHttpxClient(base_url=root.base_url, timeout=root.timeout)
    async with http:
        yield root.with_options(http_client=http, max_retries=0)


async def _closed(keeper: AsyncGenerator[Any, None]) -> None:
    await keeper.aclose()
