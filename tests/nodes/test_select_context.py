"""The graph's own use of the budget: selectors that need vectors get them, and no others."""

from __future__ import annotations

import pytest

from ragloop import HybridSearch, MemoryStore, Parts, build_graph, preset
from ragloop.stores.embeddings import HashingEmbeddings


class Counting(HashingEmbeddings):
    """The hashing embedder, with a count of what it was asked."""

    batches = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        type(self).batches += 1
        return super().embed_documents(texts)


def selection_with(selector: str) -> tuple[dict, int]:
    store = MemoryStore()
    store.add_documents(
        [
            {"id": "lamp", "text": "The Orsa lamp runs on 12 volts."},
            {"id": "lamp2", "text": "The Orsa lamp must not be used outdoors, says the maker."},
        ]
    )
    Counting.batches = 0
    parts = Parts(passages=HybridSearch(store), embed=Counting())
    app = build_graph(parts, preset("plain", selector=selector), studio=True).compile()
    state = app.invoke({"question": "On how many volts does the Orsa lamp run?"})
    assert all("vector" not in passage for passage in state["context"])
    return state["selection"], Counting.batches


@pytest.mark.parametrize("selector", ["mmr", "novelty"])
def test_a_selector_that_compares_meanings_gets_vectors_in_one_batch(selector: str) -> None:
    selection, batches = selection_with(selector)

    assert (selection["selector"], selection["fell_back"], batches) == (selector, "", 1)


def test_other_selectors_cost_no_vectors() -> None:
    _, batches = selection_with("auto")

    assert batches == 0
