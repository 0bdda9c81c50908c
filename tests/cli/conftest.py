"""Folders and servers for the commands."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

TEXTS = {
    "ferry.txt": "The Brell ferry leaves Tarn pier at 07:40 and takes 35 minutes.",
    "lamp.txt": "The Osk lamp runs on 12 volts and must not be used outdoors.",
    "tea.txt": "Vell tea is brewed at 80 degrees for two minutes.",
    "渡轮.md": "# 白石渡轮\n\n白石渡轮每天早上七点四十分从塔恩码头出发，航程三十五分钟。\n",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of four short documents."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


class _NoSuchKey(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}'
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output quiet."""


@pytest.fixture
def refusing_server() -> Iterator[str]:
    """The address of a model server on loopback that knows no key."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _NoSuchKey) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
