"""The SearXNG adapter against a real server on loopback, with the replies SearXNG gives."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from small_graph import store_of

from ragloop.graph.build import Parts, build_graph
from ragloop.graph.settings import preset
from ragloop.stores.errors import SettingsError, StoreError
from ragloop.stores.searx import SearxSearch

TRAM = {
    "url": "https://trams.example/lund",
    "title": "Lund tram",
    "content": "The Lund tram carries 11,000 riders a day.",
    "publishedDate": "2024-05-02T00:00:00",
    "engine": "one",
}
KILN = {"url": "https://kilns.example", "title": "窑炉", "content": "拉斯克窑烧到1240度。"}


class Server(ThreadingHTTPServer):
    """Answers every search with the same reply, and remembers what was asked."""

    reply: bytes = b"{}"
    status = 200
    asked: list[dict[str, list[str]]]


class _Answers(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        self.server.asked.append({"path": [address.path], **parse_qs(address.query)})
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(self.server.reply)

    def log_message(self, *args: Any) -> None:
        return None


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), _Answers)
    made.asked = []
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def searx(server: Server, **options: Any) -> SearxSearch:
    return SearxSearch(f"http://127.0.0.1:{server.server_port}/", **options)


def test_results_keep_address_title_and_date(server: Server) -> None:
    server.reply = json.dumps({"results": [TRAM, KILN]}).encode()

    found = searx(server).search("Lund tram riders", 5)

    assert [(p["source"], p["title"], p.get("date", "")) for p in found] == [
        ("https://trams.example/lund", "Lund tram", "2024-05-02T00:00:00"),
        ("https://kilns.example", "窑炉", ""),
    ]
    assert found[0]["text"] == TRAM["content"]


def test_the_request_is_the_one_searxng_documents(server: Server) -> None:
    server.reply = b'{"results": []}'

    searx(server, language="zh", categories="news").search("  拉斯克 窑  温度 ", 3)

    assert server.asked == [
        {
            "path": ["/search"],
            "q": ["拉斯克 窑 温度"],
            "format": ["json"],
            "language": ["zh"],
            "categories": ["news"],
        }
    ]


def test_a_page_that_two_engines_found_comes_once_and_k_is_a_ceiling(server: Server) -> None:
    server.reply = json.dumps({"results": [TRAM, {**TRAM, "engine": "two"}, KILN]}).encode()

    both = searx(server).search("tram", 5)
    first = searx(server).search("tram", 1)

    assert [p["source"] for p in both] == [TRAM["url"], KILN["url"]]
    assert [p["source"] for p in first] == [TRAM["url"]]


def test_the_async_side_finds_the_same(server: Server) -> None:
    server.reply = json.dumps({"results": [TRAM]}).encode()

    found = asyncio.run(searx(server).asearch("tram", 5))

    assert found == searx(server).search("tram", 5)


def test_a_blank_query_is_not_sent(server: Server) -> None:
    assert searx(server).search("  ", 5) == []
    assert server.asked == []


@pytest.mark.parametrize(
    ("status", "reply", "says"),
    [
        pytest.param(403, b"", "search.formats", id="json is switched off"),
        pytest.param(502, b"bad gateway", "status 502", id="a gateway error"),
        pytest.param(200, b"<html>hello</html>", "Is it a SearXNG server?", id="a web page"),
        pytest.param(200, b"[1, 2]", "Is it a SearXNG server?", id="other json"),
        pytest.param(200, b'{"results": null}', "Is it a SearXNG server?", id="no results"),
    ],
)
def test_a_reply_that_is_no_result_list_is_one_plain_line(
    server: Server, status: int, reply: bytes, says: str
) -> None:
    server.status, server.reply = status, reply

    with pytest.raises(StoreError, match=says):
        searx(server).search("tram", 5)


def test_nobody_at_the_address_is_one_plain_line() -> None:
    with pytest.raises(StoreError, match="does not answer"):
        SearxSearch("http://127.0.0.1:9").search("tram", 5)


def test_an_address_without_a_scheme_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match="no address"):
        SearxSearch("searx.example")


def test_under_a_filter_the_web_is_left_out_unless_its_owner_says_otherwise(
    server: Server,
) -> None:
    server.reply = json.dumps({"results": [TRAM]}).encode()
    shared = searx(server, metadata={"tenant": ["a", "b"]})

    assert searx(server).search("tram", 5, {"tenant": "a"}) == []
    assert len(shared.search("tram", 5, {"tenant": "a"})) == 1
    assert shared.search("tram", 5, {"tenant": "c"}) == []


def test_the_loop_cites_the_page_when_the_store_does_not_have_it(server: Server) -> None:
    server.reply = json.dumps({"results": [TRAM]}).encode()
    parts = Parts(passages=store_of(), elsewhere=searx(server))
    app = build_graph(parts, preset("crag")).compile()

    answer = app.invoke({"question": "How many riders does the Lund tram carry a day?"})["answer"]

    assert "11,000 riders" in answer["text"]
    assert [c["source"] for c in answer["citations"]] == [TRAM["url"]]
    assert "elsewhere" in [query["where"] for query in answer["queries"]]


def test_a_server_that_is_down_costs_a_warning_and_not_the_answer() -> None:
    parts = Parts(passages=store_of(), elsewhere=SearxSearch("http://127.0.0.1:9"))
    app = build_graph(parts, preset("crag")).compile()

    answer = app.invoke({"question": "How many riders does the Lund tram carry a day?"})["answer"]

    assert answer["outcome"] == "refused"
    assert any("the other source failed" in warning for warning in answer["warnings"])
