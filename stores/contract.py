"""What every store promises, as checks that a test of any store can run.

    from ragloop.stores.contract import CHECKS

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_store_keeps_the_contract(check):
        check(lambda: MyStore(...))

`make_store` gives a new, empty store that cuts pieces of about 20 words. A check raises
`AssertionError` where a promise is broken. English and Chinese are checked alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .errors import RagloopError
from .passage import Document
from .protocols import Store

MakeStore = Callable[[], Store]

FERRY: Document = {
    "id": "ferry.md",
    "text": "# Ferry\n\nThe Brell ferry leaves Tarn pier at 07:40 and takes 35 minutes.\n\n"
    "## Winter\n\nFrom November to March it leaves one hour later, and never in a storm. "
    "Tickets are sold on board, and dogs travel free of charge on all days of the week.\n",
    "title": "Ferry",
    "source": "docs/ferry.md",
    "date": "2024-03-01",
    "metadata": {"tenant": "a", "year": 2024, "tags": ["sea", "times"]},
}
LAMP: Document = {
    "id": "手册/灯.txt",
    "text": "奥斯克灯使用十二伏电源，不能在室外使用。请在干燥的房间里使用它。\n"
    "更换灯泡之前，先拔掉插头。",
    "title": "灯的手册",
    "metadata": {"tenant": "b", "year": 2023, "tags": ["light"]},
}
TEA: Document = {
    "id": "tea.txt",
    "text": "Vell tea is brewed at 80 degrees for two minutes.",
    "metadata": {"tenant": "b", "year": 2024},
}


def _filled(make_store: MakeStore) -> Store:
    store = make_store()
    store.add_documents([FERRY, LAMP, TEA])
    return store


def finds_what_was_stored(make_store: MakeStore) -> None:
    """The passage that answers comes first, in English and in Chinese, with its score's kind."""
    store = _filled(make_store)
    for query, document in (
        ("When does the Brell ferry leave?", FERRY),
        ("灯能在室外使用吗？", LAMP),
    ):
        best = store.search(query, 3)[0]
        assert best["document_id"] == document["id"]
        assert best["score_kind"] in ("cosine", "distance", "bm25", "fusion", "rerank", "unknown")
        assert isinstance(best["score"], float)


def gives_best_first(make_store: MakeStore) -> None:
    """Scores fall, or rise where they are distances, and no passage comes twice."""
    found = _filled(make_store).search("When does the ferry leave Tarn pier in winter?", 10)
    scores = [passage["score"] for passage in found]
    assert scores == sorted(scores, reverse=found[0]["score_kind"] != "distance")
    assert len({passage["id"] for passage in found}) == len(found)


def passages_stand_in_their_document(make_store: MakeStore) -> None:
    """`text[start:end]` of the document is the passage, whose id names the document."""
    store = _filled(make_store)
    passages = store.passages()
    assert len(passages) == len(store) > 3
    for passage in passages:
        whole = store.read(passage["document_id"])["text"]
        assert whole[passage["start"] : passage["end"]] == passage["text"]
        assert passage["id"].startswith(passage["document_id"])


def gives_whole_documents_back(make_store: MakeStore) -> None:
    """`read` gives the document as it was stored, character for character."""
    store = _filled(make_store)
    for document in (FERRY, LAMP, TEA):
        assert store.read(document["id"]) == document
    assert store.document_ids() == sorted(one["id"] for one in (FERRY, LAMP, TEA))


def an_unknown_document_is_a_key_error(make_store: MakeStore) -> None:
    """`read` and `aread` raise `KeyError` for an id that is not there."""
    store = _filled(make_store)
    try:
        store.read("nowhere.md")
    except KeyError:
        pass
    else:
        raise AssertionError("read gave a document that was never stored")
    try:
        asyncio.run(store.aread("nowhere.md"))
    except KeyError:
        return
    raise AssertionError("aread gave a document that was never stored")


def a_filter_holds_for_everything(make_store: MakeStore) -> None:
    """`where` keeps tenants apart: equality, any of a list, several keys at once, all types."""
    store = _filled(make_store)
    rows: list[tuple[dict[str, object], set[str]]] = [
        ({"tenant": "a"}, {FERRY["id"]}),
        ({"tenant": "b"}, {LAMP["id"], TEA["id"]}),
        ({"tenant": ["a", "b"], "year": 2024}, {FERRY["id"], TEA["id"]}),
        ({"year": 2023}, {LAMP["id"]}),
        ({"year": "2023"}, set()),
        ({"tags": "sea"}, {FERRY["id"]}),
        ({"document_id": TEA["id"]}, {TEA["id"]}),
        ({"tenant": "c"}, set()),
        ({"tenant": []}, set()),
        ({"no such key": "a"}, set()),
    ]
    for where, expected in rows:
        assert {one["document_id"] for one in store.passages(where)} == expected, where
        for query in ("When does the ferry leave?", "灯能在室外使用吗？"):
            found = store.search(query, 50, where)
            assert {one["document_id"] for one in found} <= expected, where


def a_filter_that_cannot_hold_is_an_error(make_store: MakeStore) -> None:
    """A filter on None is refused and not ignored."""
    store = _filled(make_store)
    try:
        store.search("ferry", 3, {"tenant": None})
    except RagloopError:
        return
    raise AssertionError("a filter on None was ignored")


def asks_for_more_than_there_is(make_store: MakeStore) -> None:
    """k over the count gives what there is; k below 1 and an empty store are no crash."""
    store = _filled(make_store)
    assert 0 < len(store.search("ferry", 50)) <= len(store)
    assert store.search("   ", 5) == []
    try:
        store.search("ferry", 0)
    except RagloopError:
        return
    raise AssertionError("k=0 was taken")


def replaces_a_document(make_store: MakeStore) -> None:
    """The same id again replaces it: no piece of the old text stays, no metadata either."""
    store = _filled(make_store)
    store.add_documents([{"id": FERRY["id"], "text": "The Brell ferry was sold in 2025."}])
    assert store.read(FERRY["id"]) == {
        "id": FERRY["id"],
        "text": "The Brell ferry was sold in 2025.",
    }
    assert not any("07:40" in one["text"] for one in store.search("ferry at 07:40", 50))
    assert store.passages({"tenant": "a"}) == []


def storing_twice_changes_nothing(make_store: MakeStore) -> None:
    """Counts and ids stay as they are."""
    store = _filled(make_store)
    before = [one["id"] for one in store.passages()]
    store.add_documents([FERRY, LAMP, TEA])
    assert [one["id"] for one in store.passages()] == before


def removes_a_document(make_store: MakeStore) -> None:
    """A removed document is neither found nor read; an unknown id is no error."""
    store = _filled(make_store)
    store.remove([TEA["id"], "nowhere.md"])
    assert TEA["id"] not in store.document_ids()
    assert not any(one["document_id"] == TEA["id"] for one in store.search("Vell tea", 50))


def repeated_text_keeps_every_piece(make_store: MakeStore) -> None:
    """Fifty times the same sentence and two documents with one text: all are there, ids differ."""
    store = make_store()
    text = "Page intentionally left blank, and nothing at all is written on this page.\n\n" * 50
    store.add_documents([{"id": "r.txt", "text": text}, {"id": "copy/r.txt", "text": text}])
    passages = store.passages()
    assert len({one["id"] for one in passages}) == len(passages) >= 100
    store.remove(["r.txt"])
    assert store.read("copy/r.txt")["text"] == text


def awkward_text_is_stored(make_store: MakeStore) -> None:
    """Half surrogates and NUL do not stop it and are not stored; blank documents are left out."""
    store = make_store()
    store.add_documents(
        [
            {"id": "a.txt", "text": "Speed \ud835 of the Brell ferry is 11 knots."},
            {"id": "b.txt", "text": "before" + "\x00" * 100 + "after. 渡轮很快。"},
            {"id": "blank.txt", "text": "\n \n\t\n"},
        ]
    )
    assert store.document_ids() == ["a.txt", "b.txt"]
    assert "\x00" not in store.read("b.txt")["text"]
    assert "11 knots" in store.search("How fast is the Brell ferry?", 1)[0]["text"]


def async_gives_the_same(make_store: MakeStore) -> None:
    """`asearch` and `aread` give what their twins give, also many at once."""
    store = _filled(make_store)
    queries = ["When does the ferry leave?", "灯能在室外使用吗？", "Vell tea"] * 5

    async def ask() -> list[list[str]]:
        found = await asyncio.gather(*(store.asearch(query, 3) for query in queries))
        return [[one["id"] for one in passages] for passages in found]

    expected = [[one["id"] for one in store.search(query, 3)] for query in queries]
    assert asyncio.run(ask()) == expected
    assert asyncio.run(store.aread(FERRY["id"])) == store.read(FERRY["id"])


CHECKS: tuple[Callable[[MakeStore], None], ...] = (
    finds_what_was_stored,
    gives_best_first,
    passages_stand_in_their_document,
    gives_whole_documents_back,
    an_unknown_document_is_a_key_error,
    a_filter_holds_for_everything,
    a_filter_that_cannot_hold_is_an_error,
    asks_for_more_than_there_is,
    replaces_a_document,
    storing_twice_changes_nothing,
    removes_a_document,
    repeated_text_keeps_every_piece,
    awkward_text_is_stored,
    async_gives_the_same,
)


def check_store(make_store: MakeStore) -> None:
    """Run every check on a store of its own."""
    for check in CHECKS:
        check(make_store)
