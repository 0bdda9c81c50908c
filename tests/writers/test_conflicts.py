"""Contradictions between sources are named, both sides cited, the newer as newer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragloop.nodes.writers.conflicts import find, note, state
from ragloop.stores.passage import Passage


def source(identity: str, text: str, **more: str) -> Passage:
    return Passage(  # type: ignore[typeddict-item]
        id=identity, document_id=identity, text=text, start=0, end=len(text), **more
    )


@pytest.mark.parametrize(
    ("question", "first", "second", "about", "says"),
    [
        pytest.param(
            "How many days is the return period?",
            "The return period is 14 days.",
            "The return period is 30 days.",
            "figure",
            ("14", "30"),
            id="figure",
        ),
        pytest.param(
            "退货期限是多少天？",
            "商品的退货期限为14天。",
            "商品的退货期限为30天。",
            "figure",
            ("14", "30"),
            id="Chinese figure",
        ),
        pytest.param(
            "When was the bridge opened?",
            "The bridge was opened to cars on March 3, 2017.",
            "On March 3, 2019 the bridge was opened.",
            "date",
            ("March 3, 2017", "March 3, 2019"),
            id="date in other words",
        ),
        pytest.param(
            "When does the ferry leave?",
            "The ferry leaves Tarn pier at 07:40 each day.",
            "The ferry leaves Tarn pier at 08:10 each day.",
            "date",
            ("07:40", "08:10"),
            id="time of day",
        ),
        pytest.param(
            "Who directed the film?",
            "The film was directed by Anna Lind in Oslo.",
            "The film was directed by Peter Holm in Oslo.",
            "name",
            ("Anna Lind", "Peter Holm"),
            id="name",
        ),
        pytest.param(
            "这部电影的导演是谁？",
            "这部电影由郭帆执导，在上海拍摄。",
            "这部电影由陈凯歌执导，在上海拍摄。",
            "name",
            ("郭帆", "陈凯歌"),
            id="Chinese name",
        ),
        pytest.param(
            "Does the lamp work outdoors?",
            "The lamp does work outdoors in the rain.",
            "The lamp does not work outdoors in the rain.",
            "negation",
            None,
            id="yes against no",
        ),
    ],
)
def test_a_contradiction_is_found(
    question: str, first: str, second: str, about: str, says: tuple[str, str] | None
) -> None:
    found = find([source("a", first), source("b", second)], question)

    assert [each["about"] for each in found] == [about]
    assert says is None or found[0]["says"] == says
    assert (found[0]["first"]["quote"], found[0]["second"]["quote"]) == (first, second)


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        pytest.param(
            "When was Django released?",
            "Django was released in 2005.",
            "Flask was released in 2010.",
            id="other subject",
        ),
        pytest.param(
            "How many people live there?",
            "About 1,000,000 people live there.",
            "About 1 million people live there.",
            id="same figure, other form",
        ),
        pytest.param(
            "Who made it?", "Barack Obama made it here.", "Obama made it here.", id="short name"
        ),
        pytest.param(
            "动画什么时候上映？",
            "动画原定2021年上映，后延至2022年發行。",
            "动画原定2021年上映，后延至2022年发行。",
            id="other script",
        ),
        pytest.param(
            "How long is the film?",
            "Oct 29, 2021 ... A film.",
            "Oct 30, 2021 ... A film.",
            id="datelines",
        ),
    ],
)
def test_what_only_looks_different_is_no_contradiction(
    question: str, first: str, second: str
) -> None:
    found = find([source("a", first), source("b", second)], question)

    assert found == []


def test_pieces_of_one_document_are_one_source_and_two_versions_are_two() -> None:
    old = source("a", "The limit is 10 calls.", version="1.9")
    new = source("b", "The limit is 50 calls.", version="1.10")
    old["document_id"] = new["document_id"] = "guide"
    same = {**new, "version": "1.9"}

    found = find([old, new], "How many calls is the limit?")

    assert (found[0]["newer"], found[0]["when"]) == (2, "1.10")
    assert find([old, same], "How many calls is the limit?") == []  # type: ignore[list-item]


def test_both_sides_are_cited_and_the_newer_is_named() -> None:
    sources = [
        source("a", "The return period is 14 days.", date="2024-05-01"),
        source("b", "The return period is 30 days.", date="2022-01-01"),
    ]
    found = find(sources, "How many days is the return period?")

    text, citations = state(found, "en")

    assert text == (
        "The sources disagree: “14” [1], but “30” [2]. The newer source is [1] (2024-05-01)."
    )
    assert [c["passage_id"] for c in citations] == ["a", "b"]


def test_a_contradiction_is_stated_in_chinese() -> None:
    sources = [source("a", "退货期限为14天。"), source("b", "退货期限为30天。")]

    text, _ = state(find(sources, "退货期限是多少天？"), "zh")

    assert text == "来源说法不一：“14”[1]，而“30”[2]。"


@pytest.mark.parametrize("name", ["rgb_en_fact", "rgb_zh_fact"])
def test_counterfactual_passages_beside_true_ones_are_reported(
    name: str, shared_data: Path
) -> None:
    rows = [
        json.loads(line) for line in (shared_data / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    reported = alarms = 0
    for row in rows:
        true = [source(f"t{i}", text) for i, text in enumerate(row["positive"][:3])]
        false = [source(f"f{i}", text) for i, text in enumerate(row["counterfactual"][:3])]
        reported += bool(find([*true, *false], row["question"]))
        alarms += bool(find(true, row["question"]))

    assert reported >= 0.8 * len(rows)
    assert alarms <= 0.05 * len(rows)


def test_an_answer_that_says_one_side_gets_the_other_appended() -> None:
    sources = [
        source("a", "The return period is 14 days."),
        source("b", "The return period is 30 days."),
    ]
    question = "How many days is the return period?"

    text, citations, found = note("It is 14 days. [1]", [], sources, question)

    assert text == "It is 14 days. [1]\n\nThe sources disagree: “14” [1], but “30” [2]."
    assert [c["marker"] for c in citations] == [1, 2]
    assert len(found) == 1


def test_a_contradiction_that_the_answer_states_or_does_not_touch_is_not_appended() -> None:
    sources = [
        source("a", "The return period is 14 days."),
        source("b", "The return period is 30 days."),
    ]
    question = "How many days is the return period?"

    stated, _, found = note("It is 14 [1] or 30 days [2].", [], sources, question)
    other, _, untouched = note("It is free.", [], sources, question)

    assert (stated, len(found)) == ("It is 14 [1] or 30 days [2].", 1)
    assert (other, untouched) == ("It is free.", [])
