"""The five sources of duplicates, the pairs that only look like duplicates, and the vetoes."""

from __future__ import annotations

from typing import Any

import pytest

from ragloop.nodes.context import select
from ragloop.nodes.context.candidates import read_candidates
from ragloop.nodes.context.duplicates import Distinct, Rules, remove_duplicates
from ragloop.nodes.context.likeness import overlap, shingles
from ragloop.nodes.context.units import units

EN = (
    "The ferry company sells day tickets at the pier. A day ticket costs four crowns and is valid "
    "until midnight. Children under six travel free with an adult. Bicycles need a ticket of their "
    "own, which the crew sells on board. Dogs are welcome on the open deck, but stay on a lead."
)
ZH = (
    "渡轮公司在码头出售日票。日票票价四元，当日午夜前有效。六岁以下儿童由成人陪同可免费乘船。"
    "自行车需要单独购票，可在船上向船员购买。狗可以待在露天甲板上，但必须拴好牵引绳。"
)
BOTH = pytest.mark.parametrize("text", [EN, ZH], ids=["en", "zh"])


def piece(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "document_id": name, "text": text, "score": 0.5} | more


def distinct(*rows: dict[str, Any], **rules: Any) -> Distinct:
    return remove_duplicates(read_candidates(rows), Rules(**rules))


def kept(result: Distinct) -> list[str]:
    return sorted(candidate.id for candidate in result.kept)


@BOTH
def test_adjacent_pieces_lose_the_seam_they_share(text: str) -> None:
    middle, seam = len(text) // 2, len(text) // 10
    first = piece(
        "a", text[: middle + seam], document_id="d", start=0, end=middle + seam, score=0.9
    )
    second = piece("b", text[middle:], document_id="d", start=middle, end=len(text))

    result = distinct(first, second, layers=("structural",))

    parts = sorted(result.kept, key=lambda c: c.start)
    assert "".join(c.text for c in parts) == text
    assert parts[1].start == middle + seam


@BOTH
def test_a_child_goes_into_its_parent_where_jaccard_sees_nothing(text: str) -> None:
    child = text[: len(text) // 4]
    rows = (
        piece("child", child, document_id="d", start=0, end=len(child), score=0.9),
        piece("parent", text, document_id="d", start=0, end=len(text), score=0.4),
    )
    jaccard = overlap(*(shingles(units(r["text"].lower())) for r in rows)).jaccard

    result = distinct(*rows, layers=("structural",))

    assert jaccard < 0.6
    assert kept(result) == ["parent"]
    assert result.kept[0].relevance == 1.0
    assert result.merges[0].why == "duplicate: lies inside parent"


@BOTH
def test_the_newest_version_of_a_section_wins_against_a_better_score(text: str) -> None:
    changed = text.replace("four", "five").replace("四元", "五元")
    rows = (
        piece("old", text, document_id="d", section="Prices", version="1.9", score=0.9),
        piece("new", changed, document_id="d", section="Prices", version="1.10", score=0.2),
    )

    result = distinct(*rows, layers=("structural",))

    assert kept(result) == ["new"]
    assert result.conflicts == []


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("How do I buy a day ticket for the ferry?", "Where can I get a ferry day ticket?"),
        ("怎么购买渡轮日票？", "渡轮的日票在哪里买？"),
    ],
    ids=["en", "zh"],
)
def test_question_variants_need_the_semantic_layer(one: str, two: str) -> None:
    rows = (piece("a", one, vector=[1.0, 0.2], score=0.9), piece("b", two, vector=[1.0, 0.25]))

    assert kept(distinct(*rows, layers=("structural", "literal"))) == ["a", "b"]
    assert kept(distinct(*rows)) == ["a"]


@BOTH
def test_a_reprint_goes_and_the_copy_with_fuller_metadata_stays(text: str) -> None:
    rows = (
        piece("bare", text, score=0.9),
        piece("full", text + " Reprinted.", title="Tickets", date="2024-05-01", source="b.example"),
    )

    result = distinct(*rows, layers=("literal",))

    assert kept(result) == ["full"]
    assert result.merges[0].kind == "reprint"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (
            "Authentication of the Tarn API: send your key in the header of each request. Keys are "
            "made on the settings page and can be revoked there.",
            "Rate limits of the Tarn API: each key may send a hundred requests a minute. Requests "
            "above the limit get an error and may be sent again later.",
        ),
        (
            "塔恩接口的身份验证：每个请求都要在请求头中带上密钥。密钥在设置页面创建，也可以在那里撤销。",
            "塔恩接口的速率限制：每个密钥每分钟可以发送一百个请求。超过限制的请求会返回错误，可稍后重试。",
        ),
    ],
    ids=["en", "zh"],
)
def test_two_aspects_of_one_topic_both_stay(one: str, two: str) -> None:
    rows = (piece("auth", one, vector=[1.0, 0.3]), piece("limits", two, vector=[1.0, 0.85]))

    assert kept(distinct(*rows)) == ["auth", "limits"]


@pytest.mark.parametrize(
    ("one", "two", "about"),
    [
        (EN.replace("four", "14"), EN.replace("four", "30"), "number"),
        (ZH.replace("四元", "14元"), ZH.replace("四元", "30元"), "number"),
        (EN, EN.replace("Dogs are welcome", "Dogs are not welcome"), "negation"),
        (ZH, ZH.replace("狗可以", "狗不可以"), "negation"),
        (EN + " Sold since May 2021.", EN + " Sold since June 2021.", "number"),
    ],
    ids=["number-en", "number-zh", "negation-en", "negation-zh", "date-en"],
)
def test_sources_that_contradict_each_other_both_stay_and_are_reported(
    one: str, two: str, about: str
) -> None:
    a, b = (shingles(units(text.lower())) for text in (one, two))

    result = distinct(piece("a", one), piece("b", two))

    assert overlap(a, b).jaccard > 0.6
    assert kept(result) == ["a", "b"]
    assert [c["about"] for c in result.conflicts] == [about]
    assert result.conflicts[0]["passage_ids"] == ["a", "b"]


def test_two_rows_of_one_document_that_differ_in_a_number_are_two_things() -> None:
    row = "The day ticket of the northern line of the Tarn ferry company costs {} crowns in summer."
    rows = (
        piece("a", row.format(4), document_id="d", start=0, end=80),
        piece("b", row.format(9), document_id="d", start=100, end=180),
    )

    result = distinct(*rows)

    assert kept(result) == ["a", "b"]
    assert result.conflicts == []


@pytest.mark.parametrize("text", ["Yes.", "是的。", "Not before ten.", "不行"])
def test_identical_short_answers_are_copies(text: str) -> None:
    assert kept(distinct(piece("a", text), piece("b", text))) == ["a"]


def test_each_layer_is_a_switch_of_its_own() -> None:
    rows = (piece("a", EN, vector=[1.0, 0.0]), piece("b", EN + " Again.", vector=[1.0, 0.0]))

    assert kept(distinct(*rows, layers=())) == ["a", "b"]
    assert kept(distinct(*rows, layers=("structural",))) == ["a", "b"]
    assert len(kept(distinct(*rows, layers=("literal",)))) == 1
    assert len(kept(distinct(*rows, layers=("semantic",)))) == 1


def test_a_kind_that_helped_before_may_keep_one_extra_copy() -> None:
    rows = [piece(f"p{at}", EN + f" {'Again. ' * at}") for at in range(3)]

    assert len(kept(distinct(*rows, extra_copies=("reprint",)))) == 2


def test_an_independent_source_that_agrees_comes_in_on_the_reserve() -> None:
    one = piece("a", "The Brell ferry leaves at 07:40.", source="one.example", vector=[1.0, 0.0])
    two = piece(
        "b", "Departure of the Brell boat: 07:40 sharp.", source="two.example", vector=[1.0, 0.01]
    )
    question = "When does the Brell ferry leave?"

    backed = select([one, two], question, 400)
    same_source = select([one, two | {"source": "one.example"}], question, 400)

    assert len(backed.agreeing) == 1
    assert len(backed.passages) == 2
    assert len(same_source.passages) == 1
    assert select([one, two], question, 400, agreement_share=0.0).agreeing == []


def test_every_drop_is_explained() -> None:
    rows = [
        piece("a", EN, score=0.9),
        piece("b", EN),
        piece("blank", "  "),
        piece("far", "莱拉的茶。" * 200),
    ]

    dropped = {
        d["passage_id"]: d["why"] for d in select(rows, "day ticket", 300, trim=False).dropped
    }

    assert dropped == {
        "b": "duplicate: the same text as a",
        "blank": "no text",
        "far": "over the budget",
    }
