"""Strips: verbatim, in source order, and never fewer than needed."""

from __future__ import annotations

from typing import Any

import pytest
from small_graph import compiled, offline, run_of, store_of

from ragloop.graph.settings import Settings
from ragloop.nodes.refining import LONG, refined
from ragloop.stores.passage import Passage

EN = (
    "# The Orsa well\n\n"
    "Orsa is a village of farmers in the hills. Its market is held on Fridays. "
    "The bakery sells rye bread and buns. Most people keep goats and bees. "
    "The well at Orsa was dug by hand in 1871. It is 31 metres deep. "
    "The school has two rooms. The road to it is steep. "
    "Trains pass the valley twice a day. The station has no roof."
)
ZH = (
    "奥尔萨是山里的一个村庄。村里的集市在星期五。面包店卖黑麦面包。多数人养山羊和蜜蜂。"
    "奥尔萨的井是1871年挖的。它深三十一米。学校有两间教室。通往学校的路很陡。"
    "火车每天两次经过山谷。车站没有屋顶。"
)
CASES = [
    pytest.param(EN, "When was the well at Orsa dug?", "1871", id="English"),
    pytest.param(ZH, "奥尔萨的井是哪一年挖的？", "1871", id="Chinese"),
]


def passage(text: str, **more: Any) -> Passage:
    made = {"id": "orsa#0", "document_id": "orsa", "text": text, "start": 0, "end": len(text)}
    return {**made, **more}  # type: ignore[typeddict-item]


def strips(text: str, question: str, mode: str = "strips", **more: Any) -> list[Passage]:
    settings = Settings(refine=mode)  # type: ignore[arg-type]
    return refined(question, [passage(text, **more)], run_of(settings))


@pytest.mark.parametrize(("text", "question", "held"), CASES)
def test_what_is_kept_is_verbatim_with_its_offsets(text: str, question: str, held: str) -> None:
    kept = strips(text, question)

    assert kept
    assert all(part["text"] == text[part["start"] : part["end"]] for part in kept)
    assert held in "".join(part["text"] for part in kept)


@pytest.mark.parametrize(("text", "question", "held"), CASES)
def test_what_does_not_matter_goes_and_the_rest_stays_in_source_order(
    text: str, question: str, held: str
) -> None:
    kept = strips(text, question)

    starts = [part["start"] for part in kept]
    assert starts == sorted(starts)
    assert sum(len(part["text"]) for part in kept) < len(text)


def test_offsets_count_from_the_document_and_not_from_the_passage() -> None:
    kept = strips(EN, "When was the well at Orsa dug?", start=1000, end=1000 + len(EN))

    assert all(part["text"] == EN[part["start"] - 1000 : part["end"] - 1000] for part in kept)


def test_a_relevant_passage_is_never_refined_away() -> None:
    kept = strips(EN, "Which planet has rings?")

    assert len(kept) >= 1


def test_several_stretches_have_ids_of_their_own() -> None:
    text = f"{EN} In autumn the well at Orsa was dug anew."

    ids = [part["id"] for part in strips(text, "When was the well at Orsa dug?")]

    assert len(set(ids)) == len(ids)


def test_off_leaves_everything() -> None:
    assert strips(EN, "When was the well dug?", "off") == [passage(EN)]


def test_auto_cuts_only_what_is_long() -> None:
    long = " ".join(
        f"The barn number {n} in the valley holds hay and a plough." for n in range(LONG // 8)
    )

    short = strips(EN, "When was the well at Orsa dug?", "auto")
    cut = strips(f"{EN} {long}", "When was the well at Orsa dug?", "auto")

    assert short == [passage(EN)]
    assert sum(len(part["text"]) for part in cut) < len(long)


@pytest.mark.parametrize(("text", "question", "held"), CASES)
def test_citations_from_strips_are_in_the_document(text: str, question: str, held: str) -> None:
    store = store_of({"orsa": text})
    app = compiled(settings=offline(refine="strips"), passages=store)

    answer = app.invoke({"question": question})["answer"]

    document = store.read("orsa")["text"]
    assert held in answer["text"]
    assert answer["citations"]
    assert all(document[c["start"] : c["end"]] == c["quote"] for c in answer["citations"])
