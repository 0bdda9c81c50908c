"""Strips: verbatim, at sentence ends, in source order, with what they lean on."""

from __future__ import annotations

import pytest

from ragloop.nodes.context.strips import compress_history, cut_strips, leans_on_before, refine

EN = (
    "# Boats\n\nThe Brell ferry leaves at 07:40. It takes 35 minutes. Tea is sold on board. "
    "The weather is fine. The Osk lamp is bright. They used it in 1902."
)
ZH = "# 船\n\n布雷尔渡轮七点四十分出发。它需要三十五分钟。船上卖茶。天气很好。奥斯克灯很亮。"
BOTH = pytest.mark.parametrize("text", [EN, ZH], ids=["en", "zh"])


@BOTH
@pytest.mark.parametrize("size", [1, 2, 3])
def test_strips_are_verbatim_and_in_order(text: str, size: int) -> None:
    strips = cut_strips(text, size)

    assert all(text[s.start : s.end] == s.text for s in strips)
    assert [s.start for s in strips] == sorted(s.start for s in strips)
    assert strips[0].heading
    assert "".join("".join(s.text.split()) for s in strips) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("It takes long.", True),
        ("它很亮。", True),
        ("因此延误。", True),
        ("Item four.", False),
        ("渡轮。", False),
    ],
)
def test_a_pronoun_at_the_start_leans_on_what_was_before(text: str, leans: bool) -> None:
    assert leans_on_before(text) is leans


@pytest.mark.parametrize(
    ("text", "wanted", "before"),
    [(EN, "35 minutes", "The Brell ferry"), (ZH, "三十五分钟", "布雷尔渡轮")],
    ids=["en", "zh"],
)
def test_a_kept_strip_takes_heading_and_antecedent_along(
    text: str, wanted: str, before: str
) -> None:
    passage = {"id": "p", "document_id": "d", "text": text, "start": 100, "end": 100 + len(text)}

    [kept] = refine([passage], lambda strip: float(wanted in strip), 0.5, size=1)

    assert kept["text"].startswith("#")
    assert before in kept["text"]
    assert kept["text"].rstrip().endswith(("minutes.", "分钟。"))
    assert text[kept["start"] - 100 : kept["end"] - 100] == kept["text"]


def test_stretches_apart_become_passages_in_source_order() -> None:
    text = EN.split("\n\n")[1]
    passage = {"id": "p", "document_id": "d", "text": text, "start": 0, "end": len(text)}

    kept = refine([passage], lambda s: float("ferry" in s or "weather" in s), 0.5, size=1)

    assert [p["id"] for p in kept] == ["p@0", f"p@{text.index('The weather')}"]


def test_a_passage_of_which_nothing_helps_is_left_out() -> None:
    assert refine([{"id": "p", "text": EN}], lambda strip: 0.0, 0.5) == []


def test_a_long_history_keeps_what_matters_and_the_last_turns() -> None:
    turns = [
        "I like tea. My ferry is the Brell ferry.",
        "天气很好。",
        "Noted.",
        "When does it leave?",
    ]

    short = compress_history(turns, lambda strip: float("ferry" in strip), 0.5)

    assert short == ["I like tea. My ferry is the Brell ferry.", "Noted.", "When does it leave?"]
