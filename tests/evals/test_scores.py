"""Scores against answers whose score is known."""

from __future__ import annotations

import pytest

from ragloop.evals.scores import (
    accuracy,
    contains,
    exact_match,
    f1,
    over_parts,
    rouge_l,
    score_answer,
)


@pytest.mark.parametrize(
    ("said", "right", "score"),
    [
        pytest.param("The Tower.", "tower", 1.0, id="articles, case and signs do not count"),
        pytest.param("Tower [1]", "tower", 1.0, id="citation markers do not count"),
        pytest.param("two towers", "tower", 0.0, id="other words do"),
        pytest.param("四月三日。", "四月三日", 1.0, id="Chinese without its full stop"),
        pytest.param("１２ 伏", "12伏", 1.0, id="full-width digits are digits"),
    ],
)
def test_exact_match(said: str, right: str, score: float) -> None:
    assert exact_match(said, right) == score


@pytest.mark.parametrize(
    ("said", "right", "score"),
    [
        pytest.param("red green", "green blue", 0.5, id="one of two words each way"),
        pytest.param("the red house", "red house", 1.0, id="articles do not count"),
        pytest.param("red red red", "red", 0.5, id="a word said three times counts once"),
        pytest.param("black", "white", 0.0, id="nothing shared"),
        pytest.param("四月三日", "四月五日", 0.75, id="Chinese by characters"),
        pytest.param("", "", 1.0, id="nothing is nothing"),
    ],
)
def test_f1(said: str, right: str, score: float) -> None:
    assert f1(said, right) == pytest.approx(score)


@pytest.mark.parametrize(
    ("said", "right", "score"),
    [
        pytest.param("It opened in 1889, in May.", "1889", 1.0, id="a word inside"),
        pytest.param("It opened in 18890.", "1889", 0.0, id="but not inside a word"),
        pytest.param("in New York City", "new york", 1.0, id="several words in order"),
        pytest.param("York is new", "new york", 0.0, id="not in another order"),
        pytest.param("大会于四月三日召开", "四月三日", 1.0, id="inside a Chinese sentence"),
        pytest.param("", "x", 0.0, id="nothing said"),
    ],
)
def test_contains(said: str, right: str, score: float) -> None:
    assert contains(said, right) == score


@pytest.mark.parametrize(
    ("said", "right", "score"),
    [
        pytest.param("Yes: both are in Oslo. [1]", "yes", 1.0, id="yes"),
        pytest.param("No, they have no ferry.", "yes", 0.0, id="no for yes"),
        pytest.param("Nobody knows.", "no", 0.0, id="a longer word is not the word"),
        pytest.param("不是。", "否", 1.0, id="another word for no in Chinese"),
    ],
)
def test_accuracy_of_yes_and_no(said: str, right: str, score: float) -> None:
    assert accuracy(said, right) == score


@pytest.mark.parametrize(
    ("said", "right", "score"),
    [
        pytest.param("police kill gunman", "police killed gunman", 2 / 3, id="two of three"),
        pytest.param("gunman killed police", "police killed gunman", 1 / 3, id="order counts"),
        pytest.param("红黄蓝", "红绿蓝", 2 / 3, id="Chinese by characters"),
    ],
)
def test_rouge_l(said: str, right: str, score: float) -> None:
    pytest.importorskip("rouge_score")

    assert rouge_l(said, right) == pytest.approx(score)


def test_of_several_spellings_the_best_counts_and_over_parts_the_mean() -> None:
    parts = [["1889", "eighteen eighty-nine"], ["Paris"], ["iron"]]

    score = over_parts(contains, "Built of iron in 1889.", parts)

    assert score == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("right", "names"),
    [
        pytest.param("Paris", {"exact_match", "f1", "contains"}, id="short"),
        pytest.param("word " * 40, {"f1", "rouge_l"}, id="long"),
        pytest.param("字" * 40, {"exact_match", "f1", "contains"}, id="forty characters are short"),
        pytest.param("字" * 60, {"f1", "rouge_l"}, id="sixty are long"),
        pytest.param("Yes", {"accuracy"}, id="yes or no"),
    ],
)
def test_a_task_gets_the_scores_that_suit_its_labels(right: str, names: set[str]) -> None:
    if "rouge_l" in names:
        pytest.importorskip("rouge_score")

    scores = score_answer("Paris", [[right]])

    assert set(scores) == names


def test_without_labels_there_are_no_scores() -> None:
    assert score_answer("Paris", []) == {}
