"""Keeping LangSmith's tracing, when it is switched on, from littering or holding up a command."""

from __future__ import annotations

import logging
import os
import sys
import threading

from .output import note

PATIENCE_S = 3.0
"""How long the end of a command waits for traces to be sent."""


class _Kept(logging.Handler):
    """Keeps what the tracer complains about, so that it can be said once and in one line."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


_kept = _Kept()


def hush_tracer() -> None:
    """Keep the tracer's warnings off stderr."""
    logger = logging.getLogger("langsmith")
    logger.addHandler(_kept)
    logger.propagate = False


def leave(code: int) -> None:
    """End the process with `code`, giving the tracer a little time where it is switched on.

    The tracer retries for minutes in a thread that would keep the process from ending.
    """
    if _is_tracing() and not _sent_in_time():
        note("LangSmith tracing is on, but the traces could not be sent; check its key and address")
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def _is_tracing() -> bool:
    if "langsmith" not in sys.modules:
        return False
    from langsmith.utils import tracing_is_enabled

    return bool(tracing_is_enabled())


def _sent_in_time() -> bool:
    from langchain_core.tracers.langchain import wait_for_all_tracers

    waiting = threading.Thread(target=wait_for_all_tracers, daemon=True)
    waiting.start()
    waiting.join(PATIENCE_S)
    return not waiting.is_alive() and not _kept.messages
