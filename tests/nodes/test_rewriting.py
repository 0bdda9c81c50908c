"""New queries by kind of failure, English and Chinese, with and without a model."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import ScriptedModel
from small_graph import QUESTION, compiled, offline, store_of

from ragloop.graph.settings import Settings
from ragloop.nodes.rewriting import kind_of_failure, new_queries, parts_of, queries_offline
from ragloop.nodes.synonyms import reworded
from ragloop.stores.passage import Passage
from ragloop.stores.text import content_terms

HOPS = {
    "Bubye River": "The Bubye River is a river in Zimbabwe. It joins the Limpopo.",
    "Victoria Falls": "Victoria Falls is a waterfall on the border of Zimbabwe and Zambia.",
    "Kizir River": "The Kizir River flows through Russia, past a waterfall.",
    "Angel Falls": "Angel Falls in Venezuela is the highest waterfall of the world.",
}
HOP_QUESTION = "What waterfall is in the country where the Bubye River is found?"


def passage(title: str, text: str) -> Passage:
    return {"id": title, "document_id": title, "title": title, "text": text, "start": 0, "end": 1}


@pytest.mark.parametrize(
    ("question", "found", "kind"),
    [
        pytest.param("Summarise the meeting.", True, "implicit", id="whole text"),
        pytest.param("概括全文的主题", True, "implicit", id="whole text, Chinese"),
        pytest.param("What did the group think of the remote?", True, "general", id="broad"),
        pytest.param("大家对遥控器有什么看法？", True, "general", id="broad, Chinese"),
        pytest.param("Is the kiln hotter than the oven?", True, "complex", id="compares"),
        pytest.param("窑的温度和井的深度是多少？", True, "complex", id="two parts, Chinese"),
        pytest.param("Where was the builder born?", True, "multi-step", id="a part was found"),
        pytest.param("Where was the builder born?", False, "vocabulary", id="nothing was found"),
        pytest.param("建造者出生在哪里？", False, "vocabulary", id="nothing was found, Chinese"),
    ],
)
def test_the_kind_of_failure_follows_from_question_and_finds(
    question: str, found: bool, kind: str
) -> None:
    kept = [passage("tram", "The tram was built in Ulm.")] if found else []

    assert kind_of_failure(question, kept) == kind


def test_a_hop_asks_what_is_open_of_the_names_that_were_found() -> None:
    kept = [passage("Bubye River", HOPS["Bubye River"])]

    first = queries_offline("multi-step", HOP_QUESTION, kept, [])[0]

    assert "Zimbabwe" in first
    assert "waterfall" in first
    assert "Bubye" not in first


def test_a_chinese_hop_follows_the_names_that_were_found() -> None:
    kept = [passage("布比河", "布比河位于津巴布韦，汇入《林波波河》。")]

    first = queries_offline("multi-step", "布比河所在国家的瀑布叫什么？", kept, [])[0]

    assert "林波波河" in first
    assert "津巴布韦" in first


def test_the_parts_of_a_complex_question_are_searched_each_by_itself() -> None:
    queries = queries_offline("complex", "How deep is the well and how hot is the kiln?", [], [])

    assert queries[:2] == ["How deep is the well", "how hot is the kiln"]


def test_a_comparison_is_cut_at_its_or() -> None:
    assert parts_of("Which is longer, the Rhine river or the Elbe river?")[-1] == "the Elbe river"


def test_other_words_are_tried_when_nothing_was_found() -> None:
    queries = queries_offline("vocabulary", "What does the film cost?", [], [])

    assert any("price" in query or "fee" in query for query in queries)


@pytest.mark.parametrize(
    ("question", "other"),
    [
        pytest.param("Delete my login", "remove", id="English"),
        pytest.param("如何删除账号？", "移除", id="Chinese"),
    ],
)
def test_a_word_with_another_name_gets_it(question: str, other: str) -> None:
    assert any(other in version for version in reworded(question))


def test_a_question_without_such_words_is_not_reworded() -> None:
    assert reworded("Quo vadis?") == []


def test_a_broad_question_is_widened_with_telling_words_of_what_was_found() -> None:
    found = [
        passage("Budget", "The remote control must stay under twelve euros."),
        passage("Design", "A banana shape for the remote control, in yellow."),
    ]

    queries = queries_offline("general", "What did they think of the remote control?", [], found)

    assert all({"remote", "control"} & set(content_terms(query)) for query in queries[:2])
    assert len(content_terms(queries[1])) > len(content_terms(queries[0]))


def test_no_query_is_tried_twice_whatever_its_case_and_marks() -> None:
    tried: list[Any] = [{"query": "Depth of the well"}]

    fresh = new_queries(
        ["depth of the WELL?", QUESTION.upper(), '"Orsa well"', "orsa well", "", None, "?!"],
        tried,
        QUESTION,
    )

    assert fresh == ["Orsa well"]


def test_the_second_hop_finds_what_the_first_names() -> None:
    app = compiled(settings=offline(k=1, max_rounds=2), passages=store_of(HOPS))

    answer = app.invoke({"question": HOP_QUESTION})["answer"]

    assert answer["rounds"] >= 1
    assert "Victoria Falls#0" in {id for query in answer["queries"] for id in query["passage_ids"]}
    assert any("Zimbabwe" in query["query"] for query in answer["queries"][1:])


def test_queries_of_one_round_are_recorded_with_their_reason_and_kind() -> None:
    app = compiled(settings=offline(k=1, max_rounds=1), passages=store_of(HOPS))

    queries = app.invoke({"question": HOP_QUESTION})["answer"]["queries"]

    assert queries[0]["query"] == HOP_QUESTION
    assert {query["round"] for query in queries} == {0, 1}
    assert all(query["failure"] and query["reason"] for query in queries[1:])


def test_judges_see_the_question_as_it_was_asked_in_every_round() -> None:
    model = ScriptedModel(
        script={
            "grade_passages": "no",
            "rewrite_query": {"failure": "vocabulary", "queries": ["Orsa shaft", "Orsa borehole"]},
        }
    )
    app = compiled(model, Settings(max_rounds=1, remedies=("search_again",)))

    answer = app.invoke({"question": QUESTION})["answer"]

    graded = [prompt for node, prompt in model.asked if node == "grade_passages"]
    assert answer["question"] == QUESTION
    assert [query["query"] for query in answer["queries"][1:]] == ["Orsa shaft", "Orsa borehole"]
    assert graded
    assert all(QUESTION in prompt and "Orsa shaft" not in prompt for prompt in graded)


def test_a_model_that_repeats_its_query_ends_the_loop_without_progress() -> None:
    model = ScriptedModel(
        script={
            "grade_passages": "no",
            "rewrite_query": {"failure": "other", "queries": ["Orsa shaft"]},
        }
    )
    app = compiled(model, Settings(max_rounds=9, remedies=("search_again",)))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["stopped_by"] == "no_progress"
    assert answer["rounds"] == 2
