"""Calls that run beside what a node asks next, in a thread or on the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any


class InThread:
    """Work in a thread. It cannot be ended from outside; what it would show is thrown away."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.seconds = 0.0
        self._done: list[Any] = []
        self._failed: list[BaseException] = []
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._do, work), daemon=True)
        self._thread.start()

    def _do(self, work: Callable[[], Any]) -> None:
        began = time.monotonic()
        try:
            self._done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._failed.append(error)
        self.seconds = time.monotonic() - began

    def result(self) -> Any:
        """Wait for it; raises what the work raised."""
        self._thread.join()
        if self._failed:
            raise self._failed[0]
        return self._done[0]

    async def aresult(self) -> Any:
        """Give what `result` gives."""
        return await asyncio.to_thread(self.result)

    def cancel(self) -> None:
        """Leave it to end by itself."""


class OnLoop:
    """Work in a task of the running event loop."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self.seconds = 0.0
        self.task = asyncio.ensure_future(self._do(work))

    async def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        began = time.monotonic()
        try:
            return await work
        finally:
            self.seconds = time.monotonic() - began

    async def aresult(self) -> Any:
        """Wait for it; raises what the work raised."""
        return await self.task

    def result(self) -> Any:
        """Give what is done; on the event loop nothing can be waited for."""
        return self.task.result()

    def cancel(self) -> None:
        """End it at once."""
        self.task.cancel()
