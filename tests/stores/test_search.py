"""Lexical and hybrid search: right, filtered, fresh and fused by rank alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from ragloop.stores.errors import SettingsError
from ragloop.stores.hybrid import HybridSearch, fuse
from ragloop.stores.lexical import LexicalSearch, query_terms
from ragloop.stores.memory import MemoryStore
from ragloop.stores.passage import Document, Passage

DOCUMENTS: list[Document] = [
    {"id": "cpp", "text": "C++ needs a compiler.", "metadata": {"tenant": "a"}},
    {"id": "c", "text": "The letter c comes third.", "metadata": {"tenant": "b"}},
    {"id": "灯", "text": "奥斯克灯使用十二伏电源。", "metadata": {"tenant": "a"}},
    {"id": "茶", "text": "茶要泡两分钟。", "title": "维尔茶", "metadata": {"tenant": "b"}},
    {"id": "mark", "text": "The mark <|endoftext|> ends a text."},
]


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    made.add_documents(DOCUMENTS)
    return made


def ids(found: list[Passage]) -> list[str]:
    return [passage["document_id"] for passage in found]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("Which compilers does C++ need?", "cpp"),
        ("灯用几伏电源？", "灯"),
        ("茶", "茶"),
        ("维尔", "茶"),
        ("What does <|endoftext|> end?", "mark"),
        ("ＣＯＭＰＩＬＥＲ", "cpp"),
    ],
)
def test_lexical_search_finds_by_words(store: MemoryStore, query: str, best: str) -> None:
    found = LexicalSearch(store).search(query, 3)

    assert ids(found)[0] == best
    assert found[0]["score_kind"] == "bm25"


def test_lexical_search_gives_nothing_that_shares_no_word(store: MemoryStore) -> None:
    assert LexicalSearch(store).search("zebra 斑马", 5) == []


def test_an_empty_store_gives_nothing() -> None:
    assert LexicalSearch(MemoryStore()).search("ferry", 5) == []
    assert HybridSearch(MemoryStore()).search("ferry", 5) == []


def test_lexical_search_sees_what_is_added_and_removed(store: MemoryStore) -> None:
    search = LexicalSearch(store)
    assert ids(search.search("tram", 5)) == []

    store.add_documents([{"id": "tram", "text": "The tram runs at 06:15."}])
    added = ids(search.search("tram", 5))
    store.remove(["tram"])

    assert added == ["tram"]
    assert search.search("tram", 5) == []


def test_a_store_without_a_stamp_is_watched_by_its_documents(store: MemoryStore) -> None:
    class Plain:
        def __init__(self) -> None:
            self.passages, self.document_ids = store.passages, store.document_ids
            self.read, self.aread = store.read, store.aread

        def __len__(self) -> int:
            return len(store)

    search = LexicalSearch(Plain())
    assert search.search("tram", 5) == []
    store.add_documents([{"id": "tram", "text": "The tram runs at 06:15."}])

    assert ids(search.search("tram", 5)) == ["tram"]


def test_the_index_is_made_once(store: MemoryStore) -> None:
    search = LexicalSearch(store)

    assert search.index() is search.index()


def test_ties_come_in_a_settled_order() -> None:
    store = MemoryStore()
    store.add_documents([{"id": f"d{n}", "text": "The same words."} for n in range(30)])

    found = ids(LexicalSearch(store).search("same words", 7))

    assert found == [f"d{n}" for n in range(7)]


def test_words_that_carry_no_topic_are_asked_only_when_there_are_no_others() -> None:
    assert "the" not in query_terms("the ferry")
    assert query_terms("to be or not to be")


@pytest.mark.parametrize("kind", [LexicalSearch, HybridSearch])
def test_filters_hold(store: MemoryStore, kind: type[LexicalSearch | HybridSearch]) -> None:
    found = kind(store).search("灯 茶 compiler letter c", 10, {"tenant": "b"})

    assert set(ids(found)) == {"c", "茶"}


@pytest.mark.parametrize("k", [0, -1, "four", True])
def test_k_below_one_is_refused(store: MemoryStore, k: int) -> None:
    with pytest.raises(SettingsError, match="k is"):
        HybridSearch(store).search("ferry", k)


def test_fusion_counts_ranks_and_not_scores() -> None:
    def passage(identity: str, score: float) -> Passage:
        return {
            "id": identity, "document_id": identity, "text": identity, "start": 0, "end": 1,
            "score": score, "score_kind": "cosine",
        }  # fmt: skip

    words = [passage("a", 90.0), passage("b", 80.0), passage("c", 70.0)]
    dense = [passage("c", 0.9), passage("b", 0.8), passage("d", 0.7)]

    found = fuse([words, dense], 10, constant=60)

    assert [one["id"] for one in found] == ["c", "b", "a", "d"]
    assert found[0]["score"] == pytest.approx(1 / 63 + 1 / 61)
    assert {one["score_kind"] for one in found} == {"fusion"}
    assert words[0]["score"] == 90.0


def test_async_search_gives_the_same(store: MemoryStore) -> None:
    search = HybridSearch(store)

    async def ask() -> list[Passage]:
        return await search.asearch("灯用几伏电源？", 3)

    assert asyncio.run(ask()) == search.search("灯用几伏电源？", 3)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_headings_of_real_pages_are_found(shared_data: Path, language: str) -> None:
    folder = shared_data / "fastapi_docs" / language
    store = MemoryStore()
    store.add_documents(
        {"id": path.relative_to(folder).as_posix(), "text": path.read_text(encoding="utf-8")}
        for path in folder.rglob("*.md")
    )
    search = HybridSearch(store)
    lines = (shared_data / "fastapi_headings.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]

    hits = [row["doc"] in ids(search.search(row[f"question_{language}"], 5)) for row in rows]

    assert sum(hits) / len(hits) >= 0.95
