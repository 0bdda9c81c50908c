"""Indexing does only what is needed, and what it was kept from doing it does the next time."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragloop.stores.chroma import ChromaStore
from ragloop.stores.embeddings import HashingEmbeddings
from ragloop.stores.errors import LoadError
from ragloop.stores.indexing import IndexReport, index
from ragloop.stores.memory import MemoryStore


class Counting(HashingEmbeddings):
    """Hashing that counts the texts it embeds."""

    def __init__(self) -> None:
        self.texts = 0

    def vectors(self, texts: Sequence[str]) -> Any:
        self.texts += len(texts)
        return super().vectors(texts)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "copy").mkdir(parents=True)
    (folder / "a.txt").write_text("The Brell ferry leaves Tarn pier at 07:40.", encoding="utf-8")
    (folder / "copy" / "a.txt").write_bytes((folder / "a.txt").read_bytes())
    (folder / "灯.md").write_text("# 灯\n\n奥斯克灯使用十二伏电源。\n", encoding="utf-8")
    return folder


@pytest.fixture(params=["memory", "chroma"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore | ChromaStore]:
    if request.param == "memory":
        yield MemoryStore(Counting())
    else:
        with ChromaStore(tmp_path / "store", Counting()) as made:
            yield made


AnyStore = MemoryStore | ChromaStore


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return tuple(map(len, (report.added, report.changed, report.unchanged, report.removed)))  # type: ignore[return-value]


def test_the_second_run_does_no_work(docs: Path, store: AnyStore) -> None:
    first = index([docs], store)
    embedded = store.embeddings.texts  # type: ignore[attr-defined]

    second = index([docs], store)

    assert counts(first) == (3, 0, 0, 0)
    assert counts(second) == (0, 0, 3, 0)
    assert store.embeddings.texts == embedded  # type: ignore[attr-defined]
    assert first.pieces == second.pieces == len(store)


def test_a_changed_file_replaces_its_pieces(docs: Path, store: AnyStore) -> None:
    index([docs], store)
    (docs / "a.txt").write_text("The Brell ferry was sold.", encoding="utf-8")

    report = index([docs], store)

    assert counts(report) == (0, 1, 2, 0)
    assert store.read("a.txt")["text"] == "The Brell ferry was sold."


def test_of_two_files_with_one_text_the_other_stays(docs: Path, store: AnyStore) -> None:
    index([docs], store)
    (docs / "a.txt").unlink()

    report = index([docs], store)

    assert report.removed == ["a.txt"]
    best = store.search("When does the Brell ferry leave?", 1)[0]
    assert (best["document_id"], "07:40" in best["text"]) == ("copy/a.txt", True)


def test_a_file_that_became_blank_answers_no_more(docs: Path, store: AnyStore) -> None:
    index([docs], store)
    (docs / "a.txt").write_text("\n \n", encoding="utf-8")

    report = index([docs], store)

    assert report.removed == ["a.txt"]
    assert "a.txt is blank" in report.skipped[str(docs / "a.txt")]


def test_a_folder_emptied_of_files_is_pruned(docs: Path, store: AnyStore) -> None:
    index([docs], store)
    for path in list(docs.rglob("*.*")):
        path.unlink()

    report = index([docs], store)

    assert len(report.removed) == 3
    assert store.document_ids() == []


def test_without_pruning_documents_stay(docs: Path, store: AnyStore) -> None:
    index([docs], store)
    (docs / "a.txt").unlink()

    report = index([docs], store, prune=False)

    assert report.removed == []
    assert "a.txt" in store.document_ids()


def test_other_folders_are_not_pruned(docs: Path, store: AnyStore) -> None:
    index([docs], store)

    report = index([docs / "copy"], store)

    assert counts(report) == (0, 0, 1, 0)
    assert len(store.document_ids()) == 3


def test_the_same_name_in_two_folders_is_two_documents(
    docs: Path, store: AnyStore, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("Vell tea is brewed for two minutes.", encoding="utf-8")

    index([docs], store)
    index([other], store)

    assert store.read("a.txt")["text"].startswith("The Brell")
    assert store.read("other/a.txt")["text"].startswith("Vell")
    assert counts(index([docs, other], store)) == (0, 0, 4, 0)


def test_a_moved_folder_keeps_its_ids(docs: Path, store: AnyStore, tmp_path: Path) -> None:
    index([docs], store)
    moved = docs.rename(tmp_path / "moved")

    index([moved], store)

    assert store.document_ids() == ["a.txt", "copy/a.txt", "灯.md"]


def test_another_size_of_pieces_or_other_metadata_stores_anew(docs: Path, store: AnyStore) -> None:
    index([docs], store)
    store.words = 5
    sizes = index([docs], store)
    tenants = index([docs], store, metadata={"tenant": "a"})

    assert counts(sizes) == counts(tenants) == (0, 3, 0, 0)
    assert len(store.passages({"tenant": "a"})) == len(store) > 3


def test_only_blank_files_store_nothing_and_make_no_store(tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text("\n \n\t\n", encoding="utf-8")
    embeddings = Counting()

    report = index([tmp_path / "blank.txt"], ChromaStore(tmp_path / "store", embeddings))

    assert "blank.txt is blank" in next(iter(report.skipped.values()))
    assert embeddings.texts == report.documents == 0
    assert not (tmp_path / "store").exists()


def test_progress_counts_the_files(docs: Path) -> None:
    seen: list[tuple[int, int]] = []

    index([docs], MemoryStore(), progress=lambda done, total, _: seen.append((done, total)))

    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_missing_path_is_an_error_before_anything_is_stored(docs: Path) -> None:
    store = MemoryStore()

    with pytest.raises(LoadError, match="nowhere"):
        index([docs, docs / "nowhere"], store)

    assert len(store) == 0


@pytest.mark.parametrize(
    "delay", [0.1, *(pytest.param(d, marks=pytest.mark.slow) for d in (0.3, 0.6, 0.9))]
)
def test_a_killed_run_is_completed_by_the_next(
    tmp_path: Path, shared_data: Path, delay: float
) -> None:
    pages = shared_data / "fastapi_docs" / "en" / "advanced"
    code = (
        "from ragloop.stores.chroma import ChromaStore\n"
        "from ragloop.stores import indexing\n"
        "indexing.BATCH_WORDS = 3000\n"
        f"store = ChromaStore({str(tmp_path / 'store')!r})\n"
        "print('ready', flush=True)\n"
        f"indexing.index([{str(pages)!r}], store)\n"
    )
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert run.stdout is not None
    run.stdout.readline()
    time.sleep(delay)
    run.kill()
    run.wait()
    run.stdout.close()

    with ChromaStore(tmp_path / "store") as store:
        index([pages], store)

        whole = {path.relative_to(pages).as_posix(): path for path in pages.rglob("*.md")}
        assert store.document_ids() == sorted(whole)
        for identity, path in whole.items():
            assert store.read(identity)["text"] == path.read_text(encoding="utf-8")
        assert counts(index([pages], store)) == (0, 0, len(whole), 0)
