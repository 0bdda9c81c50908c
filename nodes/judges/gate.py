"""A gate that lets only so many calls be under way at one server, from threads and loops alike."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass


@dataclass(eq=False)
class _Waiting:
    """Somebody who waits for a place, and how to call them in."""

    limit: int
    call_in: Callable[[], None]


class Gate:
    """Counts what is under way for one question, over all nodes. First come, first served.

    Two checks of one draft run at the same time: a limit for each batch would not hold.
    """

    def __init__(self) -> None:
        self._under_way = 0
        self._waiting: deque[_Waiting] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def place(self, limit: int) -> Iterator[None]:
        """Wait until fewer than `limit` are under way, blocking; leave at the end."""
        called = threading.Event()
        me = _Waiting(limit, called.set)
        if not self._enter(me):
            try:
                called.wait()
            except BaseException:
                self._give_up(me)
                raise
        try:
            yield
        finally:
            self._leave()

    @asynccontextmanager
    async def aplace(self, limit: int) -> AsyncIterator[None]:
        """The same without holding up the event loop."""
        loop = asyncio.get_running_loop()
        called = asyncio.Event()
        me = _Waiting(limit, lambda: _call(loop, called))
        if not self._enter(me):
            try:
                await called.wait()
            except BaseException:
                self._give_up(me)
                raise
        try:
            yield
        finally:
            self._leave()

    def _enter(self, me: _Waiting) -> bool:
        with self._lock:
            if self._under_way < me.limit and not self._waiting:
                self._under_way += 1
                return True
            self._waiting.append(me)
            return False

    def _leave(self) -> None:
        with self._lock:
            self._under_way -= 1
            called_in = []
            while self._waiting and self._under_way < self._waiting[0].limit:
                # The place is theirs from here, so that nobody slips in between.
                self._under_way += 1
                called_in.append(self._waiting.popleft())
        for one in called_in:
            one.call_in()

    def _give_up(self, me: _Waiting) -> None:
        with self._lock:
            still_waiting = me in self._waiting
            if still_waiting:
                self._waiting.remove(me)
        if not still_waiting:
            self._leave()


def _call(loop: asyncio.AbstractEventLoop, called: asyncio.Event) -> None:
    loop.call_soon_threadsafe(called.set)
