"""Figures in the measure that a question asks for, in both languages."""

from __future__ import annotations

import pytest
from small_graph import compiled, offline, store_of

from ragloop.nodes.writers.holds import holds
from ragloop.nodes.writers.measures import measure_asked


@pytest.mark.parametrize(
    ("question", "fits", "fits_not"),
    [
        ("What was the firm's revenue in 2020?", "It made $6 billion.", "It has 6,000 shops."),
        ("What percentage of homes have a well?", "About 12 % do.", "About 1,200 do."),
        ("How tall is the mill?", "It is 24 metres high.", "It has 24 windows."),
        ("How heavy is the bell?", "The bell weighs two tons.", "It has rung for two centuries."),
        ("公司2020年的营收是多少？", "营收为60亿元。", "公司有6000家门店。"),
        ("失业率是多少？", "失业率为5.2%。", "失业的有520人。"),
        ("该市有多少人？", "全市有8.57万人。", "全市有37所学校。"),
        ("该市人口是多少？", "全市人口8.57万。", "全市有37所学校。"),
        ("主桥多长？", "主桥长504米。", "主桥用了504根钢索。"),
        ("比赛持续了多久？", "比赛持续了45天。", "比赛有45名选手。"),
        ("议会有多少个议席？", "议会共有90席。", "投票率为90%。"),
        ("棉花产量是多少？", "产量为597.7万吨。", "单产为132.8公斤/亩。"),
        ("利润是多少美元？", "利润为3亿美元。", "利润为3亿元。"),
    ],
)
def test_a_figure_answers_in_the_measure_that_is_asked_for(
    question: str, fits: str, fits_not: str
) -> None:
    assert holds("number", fits, question) is True
    assert holds("number", fits_not, question) is False


@pytest.mark.parametrize("question", ["How many wells are there?", "得分是多少？"])
def test_where_no_measure_is_named_any_figure_may_answer(question: str) -> None:
    assert measure_asked(question) is None


def test_a_figure_of_the_question_is_no_answer_to_it() -> None:
    assert holds("number", "Of 24 metres nobody spoke.", "How high is the 24 metres mill?") is False


@pytest.mark.parametrize(
    ("question", "near_miss", "right"),
    [
        (
            "What was the revenue of the Dunn mill in 2020?",
            "The Dunn mill in 2020 ground 900 sacks, a figure its revenue reports repeat.",
            "The revenue of the Dunn mill in 2020 was $41,000.",
        ),
        (
            "邓恩磨坊2020年的营收是多少？",
            "邓恩磨坊2020年磨了900袋，营收报告里多次提到。",
            "邓恩磨坊2020年的营收是4.1万元。",
        ),
    ],
    ids=["English", "Chinese"],
)
def test_the_offline_writer_declines_what_measures_something_else(
    question: str, near_miss: str, right: str
) -> None:
    alone = compiled(None, offline(), passages=store_of({"mill": near_miss}))
    both = compiled(None, offline(), passages=store_of({"mill": near_miss, "books": right}))

    assert alone.invoke({"question": question})["answer"]["outcome"] == "refused"
    assert right in both.invoke({"question": question})["answer"]["text"]
