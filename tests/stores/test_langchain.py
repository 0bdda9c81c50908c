"""Whatever LangChain has that finds text is a passage search, and nothing is lost on the way."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import tool
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from ragloop.stores.embeddings import HashingEmbeddings
from ragloop.stores.errors import SettingsError
from ragloop.stores.langchain import from_langchain
from ragloop.stores.langchain_passages import passages_from, to_langchain
from ragloop.stores.memory import MemoryStore
from ragloop.stores.passage import Passage

FERRY = Document(
    id="f1",
    page_content="The Brell ferry leaves at 07:40.",
    metadata={"source": "ferry.md", "title": "Ferry", "start_index": 12, "tenant": "a", "page": 3},
)
LAMP = Document(page_content="奥斯克灯使用十二伏电源。", metadata={"tenant": "b"})


class Fixed(BaseRetriever):
    """Gives the same documents to every query."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [FERRY, LAMP]


def vector_store(count: int = 0) -> InMemoryVectorStore:
    store = InMemoryVectorStore(HashingEmbeddings())
    store.add_documents([FERRY, LAMP])
    store.add_documents(
        [
            Document(page_content=f"The ferry leaves, note {n}.", metadata={"tenant": "c"})
            for n in range(count)
        ]
    )
    return store


def test_a_retriever_keeps_ids_offsets_and_sources() -> None:
    found = from_langchain(Fixed()).search("ferry", 5)

    assert found[0] == {
        "id": "f1",
        "document_id": "ferry.md",
        "text": "The Brell ferry leaves at 07:40.",
        "start": 12,
        "end": 44,
        "title": "Ferry",
        "source": "ferry.md",
        "metadata": {"start_index": 12, "tenant": "a", "page": 3},
    }


@pytest.mark.parametrize("source", [Fixed(), lambda query: [FERRY, LAMP], vector_store(40)])
def test_a_filter_is_never_ignored(source: Any) -> None:
    search = from_langchain(source)

    assert [one["text"] for one in search.search("ferry", 5, {"tenant": "b"})] == [
        "奥斯克灯使用十二伏电源。"
    ]
    assert search.search("ferry", 5, {"tenant": "nobody"}) == []


def test_a_store_without_filters_of_its_own_is_asked_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ragloop.stores.langchain._known_filter", lambda store: None)

    found = from_langchain(vector_store(200)).search("ferry leaves note", 1, {"tenant": "b"})

    assert [one["text"] for one in found] == ["奥斯克灯使用十二伏电源。"]


def test_cosines_and_distances_are_told_apart() -> None:
    class Distances(InMemoryVectorStore):
        def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> Any:
            pairs = super().similarity_search_with_score(query, k, **kwargs)
            return [(document, 1 - score) for document, score in pairs]

    near = from_langchain(vector_store()).search("Brell ferry", 2)
    far = Distances(HashingEmbeddings())
    far.add_documents([FERRY, LAMP])
    found = from_langchain(far).search("Brell ferry", 2)

    assert {one["score_kind"] for one in near} == {"cosine"}
    assert near[0]["score"] > near[1]["score"]
    assert {one["score_kind"] for one in found} == {"distance"}
    assert found[0]["score"] < found[1]["score"]


def test_the_retriever_of_a_vector_store_brings_its_scores() -> None:
    found = from_langchain(vector_store().as_retriever()).search("Brell ferry", 1)

    assert (found[0]["id"], found[0]["score_kind"]) == ("f1", "cosine")


@pytest.mark.filterwarnings("ignore:legacy embedding function:DeprecationWarning")
@pytest.mark.parametrize("space", ["cosine", "l2", "ip"])
def test_chroma_through_langchain_gives_distances_and_filters(tmp_path: Path, space: str) -> None:
    langchain_chroma = pytest.importorskip("langchain_chroma")
    store: VectorStore = langchain_chroma.Chroma(
        embedding_function=HashingEmbeddings(),
        persist_directory=str(tmp_path),
        collection_configuration={"hnsw": {"space": space}},
    )
    store.add_documents([FERRY, LAMP], ids=["f1", "l1"])
    search = from_langchain(store)

    best = search.search("Brell ferry", 2)
    filtered = search.search("ferry", 2, {"tenant": ["b", "c"]})

    assert [one["id"] for one in best] == ["f1", "l1"]
    assert {one["score_kind"] for one in best} == {"distance"}
    assert [one["id"] for one in filtered] == ["l1"]


def test_an_async_side_is_awaited_and_not_run_in_a_thread() -> None:
    threads: list[threading.Thread] = []

    async def look(query: str) -> list[str]:
        threads.append(threading.current_thread())
        await asyncio.sleep(0)
        return [f"About {query}."]

    search = from_langchain(look)
    found = asyncio.run(search.asearch("渡轮", 3))

    assert found[0]["text"] == "About 渡轮."
    assert threads == [threading.main_thread()]


def test_an_async_function_can_be_asked_from_sync_code_inside_a_loop() -> None:
    async def look(query: str) -> list[str]:
        return [query]

    async def notebook_cell() -> list[Passage]:
        return from_langchain(look).search("渡轮", 1)

    assert asyncio.run(notebook_cell())[0]["text"] == "渡轮"


def test_a_tool_is_asked_under_the_name_of_its_argument() -> None:
    @tool
    def web(question: str) -> list[dict[str, str]]:
        """Search the web."""
        return [{"title": "Ferry", "url": "https://e.org/f", "content": f"{question}: at 07:40"}]

    found = from_langchain(web).search("ferry", 3)

    assert (found[0]["source"], found[0]["title"]) == ("https://e.org/f", "Ferry")
    assert found[0]["text"] == "ferry: at 07:40"


@pytest.mark.parametrize(
    "given",
    [
        pytest.param([FERRY], id="documents"),
        pytest.param({"results": [{"content": FERRY.page_content}]}, id="results"),
        pytest.param('[{"snippet": "The Brell ferry leaves at 07:40."}]', id="JSON"),
        pytest.param("The Brell ferry leaves at 07:40.", id="text"),
        pytest.param(("read this", [FERRY]), id="content and artifact"),
        pytest.param([" ", "The Brell ferry leaves at 07:40."], id="a blank one"),
    ],
)
def test_results_of_any_common_shape_become_passages(given: Any) -> None:
    found = passages_from(given)

    assert [one["text"] for one in found] == ["The Brell ferry leaves at 07:40."]
    assert found[0]["id"]
    assert found[0]["document_id"]


def test_dates_and_addresses_are_found_under_their_usual_names() -> None:
    row = {"url": "https://e.org", "publishedDate": "2024-03-01", "text": "渡轮", "engine": "x"}

    found = passages_from([row])[0]

    assert (found["source"], found["date"]) == ("https://e.org", "2024-03-01")
    assert found["metadata"]["engine"] == "x"


def test_results_without_ids_get_stable_ones_that_differ() -> None:
    first, second = passages_from(["same", "same"]), passages_from(["same", "other"])

    assert first[0]["id"] == second[0]["id"]
    assert len({first[0]["id"], first[1]["id"], second[1]["id"]}) == 3


def test_nothing_at_all_is_no_passage() -> None:
    assert passages_from(None) == passages_from([]) == passages_from("") == []


def test_a_passage_goes_to_langchain_and_back() -> None:
    store = MemoryStore(words=10)
    store.add_documents(
        [{"id": "渡轮.md", "text": "# 渡轮\n\n它七点四十分开。", "metadata": {"tenant": "a"}}]
    )

    for passage in store.search("渡轮几点开？", 2):
        assert passages_from([to_langchain(passage)]) == [passage]


def test_our_own_stores_pass_through() -> None:
    store = MemoryStore()

    assert from_langchain(store) is store


def test_what_cannot_search_is_refused() -> None:
    with pytest.raises(SettingsError, match="A int cannot search"):
        from_langchain(7)
