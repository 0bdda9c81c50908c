"""Refusals say what was searched, what lacks and what would help; words do not make a refusal."""

from __future__ import annotations

import pytest

from ragloop.nodes.steps import Finish
from ragloop.nodes.writers.refusals import looks_refused, refusal


def test_a_refusal_says_what_was_searched_what_lacks_and_what_helps() -> None:
    text = refusal("What is the capital of Mongolia?", queries=["capital Mongolia"], missing="It")

    assert "do not answer" in text
    assert "“capital Mongolia”" in text
    assert "Missing: It." in text
    assert "would help" in text


def test_a_refusal_is_in_the_language_of_the_question() -> None:
    text = refusal("蒙古的首都是哪里？", queries=["蒙古 首都"], missing="没有提到蒙古")

    assert text == (
        "来源没有回答这个问题。缺少：没有提到蒙古。搜索过：“蒙古 首都”。"
        "补充写明这一点的文档，或把问题问得更具体，会有帮助。"
    )


def test_a_broken_model_is_not_blamed_on_the_sources() -> None:
    text = refusal("What is it?", queries=["it"], missing="time-out", failed=True)

    assert "sources do not" not in text
    assert "model did not reply" in text


@pytest.mark.parametrize(
    ("finish", "text", "kind"),
    [
        pytest.param("stop", "I can't say X, but Y is 5.", "", id="an answer with cannot"),
        pytest.param("stop", "无法确定甲，但乙是五。", "", id="a Chinese answer with cannot"),
        pytest.param("refused", "I'm sorry.", "refused", id="the model's own refusal"),
        pytest.param("cut off", "Y is", "cut off", id="cut off"),
        pytest.param("empty", "", "empty", id="empty"),
        pytest.param("stop", "  ", "empty", id="blank"),
    ],
)
def test_only_how_a_reply_ended_makes_it_a_refusal(finish: Finish, text: str, kind: str) -> None:
    found = looks_refused(finish, text)

    assert found == kind
