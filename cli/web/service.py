"""What the endpoints of `ragloop serve` share: who may come in, how many at once, and the graph."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from ...graph.settings import Settings

T = TypeVar("T")
LARGEST_BODY = 256_000
"""Bytes of a request."""
_AT_HOME = ("localhost", "127.0.0.1", "[::1]")


@dataclass
class Service:
    """The graph behind the endpoints, and the places for its runs."""

    graph: Any
    """The compiled graph, without a checkpointer: every request brings its conversation."""
    documents: Any
    """Reads a document, to open a citation in its place."""
    settings: Settings
    token: str = ""
    """Asked of every request when it is set."""
    most_runs: int = 16
    most_waiting: int = 256
    waiting: int = 0
    running: int = 0
    room: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.room = asyncio.Semaphore(self.most_runs)

    @asynccontextmanager
    async def a_run(self) -> AsyncIterator[None]:
        """Wait for a place among the runs, in the order of coming."""
        self.waiting += 1
        try:
            await self.room.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self.room.release()

    def check_room(self) -> None:
        """Raise HTTP 503 when too many wait already."""
        if self.waiting >= self.most_waiting:
            raise HTTPException(503, "Too many questions at once.", {"Retry-After": "2"})

    def let_in(self, request: Request) -> None:
        """Refuse a request without the token, or one that a foreign page sent to this machine.

        A page elsewhere can point its own host name at this machine; the Host header tells.
        """
        if self.token:
            given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
            given = given or request.query_params.get("token", "")
            if not hmac.compare_digest(given.encode(), self.token.encode()):
                raise HTTPException(401, "Give the token: Authorization: Bearer TOKEN.")
            return
        host = request.headers.get("host", "")
        if _without_port(host) not in _AT_HOME:
            raise HTTPException(403, f"This server answers to localhost only, not to {host!r}.")


def _without_port(host: str) -> str:
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]


def service_of(request: Request) -> Service:
    """The service, for a request that may come in."""
    service: Service = request.app.state.service
    service.let_in(request)
    return service


async def body_of(request: Request) -> dict[str, Any]:
    """Read a JSON object of bounded size; HTTP 400, 413 or 415 for anything else.

    A page elsewhere cannot send this content type without being asked first, and is not let.
    """
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send application/json.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, f"A request has at most {LARGEST_BODY} bytes.")
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The body is not JSON.") from None
    if not isinstance(read, dict):
        raise HTTPException(400, "The body must be a JSON object.")
    return read


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Await some work, and cancel it when the client goes away; raises ClientDisconnect then."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientDisconnect
        return doing.result()
    finally:
        for task in (doing, leaving):
            task.cancel()
        await asyncio.gather(doing, leaving, return_exceptions=True)


async def _gone(request: Request) -> None:
    """Wait until the client has gone; the body was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
