"""Follow-up questions: which are ones, and what they become, English and Chinese."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from small_graph import compiled, offline

from ragloop.nodes.followups import leans_on_history, restate_offline
from ragloop.stores.hybrid import HybridSearch
from ragloop.stores.memory import MemoryStore

LAMP = ["user: What is the Osk lamp?", "assistant: A lamp that runs on 12 volts."]
LAMP_ZH = ["user: 奥斯克台灯的电压是多少？", "assistant: 12伏。"]


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("and its price?", id="its"),
        pytest.param("How old is she?", id="she"),
        pytest.param("Does it float?", id="it"),
        pytest.param("What about the lid?", id="what about"),
        pytest.param("Why?", id="why alone"),
        pytest.param("它的价格呢？", id="Chinese it"),
        pytest.param("那价格呢？", id="Chinese particle"),
        pytest.param("为什么？", id="Chinese why"),
    ],
)
def test_a_follow_up_leans_on_the_history(asked: str) -> None:
    assert leans_on_history(asked)


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("Why was the Berlin wall built?", id="why with a topic"),
        pytest.param("I heard that there is poverty in the UK", id="that as a conjunction"),
        pytest.param("What is a misdemeanor?", id="a definition"),
        pytest.param("How much does the Osk lamp cost?", id="plain"),
        pytest.param("奥斯克台灯应该放在哪里？", id="Chinese ought"),
        pytest.param("尤其是冬天，怎么保养木地板？", id="Chinese especially"),
        pytest.param("什么是台灯？", id="Chinese definition"),
    ],
)
def test_a_question_that_stands_alone_does_not(asked: str) -> None:
    assert not leans_on_history(asked)


@pytest.mark.parametrize(
    ("asked", "history", "restated"),
    [
        pytest.param("and its price?", LAMP, "and Osk's price?", id="owner"),
        pytest.param("Does it float?", LAMP, "Does Osk float?", id="thing"),
        pytest.param("它的价格呢？", LAMP_ZH, "奥斯克台灯的价格呢？", id="Chinese"),
        pytest.param("那价格呢？", LAMP_ZH, "奥斯克台灯，那价格呢？", id="Chinese, no pronoun"),
        pytest.param(
            "When was she born?",
            ["user: Who dug the Orsa well?", "assistant: It was dug by Anna Berg in 1871."],
            "When was Anna Berg born?",
            id="a person is who the reply named",
        ),
        pytest.param(
            "Does it need a permit?",
            ["user: how do I keep bees in town"],
            "Does it need a permit? (keep bees in town)",
            id="a topic that is no name goes behind",
        ),
        pytest.param(
            "Is this river deep?",
            ["user: Tell me about the Elbe"],
            "Is this river deep? (Elbe)",
            id="this with a noun stays",
        ),
        pytest.param("Got it, thanks", [], "Got it, thanks", id="no history"),
        pytest.param("Is the Osk lamp its own?", LAMP, "Is the Osk lamp its own?", id="named"),
    ],
)
def test_the_topic_takes_the_pronouns_place(asked: str, history: list[str], restated: str) -> None:
    assert restate_offline(asked, history) == restated


def ask(messages: list[Any]) -> dict[str, Any]:
    app = compiled(settings=offline())
    answer: dict[str, Any] = app.invoke({"messages": messages})["answer"]
    return answer


def test_the_restatement_is_visible_in_the_answer() -> None:
    before = [
        HumanMessage("Tell me about the Rask kiln."),
        AIMessage("It is fired to 1240 degrees."),
    ]

    answer = ask([*before, HumanMessage("How long does it cool?")])

    assert answer["question"] == "How long does Rask cool?"
    assert "two days" in answer["text"]


def test_a_question_that_stands_alone_is_left_as_it_is() -> None:
    before = [
        HumanMessage("Tell me about the Rask kiln."),
        AIMessage("It is fired to 1240 degrees."),
    ]

    answer = ask([*before, HumanMessage("How deep is the well at Orsa?")])

    assert answer["question"] == "How deep is the well at Orsa?"


def test_restated_questions_find_more_in_real_conversations(shared_data: Path) -> None:
    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (shared_data / name).read_text("utf-8").splitlines()]

    store = MemoryStore()
    store.add_documents(
        {"id": row["id"], "text": row["text"], "title": row["title"] or ""}
        for row in rows("mtrag_corpus.jsonl")
    )
    search = HybridSearch(store)
    raw = restated = leaning = 0.0
    for row in rows("mtrag_tasks.jsonl"):
        gold, asked = set(row["gold_passage_ids"]), row["question"]
        if not gold or not row["history"] or not leans_on_history(asked):
            continue
        history = [f"{message['role']}: {message['text']}" for message in row["history"]]
        leaning += 1
        for_raw, for_restated = (
            {passage["document_id"] for passage in search.search(query, 10)}
            for query in (asked, restate_offline(asked, history))
        )
        raw += len(gold & for_raw) / len(gold)
        restated += len(gold & for_restated) / len(gold)

    assert leaning > 30
    assert restated / leaning > raw / leaning + 0.03
