"""Embeddings of an endpoint, against a real server on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from loopback import Loopback

from ragloop.stores.chroma import ChromaStore
from ragloop.stores.endpoint_embeddings import EndpointEmbeddings
from ragloop.stores.errors import (
    EmbeddingMismatch,
    ModelAuthError,
    ModelError,
    ModelQuotaError,
    ModelUnreachable,
    RagloopWarning,
)

TEXTS = ["The Brell ferry leaves at 07:40.", "渡轮七点四十分开。", "Tea."]


@pytest.fixture
def strict() -> Iterator[Loopback]:
    """A server that takes only strings, none blank, none over 8,192 characters."""
    rules = {"strings_only": True, "reject_blank": True, "reject_empty_list": True}
    with Loopback(embed={**rules, "max_chars": 8192}) as server:
        yield server


def test_only_strings_are_sent_and_in_batches(strict: Loopback) -> None:
    embeddings = EndpointEmbeddings("e", base_url=strict.url, batch=2)

    vectors = embeddings.embed_documents(TEXTS)

    assert [len(vector) for vector in vectors] == [64, 64, 64]
    assert strict.embeddings_refused == 0


def test_async_gives_the_same(strict: Loopback) -> None:
    embeddings = EndpointEmbeddings("e", base_url=strict.url, batch=2)

    async def ask() -> tuple[list[list[float]], list[float]]:
        return await embeddings.aembed_documents(TEXTS), await embeddings.aembed_query(TEXTS[0])

    documents, query = asyncio.run(ask())

    assert documents == embeddings.embed_documents(TEXTS)
    assert query == embeddings.embed_query(TEXTS[0])


def test_a_text_over_the_limit_is_cut_with_a_note(strict: Loopback) -> None:
    embeddings = EndpointEmbeddings("e", base_url=strict.url)

    with pytest.warns(RagloopWarning, match="its first 8000"):
        vectors = embeddings.embed_documents(["A" * 100_000])

    assert len(vectors) == 1
    assert strict.embeddings_refused == 0


def test_a_text_that_the_server_calls_too_long_is_halved_until_it_fits() -> None:
    with Loopback(embed={"max_chars": 1000}) as server:
        embeddings = EndpointEmbeddings("e", base_url=server.url)

        with pytest.warns(RagloopWarning, match="over what 'e' takes"):
            vectors = embeddings.embed_documents(["short", "渡轮" * 2000])

        assert len(vectors) == 2


class Failing(BaseHTTPRequestHandler):
    """Answers every request with the status and message of its server."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        status, body = self.server.reply  # type: ignore[attr-defined]
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (401, b'{"error": {"message": "bad key sk-x"}}', ModelAuthError, "OPENAI_API_KEY"),
        (
            429,
            b'{"error": {"message": "no money", "code": "insufficient_quota"}}',
            ModelQuotaError,
            "out of quota",
        ),
        (500, b"boom", ModelError, "failed"),
        (200, b'{"data": null}', ModelError, "failed"),
        (200, b"<html>", ModelError, "failed"),
        (200, b'{"data": [{"embedding": [1.0], "index": 0}]}', ModelError, "1 vectors for 2"),
    ],
)
def test_a_server_that_fails_is_one_line_without_the_key(
    status: int, body: bytes, kind: type[ModelError], said: str
) -> None:
    with HTTPServer(("127.0.0.1", 0), Failing) as server:
        server.reply = (status, body)  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        embeddings = EndpointEmbeddings("e", base_url=url, api_key="sk-x", retries=0)
        try:
            with pytest.raises(kind, match=said) as error:
                embeddings.embed_documents(["a", "b"])
        finally:
            server.shutdown()

    assert "sk-x" not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_server_that_is_not_there_is_named() -> None:
    embeddings = EndpointEmbeddings("e", base_url="http://127.0.0.1:9/v1", retries=0)

    with pytest.raises(ModelUnreachable, match=r"127\.0\.0\.1:9"):
        embeddings.embed_query("ferry")


def test_no_key_and_no_server_is_said_before_any_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    with pytest.raises(ModelAuthError, match="--base-url"):
        EndpointEmbeddings("e").embed_query("ferry")


def test_a_server_that_takes_fewer_texts_at_once_still_gets_them_all() -> None:
    with Loopback(embed={"max_batch": 1}) as server:
        vectors = EndpointEmbeddings("e", base_url=server.url).embed_documents(TEXTS)

    assert len(vectors) == 3


def test_a_blank_text_is_never_sent(strict: Loopback) -> None:
    with pytest.raises(ModelError, match="blank"):
        EndpointEmbeddings("e", base_url=strict.url).embed_documents(["\n"])

    assert strict.embeddings_refused == 0


def test_a_store_made_with_one_model_refuses_another(tmp_path: Path) -> None:
    with Loopback(embed={"models": {"e8": {"dim": 8}, "e12": {"dim": 12}}}) as server:
        with ChromaStore(tmp_path / "s", EndpointEmbeddings("e8", base_url=server.url)) as store:
            store.add_documents([{"id": "a", "text": text} for text in TEXTS])

        with (
            ChromaStore(tmp_path / "s", EndpointEmbeddings("e12", base_url=server.url)) as other,
            pytest.raises(EmbeddingMismatch, match=r"'e8' \(8 numbers.*'e12' \(12 numbers"),
        ):
            other.search("ferry", 1)


def test_a_store_waits_for_the_endpoint_without_a_thread(tmp_path: Path) -> None:
    with (
        Loopback() as server,
        ChromaStore(tmp_path / "s", EndpointEmbeddings("e", base_url=server.url)) as store,
    ):
        store.add_documents([{"id": str(n), "text": text} for n, text in enumerate(TEXTS)])

        async def ask() -> list[str]:
            found = await asyncio.gather(*(store.asearch(text, 1) for text in TEXTS))
            return [passages[0]["text"] for passages in found]

        assert asyncio.run(ask()) == TEXTS
