"""`ragloop index`, run the way a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback import Loopback

from ragloop.cli.index import read_meta
from ragloop.cli.stores import open_store
from ragloop.stores.errors import SettingsError

from .shell import Done, command_in, process_in


def index(folder: Path, *arguments: str | Path) -> Done:
    return command_in(folder, "index", "docs", "--store", "store", *arguments)


def test_one_line_says_what_was_done(docs: Path, tmp_path: Path) -> None:
    done = index(tmp_path)

    assert done.returncode == 0
    assert done.stdout == "4 documents, 4 passages (4 added)\n"


def test_the_second_run_says_unchanged(docs: Path, tmp_path: Path) -> None:
    index(tmp_path)
    (docs / "tea.txt").unlink()
    (docs / "lamp.txt").write_text("The Osk lamp is gone.", encoding="utf-8")

    done = index(tmp_path)

    assert done.stdout == "3 documents, 3 passages (1 changed, 2 unchanged, 1 removed)\n"


def test_the_report_as_json_is_one_value(docs: Path, tmp_path: Path) -> None:
    (docs / "blank.txt").write_text(" \n", encoding="utf-8")

    done = index(tmp_path, "--json", "--quiet")

    report = json.loads(done.stdout)
    assert report["added"] == ["ferry.txt", "lamp.txt", "tea.txt", "渡轮.md"]
    assert list(report["skipped"]) == ["docs/blank.txt"]
    assert done.stderr == ""


def test_only_blank_files_are_a_failure_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "blank.txt").write_text("\n \n\t\n", encoding="utf-8")

    done = index(tmp_path)

    assert done.returncode == 1
    assert "blank.txt is blank" in done.stderr
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--chunk-words", "0"], 2, "--chunk-words is 0"),
        (["--chunk-words", "many"], 2, "chunk-words"),
        (["--meta", "tenant"], 2, "--meta 'tenant' is not KEY=VALUE"),
        (["--embeddings", " "], 2, "hashing, minilm, multilingual"),
        (["--store", "docs/tea.txt"], 1, "a file is there"),
        (["--store", "http://127.0.0.1:9"], 1, "cannot be reached"),
        (["nowhere"], 1, "no file or folder at nowhere"),
    ],
)
def test_wrong_use_is_one_line(
    docs: Path, tmp_path: Path, arguments: list[str], status: int, said: str
) -> None:
    done = index(tmp_path, *arguments)

    assert done.returncode == status
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_metadata_and_piece_size_reach_the_store(docs: Path, tmp_path: Path) -> None:
    index(tmp_path, "--meta", "tenant=甲", "--chunk-words", "8")

    with open_store(tmp_path / "store") as store:
        passages = store.passages({"tenant": "甲"})
    assert len(passages) > 4


def test_meta_given_twice_is_a_list() -> None:
    assert read_meta(["a=1", "b=x=y", "a=2", "a=3"]) == {"a": ["1", "2", "3"], "b": "x=y"}
    with pytest.raises(SettingsError):
        read_meta(["=x"])


def test_a_store_is_opened_with_the_embedding_it_was_made_with(docs: Path, tmp_path: Path) -> None:
    with Loopback(embed={"strings_only": True, "models": {"e8": {"dim": 8}}}) as server:
        made = index(tmp_path, "--embed-model", "e8", "--base-url", server.url)
        with open_store(tmp_path / "store", base_url=server.url) as store:
            assert store.embedding() == ("e8", 8)
            assert store.search("When does the Brell ferry leave?", 4)

    assert made.returncode == 0
    assert server.embeddings_refused == 0


def test_another_embedding_is_refused_in_one_line(docs: Path, tmp_path: Path) -> None:
    models = {"e8": {"dim": 8}, "e12": {"dim": 12}}
    with Loopback(embed={"models": models}) as server:
        index(tmp_path, "--embed-model", "e8", "--base-url", server.url)
        done = index(tmp_path, "--embed-model", "e12", "--base-url", server.url)

    assert done.returncode == 1
    assert all(word in done.stderr for word in ("'e8' (8 ", "'e12' (12 ", "index"))
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["知识库", "my docs"])
def test_a_collection_name_in_any_script_finds_its_own_again(
    docs: Path, tmp_path: Path, name: str
) -> None:
    index(tmp_path, "--collection", name)

    with open_store(tmp_path / "store", collection=name) as store:
        assert len(store) == 4


def test_text_beyond_ascii_is_stored_on_a_console_without_it(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("“The Brell ferry” — 渡轮。", encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

    done = process_in(tmp_path, "index", "q.txt", "--store", "s", env=plain)

    assert done.returncode == 0, done.stderr
    with open_store(tmp_path / "s") as store:
        assert store.read("q.txt")["text"] == "“The Brell ferry” — 渡轮。"
