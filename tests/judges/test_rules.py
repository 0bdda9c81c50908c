"""Rules that settle a question without sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragloop.nodes.judges.rules import match

SETTLED = [
    ("greeting", "Hello there!"),
    ("greeting", "good morning, how are you?"),
    ("greeting", "你好"),
    ("greeting", "早上好！"),
    ("thanks", "Thanks a lot for your help!"),
    ("thanks", "谢谢你的帮助"),
    ("thanks", "再见"),
    ("about the assistant", "What is your name?"),
    ("about the assistant", "你是谁？"),
    ("arithmetic", "What is 2 + 2?"),
    ("arithmetic", "12加30等于多少"),
    ("arithmetic", "what's 15% of 80"),
    ("dice or coin", "please flip a coin"),
    ("made up", "Write a poem about rain."),
    ("made up", "写一首关于春天的诗"),
    ("made up", "tell me a joke"),
    ("text given", "Rewrite the following sentence politely:\nGive me the report now, I need it."),
    ("text given", "把下面的句子翻译成英文：今天天气很好。"),
    ("words", "how do you say thank you in German"),
    ("code", "Write a Python function that reverses a list."),
    ("code", "编写一个Python函数，计算两个数的和"),
    ("sum in a story", "Tom had 12 apples. He gave 3 to each of 2 friends. How many are left?"),
]


@pytest.mark.parametrize(("rule", "question"), SETTLED, ids=[q[:40] for _, q in SETTLED])
def test_a_rule_settles_what_needs_no_sources(rule: str, question: str) -> None:
    found = match(question)

    assert found is not None
    assert found.id == rule


FACTS = [
    "Hi, who founded IBM?",
    "你好，请问公司年假几天？",
    "thanks! what about Mars?",
    "What is your refund policy?",
    "Can you do returns after 30 days?",
    "How old are you allowed to be to join?",
    "are you from the sales team",
    "What is the probability of a coin landing heads?",
    "How many employees does Acme have, 10, 20 or 30?",
    "24/7 support hours?",
    "9-11",
    "2023年5月1日",
    "Tell me the story of Romulus and Remus.",
    "Who wrote the poem Howl?",
    "列举鲁迅的小说",
    "作者写的小说有哪些",
    "以色列的信仰是什么",
    "对《三体》的评价：豆瓣评分多少",
    "How do I write a function in FastAPI?",
    "Summarize the discussion about the evaluation criteria.",
    'Highlight the parts (if any) of this contract related to "Insurance".',
    "翻译《红楼梦》的人是谁",
    "",
    "   ",
]


@pytest.mark.parametrize("question", FACTS)
def test_a_question_for_a_fact_is_never_caught(question: str) -> None:
    assert match(question) is None


def test_no_fact_question_of_the_evaluation_data_is_caught(shared_data: Path) -> None:
    caught = []
    for path in sorted(shared_data.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            question = row.get("question") or (row["text"] if row.get("category") else None)
            if question and row.get("label") != "no_retrieve" and (rule := match(question)):
                caught.append((rule.id, question))

    assert caught == []


def test_a_very_long_message_is_read_in_a_moment() -> None:
    assert match("so thanks " * 100_000) is None
    assert match("每一共 1 " * 100_000) is None
