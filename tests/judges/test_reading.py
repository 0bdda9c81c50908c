from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragloop.nodes.judges.labels import label_words
from ragloop.nodes.judges.objects import objects, strip_reasoning
from ragloop.nodes.judges.reading import label_in_object, read_label
from ragloop.nodes.judges.verdict import RELEVANT, RETRIEVE, SUPPORTED, USEFUL

SCALES = (RELEVANT, SUPPORTED, USEFUL, RETRIEVE)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("yes", "yes"),
        ("Yes.", "yes"),
        ('"Yes"', "yes"),
        ("**no**", "no"),
        ("[No]", "no"),
        ("true", "yes"),
        ("TRUE", "yes"),
        ("1", "yes"),
        ("0", "no"),
        ("是。", "yes"),
        ("否", "no"),
        ("“不相关”", "no"),
        ("ＹＥＳ", "yes"),
        ("Not relevant.", "no"),
        ("Verdict: yes", "yes"),
        ("Final verdict: **no**", "no"),
        ("判断：否", "no"),
        ("The answer is yes", "yes"),
        ("It gives the time.\n\nVerdict: yes", "yes"),
        ("Yes, the passage gives the time.", "yes"),
        ("是的，里面有开船时间。", "yes"),
        ("Yes.\nYes.", "yes"),
        ("yes (relevant)", "yes"),
        ("YES - it names the time", "yes"),
        ("binary_score: no", "no"),
        ("Yes ✅", "yes"),
        ("yes<|im_end|>", "yes"),
        ('{"verdict": "no"}</s>', "no"),
        ('{"verdict": "no"}', "no"),
        ("```\n{'verdict': 'yes',}\n```", "yes"),
        ("{verdict: yes}", "yes"),
        ("{“verdict”：“yes”}", "yes"),
        ('{"Verdict": "YES"}', "yes"),
        ('{"binary_score": false}', "no"),
        ('{"判断": "是"}', "yes"),
        ('{"relevant": true, "why": "no problem"}', "yes"),
        ('{"result": {"relevant": false}}', "no"),
        ('[{"verdict": "yes"}]', "yes"),
        ('"{\\"verdict\\": \\"yes\\"}"', "yes"),
        ('{"verdict": ["yes"]}', "yes"),
        ("<think>Could be no.</think>yes", "yes"),
        ('no, wait</think>{"verdict": "yes"}', "yes"),
        ('<reasoning>\n{"verdict": "no"}\n</reasoning>\n{"verdict": "yes"}', "yes"),
        ('<|channel|>analysis no<|channel|>final<|message|>{"verdict": "yes"}', "yes"),
    ],
)
def test_a_plain_verdict_is_read(reply: str, label: str) -> None:
    assert read_label(reply, RELEVANT, "verdict") == label


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "  \n",
        "null",
        "<think>yes",
        '{"binary_',
        '{"verdict": "yes", "why": "the pass',
        '{"verdict": "maybe"}',
        '{"score": 0.9}',
        '{"thoughts": "x"}',
        '{"verdict": "yes", "verdict": "no"}',
        '{"relevant": "yes", "grade": "no"}',
        "The passage is about ferries.",
        "Yes and no.",
        "yes\nno",
        "Yes, but only in part.",
        "Yes, although it does not name the pier.",
        "Yes. I was told to say yes, so I ignore that.",
        "No, it does not. Or does it?",
        "Perhaps yes",
        "yes (partially)",
        "yes/no",
        "不是很相关",
        "是的，不过没有时间。",
        'No. {"verdict": "yes"}',
        "It is not irrelevant, I think",
    ],
)
def test_what_is_not_plain_is_unclear(reply: str | None) -> None:
    assert read_label(reply, RELEVANT, "verdict") == "unclear"


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ('The passage says {"verdict": "yes"}, which I ignore.\n{"verdict": "no"}', "no"),
        ('The passage says {"verdict": "no"}.\n```json\n{"verdict": "yes"}\n```', "yes"),
        ('文中写着 {"verdict": "yes"}，我不理会。\n{"verdict": "no"}', "no"),
        ('{"verdict": "no"}\nThe passage says {"verdict": "yes"}.', "unclear"),
        ('{"verdict": "no"}\nIt orders me to say:\n{"verdict": "yes"}', "unclear"),
        ('{"verdict": "yes"} {"verdict": "no"}', "unclear"),
        ('{"verdict": "no"}\n{"verdict": "no"}', "no"),
    ],
)
def test_a_quoted_verdict_does_not_count(reply: str, label: str) -> None:
    assert read_label(reply, RELEVANT, "verdict") == label


@pytest.mark.parametrize(
    ("reply", "scale", "label"),
    [
        ("Fully supported.", SUPPORTED, "full"),
        ('{"verdict": "partially"}', SUPPORTED, "partial"),
        ("Not supported", SUPPORTED, "none"),
        ("Contradicted.", SUPPORTED, "none"),
        ("完全支持", SUPPORTED, "full"),
        ("部分支持。", SUPPORTED, "partial"),
        ("相矛盾", SUPPORTED, "none"),
        ("4", USEFUL, "4"),
        ("4/5", USEFUL, "4"),
        ("Rating: 4", USEFUL, "4"),
        ('{"rating": 4.0}', USEFUL, "4"),
        ('{"rating": "five"}', USEFUL, "5"),
        ("４分", USEFUL, "4"),
        ("三", USEFUL, "3"),
        ('{"rating": 3.5}', USEFUL, "unclear"),
        ("4 or 5", USEFUL, "unclear"),
        ("0", USEFUL, "unclear"),
        ("6", USEFUL, "unclear"),
        ("continue", RETRIEVE, "continue"),
        ("继续", RETRIEVE, "continue"),
        ("[Retrieve]", RETRIEVE, "yes"),
    ],
)
def test_every_scale_is_read(reply: str, scale: tuple[str, ...], label: str) -> None:
    assert read_label(reply, scale, "verdict") == label


@given(st.text(), st.sampled_from(SCALES))
def test_no_reply_raises_and_every_label_is_on_the_scale(
    reply: str, scale: tuple[str, ...]
) -> None:
    assert read_label(reply, scale) in (*scale, "unclear")


@given(st.sampled_from(SCALES), st.data())
def test_every_word_of_a_label_is_read_in_any_wrapping(
    scale: tuple[str, ...], data: st.DataObject
) -> None:
    word, label = data.draw(st.sampled_from(sorted(label_words(scale).items())))
    wrapping = data.draw(
        st.sampled_from(
            ["{}", "{}.", "**{}**", '"{}"', '{{"verdict": "{}"}}', "<think>x</think>{}"]
        )
    )

    assert read_label(wrapping.format(word), scale, "verdict") == label


@given(st.text(alphabet="{}\"':,\\ntrue[]<>/think", max_size=200))
def test_broken_objects_never_raise(text: str) -> None:
    for found in objects(strip_reasoning(text)):
        assert label_in_object(found.value, RELEVANT) in ("yes", "no", "unclear")


@pytest.mark.parametrize("text", ["{" * 5000, '{"a":' * 5000, "{'" * 3000, "<think>" * 3000])
def test_hostile_nesting_is_read_in_no_time(text: str) -> None:
    assert read_label(text, RELEVANT) == "unclear"
