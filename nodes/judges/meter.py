"""What one node may still spend, and what it has spent: asked before every call to a server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal

from ...stores.tokens import count_tokens as estimate_tokens
from ..steps import Usage

Limit = Literal["", "max_calls", "max_tokens", "deadline"]


class Meter:
    """Reserves calls and tokens before they are spent. Safe for threads and for event loops.

    `deadline` is on the clock of `time.monotonic`. None means no limit. Call number `calls` + 1
    never happens: first tries, ladder probes and retries all come here first.
    """

    def __init__(
        self,
        calls: int | None = None,
        tokens: int | None = None,
        deadline: float | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        self.count_tokens = count_tokens or estimate_tokens
        self.reached: Limit = ""
        """The limit that was the last to forbid a call."""
        self._calls = calls
        self._tokens = tokens
        self._deadline = deadline
        self._reserved = 0
        self._under_way = 0
        self._used = Usage()
        self._lock = threading.Lock()

    @property
    def used(self) -> Usage:
        """What was spent so far; calls that are under way are not in it."""
        return self._used

    def take(self, tokens: int) -> bool:
        """Reserve one call of about `tokens` tokens, in and out; False when it does not fit."""
        with self._lock:
            limit = self._forbidden_by(tokens)
            if limit:
                self.reached = limit
                return False
            self._reserved += tokens
            self._under_way += 1
            return True

    def settle(self, reserved: int, usage: Usage) -> None:
        """Book what a call did cost in place of what was reserved for it.

        A call that never reached the server has zero calls in its usage, and is given back.
        """
        with self._lock:
            self._reserved -= reserved
            self._under_way -= 1
            self._used = self._used + usage

    def seconds_left(self) -> float:
        """Seconds until the deadline, never below zero; infinite when there is none."""
        if self._deadline is None:
            return float("inf")
        return max(0.0, self._deadline - time.monotonic())

    def _forbidden_by(self, tokens: int) -> Limit:
        if self.seconds_left() <= 0:
            return "deadline"
        used = self._used
        if self._calls is not None and used.calls + self._under_way >= self._calls:
            return "max_calls"
        total = used.input_tokens + used.output_tokens + self._reserved + tokens
        if self._tokens is not None and total > self._tokens:
            return "max_tokens"
        return ""
