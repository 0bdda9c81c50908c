"""The default counter against real tokenizers, where they are installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragloop.stores.tokens import count_tokens

EN = "The Brell ferry leaves Tarn pier at 07:40 and takes 35 minutes; children travel free."
ZH = "布雷尔渡轮七点四十分从塔恩码头出发，航程三十五分钟；儿童免费乘船。"


def test_an_empty_text_has_no_tokens() -> None:
    assert count_tokens("") == 0


@pytest.mark.parametrize(("text", "least", "most"), [(EN, 20, 32), (ZH, 28, 52)], ids=["en", "zh"])
def test_a_sentence_costs_what_tokenizers_make_of_it(text: str, least: int, most: int) -> None:
    assert least <= count_tokens(text) <= most


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_a_text_costs_no_less_than_its_parts_apart_from_their_ends(one: str, two: str) -> None:
    assert count_tokens(one + "\n" + two) >= max(count_tokens(one), count_tokens(two)) - 1


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize(
    ("file", "field"),
    [("clapnq", "passage"), ("cmrc_zh_passages", "text"), ("rgb_zh_refine", "negative")],
)
def test_the_counter_undercounts_no_more_than_it_says(
    name: str, file: str, field: str, shared_data: Path
) -> None:
    encoding = pytest.importorskip(
        "bpe_openai", reason="no tokenizer with its vocabulary inside"
    ).get_encoding(name)
    rows = [
        json.loads(line) for line in (shared_data / f"{file}.jsonl").read_text("utf-8").splitlines()
    ]
    found = [
        text
        for row in rows
        for text in ([row[field]] if isinstance(row[field], str) else row[field])
    ]
    shares = sorted(count_tokens(t) / len(encoding.encode(t)) for t in found if len(t) >= 80)

    assert shares[0] >= 0.80
    assert shares[len(shares) // 100] >= 0.95
