"""Refusals say what was searched, what lacks and what would help; words do not make a refusal."""

from __future__ import annotations

import pytest

from ragloop.nodes.steps import Finish
from ragloop.nodes.writers.draft import Draft
from ragloop.nodes.writers.model import not_answerable
from ragloop.nodes.writers.refusals import because, open_part, refusal


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
    "finish", ["refused", "empty", "cut off", "unreadable", "failed", "not asked"]
)
def test_how_a_reply_ended_tells_refusals_apart(finish: Finish) -> None:
    draft: Draft = {**not_answerable("why"), "finish": finish}

    found = because(draft)

    assert found == finish


def test_what_the_sources_lack_and_what_they_do_not_bear_out_are_two_things() -> None:
    draft = not_answerable("the depth")

    found = because(draft), because(draft, drafted=True)

    assert found == ("not in the sources", "unsupported")


@pytest.mark.parametrize(
    ("missing", "question", "sentence"),
    [
        ("the price", "How old and how dear is it?", "Missing: the price."),
        ("价格", "它多老，多贵？", "缺少：价格。"),
        ("The sources leave this part open: the price?", "How dear?",
         "The sources leave this part open: the price?"),
    ],
    ids=["English", "Chinese", "in our own words already"],
)  # fmt: skip
def test_what_is_left_open_is_said_as_a_sentence(
    missing: str, question: str, sentence: str
) -> None:
    said = open_part(missing, question)

    assert said == sentence
