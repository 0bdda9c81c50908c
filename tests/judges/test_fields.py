from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragloop.nodes.judges.fields import read_fields
from ragloop.nodes.judges.replies import Rewritten, Support, Written

TEXT = "At 07:40. [1]"


@pytest.mark.parametrize(
    ("reply", "fields"),
    [
        pytest.param(TEXT, (True, TEXT, ""), id="plain words"),
        pytest.param(f"<think>Hm.</think>\n{TEXT}", (True, TEXT, ""), id="thoughts"),
        pytest.param(f"```\n{TEXT}\n```", (True, TEXT, ""), id="a fence"),
        pytest.param(
            f'{{"answerable": true, "answer": "{TEXT}", "missing": ""}}',
            (True, TEXT, ""),
            id="JSON",
        ),
        pytest.param(
            f'{{"answerable": "Yes", "answer": "{TEXT}", "missing": null}}',
            (True, TEXT, ""),
            id="a word for a boolean, null for a text",
        ),
        pytest.param(f'{{"answer": "{TEXT}"}}', (True, TEXT, ""), id="a key left out"),
        pytest.param(
            '{"answerable": false, "missing": "the time"}', (False, "", "the time"), id="no answer"
        ),
        pytest.param('{"answerable": "unanswerable"}', (False, "", ""), id="the word for it"),
        pytest.param('{"answerable": 0, "answer": ""}', (False, "", ""), id="a number"),
        pytest.param('{"answer": ""}', (False, "", ""), id="an empty answer"),
        pytest.param(
            '{"answerable": true, "answer": ["a", "b"]}', (True, "a\nb", ""), id="a list for a text"
        ),
        pytest.param(
            f'{{"name": "Written", "parameters": {{"answerable": true, "answer": "{TEXT}"}}}}',
            (True, TEXT, ""),
            id="a tool call written as text",
        ),
        pytest.param(
            "Put it between <reason> and </reason>.",
            (True, "Put it between <reason> and </reason>.", ""),
            id="a tag of the answer's own",
        ),
        pytest.param(
            'Write {"speed": 3} into the file. [1]',
            (True, 'Write {"speed": 3} into the file. [1]', ""),
            id="an object inside the answer",
        ),
        pytest.param(
            "我不知道 X，但 Y 是 5。", (True, "我不知道 X，但 Y 是 5。", ""), id="Chinese"
        ),
    ],
)
def test_an_answer_is_read(reply: str, fields: tuple[bool, str, str]) -> None:
    read = read_fields(reply, Written, "answer")

    assert read == dict(zip(("answerable", "answer", "missing"), fields, strict=True))


@pytest.mark.parametrize("reply", [None, "", " ", "null", "None", "<think>07:40"])
def test_nothing_is_no_answer(reply: str | None) -> None:
    assert read_fields(reply, Written, "answer") is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"failure": "vocabulary", "queries": ["pier times", "ferry hours"]}',
        '{"failure": "Vocabulary", "queries": "pier times\\nferry hours"}',
        "```json\n{'failure': 'vocabulary', 'queries': ['pier times', 'ferry hours',]}\n```",
    ],
)
def test_new_queries_are_read(reply: str) -> None:
    read = read_fields(reply, Rewritten, "queries")

    assert read == {"failure": "vocabulary", "queries": ["pier times", "ferry hours"]}


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ("<think>a name</think>\nPell tower architect", ["Pell tower architect"]),
        ('1. "pier times"\n2. ferry hours\n', ["pier times", "ferry hours"]),
        ("- 渡轮 时刻\n- 码头", ["渡轮 时刻", "码头"]),
    ],
)
def test_queries_in_plain_lines_are_read(reply: str, queries: list[str]) -> None:
    read = read_fields(reply, Rewritten, "queries")

    assert read == {"failure": "other", "queries": queries}


def test_without_a_text_field_plain_words_are_not_readable() -> None:
    assert read_fields("fully", Support) is None


@given(st.text())
def test_no_reply_raises_and_what_is_read_fits_the_shape(reply: str) -> None:
    read = read_fields(reply, Written, "answer")

    assert read is None or Written.model_validate(read)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
                lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
                max_leaves=4,
            )
            for name in ("failure", "queries")
        },
    )
)
def test_any_value_is_made_to_fit(value: dict[str, object]) -> None:
    read = read_fields(json.dumps(value), Rewritten, "queries")

    assert read is None or Rewritten.model_validate(read)
