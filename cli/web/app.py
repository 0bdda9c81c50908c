"""The ASGI app of `ragloop serve`: one page, a stream of events, and an OpenAI-compatible face.

Nothing that a document or a model says is sent as markup: the page gets JSON and shows text. The
server keeps no conversation: every request brings its own. A client that goes away ends its run. At
most `most_runs` run at once, `most_waiting` more wait, and the next one is told to come back.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...graph.events import astream
from ...nodes.writers.model import as_passage
from ...stores.errors import RagloopError
from ...stores.metadata import check_where, holds
from ...stores.passage import Document
from . import chat
from .facts import Path, arrows, shown_parts
from .service import Service, body_of, service_of
from .streams import EventStream

__all__ = ["Service", "make_app"]

AROUND = 1_200
"""Characters shown before and after a quote."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/words.js": ("words.js", "text/javascript; charset=utf-8"),
}


def make_app(service: Service) -> Starlette:
    """Give the ASGI app."""
    routes = [Route(path, _page) for path in _FILES]
    routes += [
        Route("/ask", _ask, methods=["POST"]),
        Route("/passage", _passage),
        Route("/v1/models", chat.models),
        Route("/v1/chat/completions", chat.completions, methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {HTTPException: _told, RagloopError: _failed}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.service = service
    return app


async def _page(request: Request) -> Response:
    name, kind = _FILES[request.url.path]
    if name == "page.html":  # its files hold nothing but themselves
        service_of(request)
    content = (files(__package__) / name).read_bytes()
    return Response(content, media_type=kind, headers=_HEADERS)


async def _ask(request: Request) -> Response:
    """Events of one run: step, token, supplement, correction, answer; or an error."""
    service = service_of(request)
    asked = await body_of(request)
    messages = chat.messages_of(asked.get("messages"))
    service.check_room()
    return EventStream(_events(service, messages), _HEADERS)


async def _events(service: Service, messages: chat.Messages) -> AsyncGenerator[Any, None]:
    path = Path(arrows(service.graph))
    shown: list[tuple[str, str]] = []
    async with service.a_run():
        yield {"event": "start"}
        given: Any = {"messages": messages}
        try:
            async for event in astream(service.graph, given, settings=service.settings, steps=True):
                if event["event"] == "step":
                    yield path.step(event["node"], event["update"])
                elif event["event"] == "answer":
                    parts = shown_parts(shown, event["answer"]["citations"])
                    yield {**event, "shown": parts}
                elif event["event"] in ("token", "supplement", "correction"):
                    shown.append((event["event"], event["text"]))
                    yield event
        except RagloopError as error:
            yield {"event": "error", "message": str(error)}


async def _passage(request: Request) -> Response:
    """The text round a citation: what stands before it, the quote, and what follows."""
    service = service_of(request)
    asked = request.query_params
    try:
        start, end = int(asked.get("start", "0")), int(asked.get("end", "0"))
        document: Document = await service.documents.aread(asked.get("document_id", ""))
    except (KeyError, ValueError):
        raise HTTPException(404, "There is no such passage.") from None
    if not holds(as_passage(document), check_where(service.settings.where)):
        raise HTTPException(404, "There is no such passage.")
    text = document["text"]
    start = max(0, min(start, len(text)))
    end = max(start, min(end, len(text)))
    return JSONResponse(
        {
            "title": document.get("title", ""),
            "before": text[max(0, start - AROUND) : start],
            "quote": text[start:end],
            "after": text[end : end + AROUND],
        },
        headers=_HEADERS,
    )


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {**_HEADERS, **(error.headers or {})}
    told = {"error": {"message": error.detail, "type": "invalid_request_error"}}
    return JSONResponse(told, error.status_code, headers)


async def _failed(request: Request, error: Exception) -> Response:
    told = {"error": {"message": str(error), "type": type(error).__name__}}
    return JSONResponse(told, 502, _HEADERS)
