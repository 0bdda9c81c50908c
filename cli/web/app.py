"""The ASGI app of `ragloop serve`: one page, a stream of events, and an OpenAI-compatible face.

Nothing that a document or a model says is sent as markup: the page gets JSON and shows text. A
client that goes away ends its run. At most `most_runs` run at once, `most_waiting` more wait, and
the next one is told to come back.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ...graph.events import astream
from ...graph.settings import Settings
from ...stores.errors import RagloopError
from ..story import tell
from . import chat

LARGEST_BODY = 256_000
"""Bytes of a request."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
_AT_HOME = ("localhost", "127.0.0.1", "[::1]", "testserver")


@dataclass
class Service:
    """What the endpoints share."""

    graph: Any
    """The compiled graph."""
    documents: Any
    """Reads a document, to open a citation in its place."""
    settings: Settings
    token: str = ""
    """Asked of every request when it is set."""
    most_runs: int = 16
    most_waiting: int = 256
    waiting: int = 0
    room: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.room = asyncio.Semaphore(self.most_runs)

    @asynccontextmanager
    async def a_run(self) -> AsyncIterator[None]:
        """Wait for a place; HTTP 503 when too many wait already."""
        if self.waiting >= self.most_waiting:
            raise HTTPException(503, "Too many questions at once.", {"Retry-After": "2"})
        self.waiting += 1
        try:
            await self.room.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self.room.release()

    def let_in(self, request: Request) -> None:
        """Refuse a request without the token, or one that a foreign page sent to this machine."""
        if self.token:
            given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
            given = given or request.query_params.get("token", "")
            if not hmac.compare_digest(given.encode(), self.token.encode()):
                raise HTTPException(401, "Give the token: Authorization: Bearer TOKEN.")
            return
        host = request.headers.get("host", "").rsplit(":", 1)[0]
        if host not in _AT_HOME:
            raise HTTPException(403, f"This server answers to localhost only, not to {host!r}.")


def make_app(service: Service) -> Starlette:
    """Give the ASGI app."""
    routes = [Route(path, _page) for path in _FILES]
    routes += [
        Route("/ask", _ask, methods=["POST"]),
        Route("/passage", _passage),
        Route("/graph", _graph),
        Route("/v1/models", chat.models),
        Route("/v1/chat/completions", chat.completions, methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {HTTPException: _told, RagloopError: _failed}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.service = service
    return app


async def body_of(request: Request) -> dict[str, Any]:
    """Read a JSON object of bounded size; HTTP 400, 413 or 415 for anything else."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send application/json.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, f"A request has at most {LARGEST_BODY} bytes.")
    try:
        read = json.loads(body)
    except ValueError:
        raise HTTPException(400, "The body is not JSON.") from None
    if not isinstance(read, dict):
        raise HTTPException(400, "The body must be a JSON object.")
    return read


def service_of(request: Request) -> Service:
    """The service, for a request that may come in."""
    service: Service = request.app.state.service
    service.let_in(request)
    return service


async def _page(request: Request) -> Response:
    name, kind = _FILES[request.url.path]
    if name == "page.html":  # the page asks for its token itself; its files hold no secrets
        service_of(request)
    content = (files(__package__) / name).read_bytes()
    return Response(content, media_type=kind, headers=_HEADERS)


async def _ask(request: Request) -> Response:
    """Events of one run, as server-sent events."""
    service = service_of(request)
    asked = await body_of(request)
    question = asked.get("question")
    if not isinstance(question, str) or not question.strip():
        raise HTTPException(400, "The question is empty.")
    config = {"configurable": {"thread_id": str(asked.get("thread") or "page")}}
    events = _events(service, question, config)
    first = await anext(events)  # what cannot start says so with a status
    return StreamingResponse(
        _joined(first, events), media_type="text/event-stream", headers=_HEADERS
    )


async def _joined(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for event in rest:
        yield event


async def _events(service: Service, question: str, config: Any) -> AsyncIterator[str]:
    async with service.a_run():
        yield _event({"event": "start"})
        try:
            async for event in astream(
                service.graph, question, config, settings=service.settings, steps=True
            ):
                if event["event"] == "step":
                    line = tell(event["node"], event["update"])
                    yield _event({"event": "step", "node": event["node"], "line": line})
                elif event["event"] in ("token", "supplement", "correction", "answer"):
                    yield _event(event)
        except RagloopError as error:
            yield _event({"event": "error", "message": str(error)})


def _event(value: Any) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


async def _passage(request: Request) -> Response:
    """The text round a citation: what stands before it, the quote, and what follows."""
    service = service_of(request)
    asked = request.query_params
    try:
        start, end = int(asked.get("start", "0")), int(asked.get("end", "0"))
        document = await service.documents.aread(asked.get("document_id", ""))
    except (KeyError, ValueError):
        raise HTTPException(404, "There is no such passage.") from None
    text = document["text"]
    return JSONResponse(
        {
            "title": document.get("title", ""),
            "source": document.get("source", ""),
            "before": text[max(0, start - 1200) : start],
            "quote": text[start:end],
            "after": text[end : end + 1200],
        },
        headers=_HEADERS,
    )


async def _graph(request: Request) -> Response:
    """Nodes and arrows, with the reasons on them."""
    drawn = service_of(request).graph.get_graph()
    edges = [[edge.source, edge.target, edge.data or ""] for edge in drawn.edges]
    return JSONResponse({"nodes": list(drawn.nodes), "edges": edges}, headers=_HEADERS)


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {**_HEADERS, **(error.headers or {})}
    told = {"error": {"message": error.detail, "type": "invalid_request_error"}}
    return JSONResponse(told, error.status_code, headers)


async def _failed(request: Request, error: Exception) -> Response:
    told = {"error": {"message": str(error), "type": type(error).__name__}}
    return JSONResponse(told, 502, _HEADERS)
