"""Facts of a sentence, looked up in its evidence by value."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ragloop.nodes.judges.facts import gaps, negation_mismatch
from ragloop.nodes.judges.names import names
from ragloop.nodes.judges.numbers import dates, numbers

SAME = [
    ("It grew 12 percent.", "It grew 12%."),
    ("It grew twelve percent.", "增长百分之十二。"),
    ("two dogs", "2 dogs"),
    ("1,000,000 users", "1 million users"),
    ("1 million users", "有100万用户"),
    ("增长了２．５万", "增长了25,000"),
    ("三百人参加", "300人参加"),
    ("一亿两千万元", "1.2亿元"),
    ("He spoke on March 5, 2021.", "He spoke on 5 March 2021."),
    ("他在2021年3月5日发言。", "2021-03-05 他发言了。"),
    ("It is in the U.S.", "It is in the United States."),
    ("The WHO warned in May.", "The World Health Organization warned in May."),
    ("Barack Obama spoke.", "Mr Obama spoke."),
    ("Officials in Canada agreed.", "Canadian officials agreed."),
    ("The 2018–19 season", "The 2018-2019 season"),
    ("Steps: 1. Open it. 2. Close it.", "Open it, then close it."),
    ("公司在北京市成立。", "公司在北京成立。"),
    ("They use TechCrunch.", "They use Tech Crunch."),
]


@pytest.mark.parametrize(("sentence", "evidence"), SAME, ids=[s for s, _ in SAME])
def test_another_way_to_say_the_same_is_no_gap(sentence: str, evidence: str) -> None:
    assert gaps(sentence, evidence) == []


DIFFERENT = [
    ("It grew 13 percent.", "It grew 12%.", "13 percent"),
    ("Three dogs barked.", "Two dogs barked.", "three"),
    ("It has 14 rooms.", "It has 140 rooms.", "14"),
    ("He spoke on March 6, 2021.", "He spoke on March 5, 2021.", "march 6, 2021"),
    ("公司于2021年3月6日成立。", "公司于2021年3月5日成立。", "2021年3月6日"),
    ("增长百分之十三", "增长12%", "百分之十三"),
    ("The prize went to James Smith.", "The prize went to John Smith.", "James Smith"),
    ("It was made in Paris, France.", "It was made in Lyon.", "Paris"),
    ("总部位于上海。", "总部位于北京。", "上海"),
    ("他写了《红楼梦》。", "他写了《西游记》。", "红楼梦"),
]


@pytest.mark.parametrize(
    ("sentence", "evidence", "gap"), DIFFERENT, ids=[s for s, _, _ in DIFFERENT]
)
def test_a_fact_that_the_evidence_lacks_is_named(sentence: str, evidence: str, gap: str) -> None:
    found = gaps(sentence, evidence)

    assert gap in found


def test_a_number_does_not_match_inside_a_longer_one() -> None:
    assert gaps("It costs 50 euros.", "It costs 1500 euros.") == ["50"]


@pytest.mark.parametrize(
    ("sentence", "evidence", "differs"),
    [
        ("He does not like green tea at breakfast.", "He likes green tea at breakfast.", True),
        ("He likes green tea at breakfast.", "He does not like green tea at breakfast.", True),
        ("He likes green tea at breakfast.", "He likes green tea at breakfast.", False),
        ("他没有参加比赛。", "他参加了比赛。", True),
        ("他没有参加比赛。", "他并未参加比赛。", False),
        ("埃菲尔铁塔不在巴黎。", "埃菲尔铁塔位于法国巴黎，高330米。", True),
        ("No, it does not scan images.", "It does not scan images.", False),
    ],
)
def test_negation_counts_against_the_nearest_sentence(
    sentence: str, evidence: str, differs: bool
) -> None:
    assert negation_mismatch(sentence, evidence) is differs


def test_a_negation_is_let_be_when_another_sentence_agrees() -> None:
    evidence = "Dogs are not allowed in the park. Dogs are allowed in the park."

    assert not negation_mismatch("Dogs are allowed in the park.", evidence)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三百", 300),
        ("两千零五", 2005),
        ("一亿两千万", 120_000_000),
        ("2.5万", 25_000),
        ("100万", 1_000_000),
        ("twenty-five", 25),
        ("two hundred and five", 205),
        ("3.5k", 3500),
        ("$2.5 billion", 2_500_000_000),
        ("３５", 35),
    ],
)
def test_numbers_are_read_by_value(text: str, value: int) -> None:
    found = numbers(f"{text} 人")

    assert [n.value for n in found] == [Decimal(value)]


def test_a_date_is_no_number() -> None:
    text = "On March 5, 2021 there were 40 guests."

    assert [n.said for n in numbers(text)] == ["40"]
    assert [d[:3] for d in dates(text)] == [(2021, 3, 5)]


def test_a_capital_that_only_opens_a_sentence_is_no_name() -> None:
    assert names("Results were good. Marie Curie won.") == ["Marie Curie"]


@pytest.mark.parametrize("evidence", [[], [""], ["  "]])
def test_every_fact_is_a_gap_without_evidence(evidence: list[str]) -> None:
    assert gaps("It was built in 1889.", evidence) == ["1889"]
