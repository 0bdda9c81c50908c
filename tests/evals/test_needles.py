"""Needles: hidden where the set says, asked in three forms, found by whoever reads the whole."""

from __future__ import annotations

from typing import Any

import pytest

from ragloop.evals.needles import OracleReader, needle_set, needles_in
from ragloop.graph.build import Parts, build_graph
from ragloop.graph.settings import preset
from ragloop.stores.hybrid import HybridSearch
from ragloop.stores.memory import MemoryStore
from ragloop.stores.passage import Document

EN: Document = {
    "id": "log",
    "text": " ".join(
        f"On day {n} the crew counted {n * 3} gulls and went home." for n in range(700)
    ),
}
ZH: Document = {
    "id": "日志",
    "text": "".join(f"第{n}天船员数到{n * 3}只海鸥。" for n in range(900)),
}


def test_the_same_seed_gives_the_same_set_and_another_seed_another() -> None:
    first, again, other = needle_set([EN]), needle_set([EN]), needle_set([EN], seed=1)

    assert first == again
    assert first.documents != other.documents


@pytest.mark.parametrize("document", [pytest.param(EN, id="en"), pytest.param(ZH, id="zh")])
def test_each_form_hides_what_its_answer_needs_and_nothing_else(document: Document) -> None:
    found = needle_set([document])
    needles = needles_in(found)

    assert [len(needles[task.id]) for task in found.tasks] == [1, 1, 2]
    for task in found.tasks:
        text = found.documents[task.id]["text"]
        for needle in needles[task.id]:
            text = text.replace(needle, "")
        assert "".join(text.split()) == "".join(document["text"].split())


@pytest.mark.parametrize("document", [pytest.param(EN, id="en"), pytest.param(ZH, id="zh")])
def test_a_paraphrase_shares_no_word_with_its_needle(document: Document) -> None:
    found = needle_set([document])
    task = next(task for task in found.tasks if task.kind == "paraphrased")

    asked = set(task.question.lower().rstrip("?？").split())
    (needle,) = needles_in(found)[task.id]
    assert not asked & set(needle.lower().rstrip(".").split())
    assert "口令" not in task.question
    assert "passkey" not in task.question


def ask(found: Any, kind: str, name: str) -> dict[str, Any]:
    task = next(task for task in found.tasks if task.kind == kind)
    store = MemoryStore()
    store.add_documents([found.documents[task.id]])
    reader = OracleReader()
    reader.turn_to(needles_in(found)[task.id], task.answers[0][0])
    parts = Parts(passages=HybridSearch(store), writer=reader, reader=reader)
    settings = preset(name, k=3, context_window=40_000, check_support=False, rate_usefulness=False)
    app = build_graph(parts, settings).compile()
    answer: dict[str, Any] = app.invoke({"question": task.question})["answer"]
    return answer


@pytest.mark.parametrize("document", [pytest.param(EN, id="en"), pytest.param(ZH, id="zh")])
def test_passages_find_the_same_words_and_the_loop_rescues_the_paraphrase(
    document: Document,
) -> None:
    found = needle_set([document])

    same = ask(found, "same words", "plain")
    lost = ask(found, "paraphrased", "plain")
    rescued = ask(found, "paraphrased", "loop")

    assert same["outcome"] == "answered"
    assert lost["outcome"] == "refused"
    assert (rescued["outcome"], rescued["route"]) == ("answered", "whole_document")


def test_two_needles_are_compared_only_where_both_were_read() -> None:
    answer = ask(needle_set([EN]), "two needles", "whole_document")

    assert answer["outcome"] == "answered"
    assert answer["text"].split()[0] in ("yes", "no")
