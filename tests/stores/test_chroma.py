"""What Chroma gets wrong by itself, and the store does right."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ragloop.stores.chroma import ChromaStore
from ragloop.stores.chroma_rows import legal_name
from ragloop.stores.embeddings import HashingEmbeddings
from ragloop.stores.errors import EmbeddingMismatch, StoreError, StoreMissing
from ragloop.stores.passage import Document

FERRY: Document = {"id": "ferry.txt", "text": "The Brell ferry leaves Tarn pier at 07:40."}
TRAM: Document = {"id": "tram.txt", "text": "The Ulm tram runs at 06:15. 乌尔姆电车六点十五分开。"}
MakeStore = Callable[..., ChromaStore]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeStore]:
    """Handles on one store, closed when the test is over."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(ChromaStore(tmp_path / "store", **options))


def in_another_process(code: str, path: Path) -> str:
    """Run code with `store` open in a process of its own; give what it printed."""
    opening = (
        "import sys; from ragloop.stores.chroma import ChromaStore; "
        f"store = ChromaStore({str(path)!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", opening + code], capture_output=True, text=True, check=True
    )
    return done.stdout


def found(store: ChromaStore, query: str = "When does the Ulm tram run?") -> list[str]:
    return [passage["document_id"] for passage in store.search(query, 5)]


class Sized(HashingEmbeddings):
    """Hashing cut to a size, under a name of its own."""

    def __init__(self, name: str, dims: int) -> None:
        self.name, self.dims = name, dims

    def vectors(self, texts: Any) -> Any:
        return super().vectors(texts)[:, : self.dims]


def test_a_missing_store_is_an_error_and_is_not_made(tmp_path: Path) -> None:
    store = ChromaStore(tmp_path / "s2")

    with pytest.raises(StoreMissing, match="s2"):
        store.search("When does the ferry leave?", 3)

    assert not (tmp_path / "s2").exists()


def test_another_collection_of_the_store_is_missing_by_name(make: MakeStore) -> None:
    make().add_documents([FERRY])

    with pytest.raises(StoreMissing, match="no collection '知识库'"):
        make(collection="知识库").search("ferry", 3)


@pytest.mark.parametrize("name", ["知识库", "my docs", "a", "x" * 600, "..", "ü.b", "-a-"])
def test_any_collection_name_finds_its_own_again(make: MakeStore, name: str) -> None:
    make(collection=name).add_documents([FERRY])

    assert found(make(collection=name), "Brell ferry") == ["ferry.txt"]


def test_a_legal_name_stays_as_it_is_and_others_do_not_clash() -> None:
    assert legal_name("my-docs.v2") == "my-docs.v2"
    assert len({legal_name(name) for name in ("知识库", "知识", "my docs", "my-docs", "a")}) == 5


def test_a_reader_sees_what_another_process_stored(make: MakeStore, tmp_path: Path) -> None:
    reader = make()
    reader.add_documents([FERRY])
    assert "tram.txt" not in found(reader)

    in_another_process(f"store.add_documents([{TRAM!r}])", tmp_path / "store")

    assert found(reader)[0] == "tram.txt"


def test_a_reader_does_not_see_what_another_process_removed(
    make: MakeStore, tmp_path: Path
) -> None:
    reader = make()
    reader.add_documents([FERRY, TRAM])
    assert found(reader)[0] == "tram.txt"

    in_another_process("store.remove(['tram.txt'])", tmp_path / "store")

    assert found(reader) == ["ferry.txt"]


def test_two_handles_of_one_process_see_each_other(make: MakeStore) -> None:
    one, other = make(), make()
    one.add_documents([FERRY])
    assert found(other) == ["ferry.txt"]

    one.add_documents([TRAM])

    assert found(other)[0] == "tram.txt"


def test_a_removed_folder_can_be_filled_again_in_the_same_process(
    make: MakeStore, tmp_path: Path
) -> None:
    store = make()
    store.add_documents([FERRY])
    assert found(store) == ["ferry.txt"]

    shutil.rmtree(tmp_path / "store")
    store.add_documents([TRAM])

    assert store.document_ids() == ["tram.txt"]
    assert found(store) == ["tram.txt"]


def test_a_removed_folder_is_a_missing_store(make: MakeStore, tmp_path: Path) -> None:
    store = make()
    store.add_documents([FERRY])

    shutil.rmtree(tmp_path / "store")

    with pytest.raises(StoreMissing):
        store.search("ferry", 3)


def test_a_collection_that_was_reset_by_another_handle_is_opened_anew(make: MakeStore) -> None:
    reader, other = make(), make()
    reader.add_documents([FERRY])
    assert found(reader) == ["ferry.txt"]

    other.document_ids()
    other._connect().delete_collection("ragloop")
    other.close()
    other.add_documents([TRAM])

    assert found(reader) == ["tram.txt"]


def test_another_embedding_is_refused_with_both_names_and_sizes(make: MakeStore) -> None:
    make(embeddings=Sized("e8", 8)).add_documents([FERRY])

    with pytest.raises(EmbeddingMismatch) as error:
        make(embeddings=Sized("e12", 12)).search("ferry", 3)

    assert all(word in str(error.value) for word in ("'e8'", "8 numbers", "'e12'", "12 numbers"))
    assert found(make(embeddings=Sized("e8", 8)), "ferry") == ["ferry.txt"]


def test_the_same_name_with_another_size_is_refused_too(make: MakeStore) -> None:
    make(embeddings=Sized("e", 8)).add_documents([FERRY])

    with pytest.raises(EmbeddingMismatch):
        make(embeddings=Sized("e", 12)).add_documents([TRAM])

    assert make(embeddings=Sized("e", 8)).document_ids() == ["ferry.txt"]


def test_more_pieces_than_chroma_takes_at_once_are_all_stored(make: MakeStore) -> None:
    store = make(embeddings=Sized("small", 16), words=5)

    store.add_documents(
        [{"id": "many.txt", "text": "".join(f"Line {i} of the log.\n\n" for i in range(6000))}]
    )

    assert len(store) == 6000


def test_nul_characters_do_not_harm_the_database(make: MakeStore, tmp_path: Path) -> None:
    store = make()
    store.add_documents([{"id": "a", "text": "before " + "\x00" * 10_291 + " after. Tarn pier."}])
    store.close()

    database = sqlite3.connect(tmp_path / "store" / "chroma.sqlite3")
    checked = database.execute("pragma quick_check").fetchone()
    database.close()

    assert checked == ("ok",)


def test_lost_vectors_are_an_error_and_no_empty_result(make: MakeStore, tmp_path: Path) -> None:
    store = make(embeddings=Sized("small", 16), words=5)
    for number in range(3):
        text = "".join(f"Line {i} of the log.\n\n" for i in range(1000))
        store.add_documents([{"id": f"d{number}", "text": text}])
    store.close()
    for folder in (path for path in (tmp_path / "store").iterdir() if path.is_dir()):
        shutil.rmtree(folder)

    with pytest.raises(StoreError, match="index again"):
        store.search("Line 7 of the log", 3)


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\x00" * 500])
def test_a_damaged_database_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "chroma.sqlite3").write_bytes(content)

    with pytest.raises(StoreError, match="store"):
        ChromaStore(tmp_path / "store").search("ferry", 3)


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("x")

    with pytest.raises(StoreError, match="a file is there"):
        ChromaStore(tmp_path / "store").add_documents([FERRY])


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9 cannot be reached"):
        ChromaStore(host="127.0.0.1", port=9).search("ferry", 3)


READ_ONLY = """
import os, pathlib, sys
import chromadb.errors, filelock, httpx
from ragloop.stores.errors import StoreError
path = pathlib.Path(sys.argv[1])
with store:
    store.add_documents([{"id": "a", "text": "The ferry leaves."}])
    store.search("ferry", 1)
for one in [path, *path.rglob("*")]:
    one.chmod(0o555 if one.is_dir() else 0o444)
if os.geteuid() == 0:
    os.setuid(65534)
more = [{"id": "b", "text": "x"}]
for do in (lambda: store.search("ferry", 1), lambda: store.add_documents(more)):
    for _ in range(2):
        try:
            do()
            print("done")
        except StoreError as error:
            print(error)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users as on Unix")
def test_a_read_only_store_says_so_each_time(tmp_path: Path) -> None:
    path = tmp_path / "store"
    for folder in (tmp_path, *tmp_path.parents):
        if folder == tmp_path or folder.name.startswith(("pytest-", "popen-")):
            folder.chmod(0o755)

    code = READ_ONLY.replace("sys.argv[1]", repr(str(path)))
    lines = in_another_process(code, path).splitlines()

    assert len(lines) == 4
    assert all("not writable" in line and "read-only" in line for line in lines)


WRITER = """
for round in range(1000):
    version = "new" if round % 2 else "old"
    text = f"{version} words of a page. " * 30
    store.add_documents([{"id": f"d{n}", "text": text} for n in range(8)])
    print(round, flush=True)
"""


@pytest.mark.parametrize(
    "delay", [0.03, *(pytest.param(d, marks=pytest.mark.slow) for d in (0.0, 0.01, 0.06, 0.1))]
)
def test_a_killed_writer_leaves_whole_documents(tmp_path: Path, delay: float) -> None:
    path = tmp_path / "store"
    opening = (
        "from ragloop.stores.chroma import ChromaStore\n"
        f"store = ChromaStore({str(path)!r}, words=30)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", opening + WRITER], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    for _ in range(2):
        writer.stdout.readline()
    time.sleep(delay)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()

    with ChromaStore(path, words=30) as store:
        texts = {store.read(identity)["text"] for identity in store.document_ids()}
        assert texts in [{f"{version} words of a page. " * 30} for version in ("old", "new")]
        assert len(store.document_ids()) == 8

        store.add_documents([FERRY])
        assert len(store) == len(store.passages())
        assert _rows_on_disk(path) == len(store)


def _rows_on_disk(path: Path) -> int:
    """All rows, those that readers do not see included."""
    code = (
        "from ragloop.stores.chroma import ChromaStore\n"
        f"store = ChromaStore({str(path)!r})\n"
        "store.document_ids(); print(store._open.count())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return int(done.stdout)
