"""Server-sent events that end with their client."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .service import while_connected


class EventStream(Response):
    """Sends values as server-sent events; a client that goes away ends what makes them at once.

    Starlette's own streaming response may notice only when the next piece is sent, which can be a
    long model call later.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[Any, None], headers: Mapping[str, str]) -> None:
        self.status_code, self.background = 200, None
        self._events = events
        self.init_headers({**headers, "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            await while_connected(Request(scope, receive), self._send_all(send))
        except (ClientDisconnect, OSError):
            return  # nobody is there to be told

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._events):
            async for event in self._events:
                text = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
                # a lone surrogate, which JSON can carry and UTF-8 cannot, becomes a question mark
                piece = f"data: {text}\n\n".encode("utf-8", "replace")
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
