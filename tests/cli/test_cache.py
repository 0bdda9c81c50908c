"""Folders that are asked without a store of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragloop.cli.cache import cache_folder, cached_store
from ragloop.stores.errors import LoadError, StoreEmpty


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_one_folder_has_one_place_however_it_is_named(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert cache_folder(Path("docs"), "hashing", 300) == cache_folder(docs, "hashing", 300)


@pytest.mark.parametrize(("embedding", "words"), [("minilm", 300), ("hashing", 200)])
def test_another_embedding_or_size_of_pieces_has_another_place(
    embedding: str, words: int, docs: Path
) -> None:
    assert cache_folder(docs, embedding, words) != cache_folder(docs, "hashing", 300)


def test_a_second_time_only_what_changed_is_indexed(docs: Path) -> None:
    cached_store(docs, None).close()
    (docs / "tea.txt").write_text("Vell tea is brewed at 90 degrees.", encoding="utf-8")
    (docs / "lamp.txt").unlink()

    with_changes = cached_store(docs, None)

    assert with_changes.document_ids() == ["ferry.txt", "tea.txt", "渡轮.md"]
    assert "90 degrees" in with_changes.read("tea.txt")["text"]


def test_sources_hold_wherever_the_next_question_is_asked_from(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cached_store(Path("docs"), None).close()
    monkeypatch.chdir(docs)

    store = cached_store(Path(), None)

    assert {Path(passage["source"]) for passage in store.passages()} == set(docs.iterdir())


def test_a_single_file_can_be_asked(docs: Path) -> None:
    assert len(cached_store(docs / "ferry.txt", None)) == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="nowhere"):
        cached_store(tmp_path / "nowhere", None)


def test_a_folder_without_text_leaves_nothing_to_ask(tmp_path: Path) -> None:
    (tmp_path / "blank").mkdir()
    (tmp_path / "blank" / "blank.txt").write_text("\n \n\t\n", encoding="utf-8")

    with pytest.raises(StoreEmpty, match="blank"):
        cached_store(tmp_path / "blank", None)
