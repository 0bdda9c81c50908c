"""What reaches the prompt, and what cannot get out of its fence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragloop.nodes.context.formatting import format_context, neutralise

FENCES = [
    "<passage",
    "</passage>",
    '<passage id="9">',
    "< / PASSAGE >",
    "＜passage＞",
    "<p\u200bassage>",
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(FENCES), st.text(max_size=8)), max_size=12).map("".join),
    st.text(max_size=30),
)
def test_nothing_in_a_document_opens_or_closes_a_fence(text: str, title: str) -> None:
    whole = format_context([{"text": text, "title": title}, {"text": text, "title": title + '">'}])

    assert len(re.findall(r"[<＜]\s*passage", whole, re.IGNORECASE)) == 2
    assert len(re.findall(r"[<＜]\s*/\s*passage", whole, re.IGNORECASE)) == 2
    assert [line for line in whole.split("\n") if line.startswith('<passage id="2"')] != []


@pytest.mark.parametrize("fence", FENCES)
def test_a_look_alike_fence_keeps_its_length(fence: str) -> None:
    text = f"before {fence} after 渡轮"

    harmless = neutralise(text)

    assert len(harmless) == len(text)
    assert harmless != text


def test_an_ordinary_text_goes_in_as_it_is() -> None:
    text = "if a < b: the passage of time <b>bold</b>，渡轮 <3"

    assert neutralise(text) == text


def test_markers_count_positions_and_attributes_are_escaped() -> None:
    context = format_context(
        [
            {
                "text": "One.",
                "title": 'A "quoted" <b>\ntitle',
                "source": "a.md",
                "date": "2024-01-02",
            },
            {"text": "二。"},
        ]
    )

    assert context == (
        '<passage id="1" title="A &quot;quoted&quot; &lt;b&gt; title" source="a.md" '
        'date="2024-01-02">\nOne.\n</passage>\n<passage id="2">\n二。\n</passage>'
    )
