"""`ragloop serve` on 127.0.0.1 in a thread of the test, over real HTTP."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn

from ragloop.cli.web.app import Service, make_app


@contextlib.contextmanager
def served(service: Service) -> Iterator[str]:
    """Serve until the block ends; gives the address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(make_app(service), log_level="warning", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        until(lambda: server.started)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
        listening.close()


def until(true: Any, seconds: float = 20.0) -> None:
    """Wait until something is true; fails when it takes too long."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.01)
