"""Every store keeps the one contract that ragloop ships."""

from __future__ import annotations

import itertools
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from langchain_core.vectorstores import InMemoryVectorStore

from ragloop.stores.chroma import ChromaStore
from ragloop.stores.contract import CHECKS, MakeStore
from ragloop.stores.embeddings import HashingEmbeddings
from ragloop.stores.hybrid import HybridSearch
from ragloop.stores.langchain_store import LangChainStore
from ragloop.stores.memory import MemoryStore

_numbers = itertools.count()
EVERY_CHECK = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
Check = Callable[[MakeStore], None]


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a real Chroma server on loopback."""
    command = Path(sys.executable).with_name("chroma")
    if not command.exists():
        pytest.skip("the chroma command is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("server")
    arguments = ["run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([command, *arguments], stdout=log, stderr=log)
        try:
            _wait_for(port, server)
            yield port
        finally:
            server.terminate()
            server.wait(10)


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if server.poll() is not None:
                pytest.skip(f"chroma run ended with status {server.returncode}")
            time.sleep(0.1)
        else:
            return
    pytest.skip("chroma run did not listen within 20 s")


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Stores that are closed when the test is over."""
    with ExitStack() as stack:
        yield stack


@EVERY_CHECK
def test_the_store_in_memory_keeps_the_contract(check: Check) -> None:
    check(lambda: MemoryStore(words=20))


@EVERY_CHECK
def test_chroma_on_disk_keeps_the_contract(check: Check, tmp_path: Path, opened: ExitStack) -> None:
    check(lambda: opened.enter_context(ChromaStore(tmp_path / "store", words=20)))


@EVERY_CHECK
def test_a_chroma_server_keeps_the_contract(
    check: Check, chroma_server: int, opened: ExitStack
) -> None:
    name = f"c{next(_numbers)}"
    check(
        lambda: opened.enter_context(
            ChromaStore(host="127.0.0.1", port=chroma_server, collection=name, words=20)
        )
    )


@EVERY_CHECK
def test_a_langchain_vector_store_keeps_the_contract(check: Check) -> None:
    check(lambda: LangChainStore(InMemoryVectorStore(HashingEmbeddings()), words=20))


@EVERY_CHECK
def test_hybrid_search_keeps_the_contract_of_its_store(check: Check) -> None:
    check(lambda: HybridSearch(MemoryStore(words=20)))


@EVERY_CHECK
def test_hybrid_search_over_chroma_keeps_it_too(
    check: Check, tmp_path: Path, opened: ExitStack
) -> None:
    check(lambda: HybridSearch(opened.enter_context(ChromaStore(tmp_path / "store", words=20))))
