"""`ragloop serve`: the loop in a browser, and behind an OpenAI-compatible address."""

from __future__ import annotations

import secrets
import socket
from typing import Annotated

import typer

from ..graph.settings import Settings
from ..stores.errors import SettingsError
from .opening import Opener, with_store
from .options import with_settings
from .output import note
from .running import compiled

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@with_settings
@with_store
def serve(
    opens: Opener,
    host: Annotated[str, typer.Option("--host", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free one.")] = 8765,
    token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="RAGLOOP_TOKEN",
            help="Asked of every request; made up when --host is not this machine.",
        ),
    ] = "",
    most_runs: Annotated[int, typer.Option("--most-runs", min=1, help="Runs at once.")] = 16,
    *,
    settings: Settings,
) -> None:
    """Serve one page with live, cited answers, and /v1/chat/completions for any chat client."""
    try:
        import uvicorn

        from .web.app import Service, make_app
    except ImportError:
        raise SettingsError("`ragloop serve` needs: pip install 'ragloop[serve]'") from None
    opened = opens()
    if host not in _LOOPBACK and not token:
        token = secrets.token_urlsafe(24)
        note(f"Every request needs the token {token}")
    graph = compiled(opened, settings)
    service = Service(graph, opened.search, settings, token, most_runs)
    listening = _listening(host, port)
    shown = f"?token={token}" if token else ""
    at = f"[{host}]" if ":" in host else host
    note(f"Open http://{at}:{listening.getsockname()[1]}/{shown} (Ctrl-C stops)")
    config = uvicorn.Config(make_app(service), log_level="warning", timeout_graceful_shutdown=3)
    uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """Take the port before saying where to look; raises SettingsError when that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen at {host}, port {port}: {error.strerror}. "
            "Give another --port or --host."
        ) from None
