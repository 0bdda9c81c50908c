"""The three actions of CRAG, and what one passage leads to."""

from __future__ import annotations

import pytest
from scripted import ScriptedModel
from small_graph import NOTES, QUESTION, compiled, offline, store_of

from ragloop.graph.settings import Settings
from ragloop.nodes.grade_passages import merged, relevant_ones, verdict_on_search
from ragloop.nodes.hops import LEADS_ON, one_holds_it, worths
from ragloop.nodes.judges.verdict import Verdict
from ragloop.nodes.names import names_in
from ragloop.stores.passage import Passage

SETTINGS = Settings(relevance_upper=0.6, relevance_lower=0.2)


def verdicts(*scores: float | None) -> list[Verdict]:
    return [
        Verdict("unclear") if score is None else Verdict("yes", score, "offline")
        for score in scores
    ]


def passages(count: int) -> list[Passage]:
    return [
        {"id": f"p{at}", "document_id": f"d{at}", "text": "x", "start": 0, "end": 1}
        for at in range(count)
    ]


@pytest.mark.parametrize(
    ("scores", "action"),
    [
        pytest.param([0.6, 0.0], "correct", id="one at the upper threshold"),
        pytest.param([0.59999, 0.0], "ambiguous", id="one just below it"),
        pytest.param([0.2, 0.1], "ambiguous", id="one at the lower threshold"),
        pytest.param([0.19999, 0.1], "incorrect", id="all just below it"),
        pytest.param([], "incorrect", id="nothing was found"),
        pytest.param([None, 0.0], "ambiguous", id="one that could not be read proves nothing"),
        pytest.param([None, 0.9], "correct", id="one unread beside a good one"),
    ],
)
def test_scores_and_two_thresholds_settle_the_action(
    scores: list[float | None], action: str
) -> None:
    assert verdict_on_search(verdicts(*scores), SETTINGS) == action


def test_nothing_is_kept_of_a_search_that_was_wrong() -> None:
    assert relevant_ones(passages(2), verdicts(0.1, 0.0), "incorrect", SETTINGS) == []


def test_what_is_kept_is_in_the_order_of_its_scores_and_above_the_floor() -> None:
    kept = relevant_ones(passages(4), verdicts(0.3, 0.9, 0.1, None), "correct", SETTINGS)

    assert [passage["id"] for passage in kept] == ["p1", "p0"]


def test_what_could_not_be_judged_is_kept_when_nothing_else_is_left() -> None:
    kept = relevant_ones(passages(2), verdicts(None, 0.1), "ambiguous", SETTINGS)

    assert [passage["id"] for passage in kept] == ["p0"]


def test_passages_of_several_rounds_are_merged_each_once() -> None:
    assert [p["id"] for p in merged(passages(2), passages(3))] == ["p0", "p1", "p2"]


def elsewhere(query: str) -> list[dict[str, str]]:
    return [
        {"text": f"Also on {QUESTION} 31 metres.", "url": "https://wells.example", "title": "W"}
    ]


def test_ambiguous_keeps_what_there_is_and_adds_what_the_second_search_brings() -> None:
    model = ScriptedModel(
        script={"judge_sufficiency": {"suffices": "no", "missing": ["the year it was dug"]}}
    )
    settings = Settings(judge_sufficiency=True, remedies=("search_elsewhere",), check_support=False)
    app = compiled(model, settings, elsewhere=elsewhere)

    answer = app.invoke({"question": QUESTION})["answer"]

    assert {"well", "https://wells.example"} <= set(answer["sources"])
    assert {query["where"] for query in answer["queries"]} == {"store", "elsewhere"}


def test_incorrect_discards_so_that_no_passage_of_that_search_is_cited() -> None:
    model = ScriptedModel(
        script={"grade_passages": lambda prompt: "yes" if "Also on" in prompt else "no"}
    )
    app = compiled(
        model, Settings(remedies=("search_elsewhere",), check_support=False), elsewhere=elsewhere
    )

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["sources"] == ["https://wells.example"]


def test_the_last_search_before_the_cap_is_graded_too() -> None:
    model = ScriptedModel(script={"grade_passages": "no"})
    app = compiled(model, Settings(max_rounds=2, remedies=("search_again",)))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert all(query["verdict"] == "incorrect" for query in answer["queries"])


def titled(title: str, text: str) -> Passage:
    return {"id": title, "document_id": title, "title": title, "text": text, "start": 0, "end": 1}


@pytest.mark.parametrize(
    ("question", "first", "second", "other"),
    [
        pytest.param(
            "Where was the director of Red Sand born?",
            titled("Red Sand", "Red Sand is a film of 1954 by Ilse Marr."),
            titled("Ilse Marr", "She grew up in Graz."),
            titled("Blue Sand", "A beach in the north."),
            id="English",
        ),
        pytest.param(
            "《红沙》的导演出生在哪里？",
            titled("红沙", "《红沙》是伊尔莎执导的电影。"),
            titled("伊尔莎", "她在格拉茨长大。"),
            titled("蓝沙", "北方的一处海滩。"),
            id="Chinese",
        ),
    ],
)
def test_a_passage_on_what_a_good_passage_names_is_worth_more(
    question: str, first: Passage, second: Passage, other: Passage
) -> None:
    worth = worths(question, [first, second, other], {})

    assert worth[second["id"]].lead >= LEADS_ON > worth[other["id"]].lead
    assert worth[second["id"]].total > worth[other["id"]].total


def test_the_order_of_the_passages_changes_no_worth() -> None:
    found = [titled(name, text) for name, text in NOTES.items()]

    assert worths(QUESTION, found, {}) == worths(QUESTION, found[::-1], {})


def test_names_are_found_without_the_word_that_opens_the_sentence() -> None:
    assert names_in("The Duke of Wellington met her. In 1815 Bonaparte lost.") == [
        "Duke of Wellington",
        "1815",
        "Bonaparte",
    ]


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        pytest.param(QUESTION, True, id="one passage has it all"),
        pytest.param("How hot is the Rask kiln of the Orsa miners?", False, id="two have a part"),
    ],
)
def test_one_passage_holds_a_question_or_does_not(question: str, whole: bool) -> None:
    found = [titled(name, text) for name, text in NOTES.items()]

    assert one_holds_it(question, found) is whole


def test_an_easy_question_takes_no_round() -> None:
    app = compiled(settings=offline(), passages=store_of())

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["outcome"], answer["rounds"]) == ("answered", 0)
