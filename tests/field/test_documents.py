"""Files, metadata, copies, embeddings, stores and scripts that broke an index."""

from __future__ import annotations

import datetime
import shutil
from pathlib import Path
from typing import Any

import pytest
from asking import DEPTH, QUESTION, TEXTS, Place
from small_graph import document

from ragloop.cli.stores import open_store
from ragloop.stores.chroma import ChromaStore
from ragloop.stores.splitting import split


def texts_in(place: Place) -> list[str]:
    """Every piece that the store holds."""
    store = open_store(place.folder / "store", base_url=place.server.url)
    held = [passage["text"] for passage in store.passages()]
    store.close()
    return held


@pytest.mark.parametrize("text", ["", "\n \n\t\n", "\ufeff\n"])
def test_a_file_without_text_is_named_and_nothing_is_embedded(text: str) -> None:
    with Place(embed={"reject_blank": True}) as place:
        found = place.index({"scan.txt": text})

        assert found.code == 1
        assert "scan.txt" in found.err
        assert place.embedded() == []


def test_blank_stretches_are_never_embedded() -> None:
    with Place({"generate": [DEPTH]}, embed={"reject_blank": True}) as place:
        place.index(
            {"h.md": "# Wells\n\n\n\n\n# Orsa\n\nThe well at Orsa is 31 metres deep.\n\n\n"},
            *("--chunk-words", "4"),
        )
        found = place.ask()

        assert found.code == 0
        assert place.server.embeddings_refused == 0


def test_one_line_without_a_space_is_cut_to_pieces() -> None:
    with Place(embed={"max_chars": 8_000}) as place:
        found = place.index({"a.txt": "x" * 90_000})

        assert found.code == 0
        assert place.server.embeddings_refused == 0
        assert max(map(len, place.embedded())) <= 8_000


@pytest.mark.slow
def test_more_pieces_than_the_store_takes_at_once() -> None:
    with Place() as place:
        lines = "\n\n".join(f"Entry {n} of the log of Orsa." for n in range(5_700))
        found = place.index({"log.txt": lines}, "--chunk-words", "7", "--embeddings", "hashing")

        assert found.code == 0, found.err
        assert len(texts_in(place)) >= 5_700


def test_indexing_twice_changes_nothing() -> None:
    with Place() as place:
        place.index()
        count, embedded = len(texts_in(place)), len(place.embedded())
        place.index()

        assert (len(texts_in(place)), len(place.embedded())) == (count, embedded)


def test_the_same_paragraph_many_times_is_shown_once() -> None:
    with Place({"generate": [DEPTH]}) as place:
        text = "This page is blank on purpose.\n\n" * 40 + "The well at Orsa is 31 metres deep."
        place.index({"r.txt": text}, "--chunk-words", "9")
        found = place.ask(QUESTION, "--k", "4")

        prompt = place.prompts("generate")[0]
        assert found.answer["outcome"] == "answered"
        assert prompt.count("This page is blank on purpose.") == 1


def test_a_file_that_was_emptied_leaves_nothing_behind() -> None:
    with Place(embed={"reject_empty_list": True}) as place:
        place.index({"well.txt": TEXTS["well.txt"]})
        (place.docs / "well.txt").write_text("")
        place.run("index", str(place.docs), *place.where())
        found = place.ask()

        assert found.code == 1
        assert "no documents" in found.error
        assert place.server.embeddings_refused == 0


def test_a_copy_stays_when_its_twin_is_removed() -> None:
    with Place({"generate": [DEPTH]}) as place:
        place.index({"well.txt": TEXTS["well.txt"], "copy/well.txt": TEXTS["well.txt"]})
        (place.docs / "well.txt").unlink()
        place.run("index", str(place.docs), *place.where(), "--prune")
        found = place.ask()

        assert [Path(source).parts[-2:] for source in found.answer["sources"]] == [
            ("copy", "well.txt")
        ]


def test_another_embedding_than_the_store_was_made_with_is_refused_by_name() -> None:
    sizes = {"models": {"small": {"dim": 8}, "large": {"dim": 12}}}
    with Place(embed=sizes) as place:
        place.embed = "small"
        place.index()
        place.embed = "large"
        found = place.ask()

        assert all(word in found.error for word in ("small", "large", "8", "12", "index"))
        assert place.server.calls() == 0


def test_texts_are_embedded_as_strings() -> None:
    with Place({"generate": [DEPTH]}, embed={"strings_only": True}) as place:
        answer = place.asked()

        assert answer["outcome"] == "answered"
        assert place.server.embeddings_refused == 0


@pytest.mark.parametrize("reply", ["<|endoftext|>", "It is <|endoftext|>", "<|endoftext|> [1]"])
def test_marks_of_a_tokenizer_in_a_text_are_only_text(reply: str) -> None:
    text = "In Dunn models the mark <|endoftext|> ends a text and <|im_start|> opens a turn."
    with Place({"generate": [reply]}) as place:
        place.index({"marks.txt": text})
        found = place.ask("Which mark ends a text in Dunn models?")

        assert "<|endoftext|>" in found.answer["text"]


@pytest.mark.parametrize("name", ["知识库", "my docs", "a", "x" * 600])
def test_a_collection_may_be_called_anything(name: str) -> None:
    with Place({"generate": [DEPTH]}) as place:
        made = place.index(None, "--collection", name)

        assert made.code in (0, 2)
        assert made.code == 0 or (made.error and place.embedded() == [])


def test_asking_a_store_that_is_not_there_makes_none() -> None:
    with Place() as place:
        place.index()
        found = place.run("ask", "How deep?", "--store", "other")

        assert "other" in found.error
        assert not (place.folder / "other").exists()


ODD: dict[str, dict[str, Any]] = {
    "None": {"author": None, "page": 1},
    "a date": {"seen": datetime.datetime(2024, 1, 1)},
    "a path": {"path": Path("a/b.txt")},
    "a box": {"box": {"x": 1}},
    "a list": {"tags": ["a", "b"]},
    "an empty list": {"tags": []},
}


@pytest.mark.parametrize("kind", ODD)
def test_any_metadata_can_be_stored(kind: str, tmp_path: Path) -> None:
    store = ChromaStore(str(tmp_path / "store"))

    store.add_documents([document("a", "The kiln cools.", **ODD[kind]), document("b", "Rye.")])

    assert len(store) == 2
    store.close()


def test_a_store_that_was_removed_and_made_again(tmp_path: Path) -> None:
    first = ChromaStore(str(tmp_path / "store"))
    first.add_documents([document("a", "The kiln cools.")])

    shutil.rmtree(tmp_path / "store")
    second = ChromaStore(str(tmp_path / "store"))
    second.add_documents([document("b", "The mill grinds."), document("c", "The tram runs.")])

    assert len(second) == 2
    second.close()


def test_what_another_handle_adds_is_found(tmp_path: Path) -> None:
    reader, writer = (ChromaStore(str(tmp_path / "store")) for _ in range(2))
    writer.add_documents([document("a", "The kiln cools for two days.")])
    reader.search("tram", 3)

    writer.add_documents([document("tram", "The tram runs at six.")])

    assert reader.search("When does the tram run?", 1)[0]["document_id"] == "tram"


BAD: dict[str, tuple[str, str]] = {
    "half a surrogate": ("The kiln \ud835 cools.", "\ud835"),
    "NUL": ("The kiln" + "\0" * 9_000 + " cools.", "\0"),
    "control characters": ("The\x01 kiln\x1f cools.", "\x01"),
}


@pytest.mark.parametrize("kind", BAD)
def test_signs_that_no_store_takes_are_gone(kind: str, tmp_path: Path) -> None:
    text, sign = BAD[kind]
    store = ChromaStore(str(tmp_path / "store"))

    store.add_documents([document("a", text)])
    found = store.search("Does the kiln cool?", 1)

    assert sign not in found[0]["text"]
    assert "cools." in found[0]["text"]
    store.close()


def test_chinese_is_cut_at_sentence_ends_and_nothing_is_lost() -> None:
    text = "春天来了，花开了。夏天很热，大家去河里游泳。秋天收获，冬天下雪。山上的寺庙很安静。"

    pieces = split({"id": "z", "text": text}, words=20)

    assert "".join(piece["text"] for piece in pieces) == text
    assert len(pieces) > 1
    assert not any(piece["text"][0] in "。，！？" for piece in pieces)


def test_a_question_in_another_script_is_kept_as_it_is() -> None:
    script = {
        "grade_passages": ["no", "yes"],
        "rewrite_query": ["глубина колодца"],
        "generate": ["31 метр. [1]"],
    }
    with Place(script) as place:
        place.index({"a.txt": "Колодец в Орсе имеет глубину тридцать один метр."})
        found = place.ask("Какова глубина колодца?", "--max-rounds", "1")

        assert found.answer["outcome"] == "answered"
        assert "Какова глубина колодца?" in place.prompts("generate")[0]
        assert "language of the question" in place.prompts("rewrite_query")[0]


def test_odd_names_of_files_are_sources() -> None:
    with Place({"generate": [DEPTH + " [1]"]}) as place:
        place.index({"C:\\notes\\the well.txt": TEXTS["well.txt"], "渡轮 (1).txt": "渡轮七点开。"})
        found = place.ask()

        assert found.answer["citations"][0]["source"].endswith("C:\\notes\\the well.txt")


@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_quotes_and_chinese_are_stored_as_they_are(mark: str) -> None:
    with Place() as place:
        place.index({"q.txt": f"{mark}“The mill grinds” — 磨坊。"})

        assert texts_in(place) == ["“The mill grinds” — 磨坊。"]
