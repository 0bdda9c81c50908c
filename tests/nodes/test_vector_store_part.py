"""A LangChain vector store as `passages`: it has a `search` too, but another one than ours."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from ragloop.graph.build import Parts, build_graph
from ragloop.graph.settings import preset
from ragloop.stores.embeddings import HashingEmbeddings


def test_a_vector_store_is_searched_as_it_is() -> None:
    store = InMemoryVectorStore(HashingEmbeddings())
    store.add_documents([Document("The well at Orsa is 31 metres deep.", id="well")])
    app = build_graph(Parts(passages=store), preset("plain")).compile()

    answer = app.invoke({"question": "How deep is the well at Orsa?"})["answer"]

    assert "31 metres" in answer["text"]
