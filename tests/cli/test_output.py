"""What people and programs read."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from ragloop.cli.output import answer_text, forgive_encodings, from_shell, say_json, summary


def an_answer(**changes: Any) -> Any:
    return {
        "text": "It leaves at 07:40 [1].",
        "outcome": "answered",
        "route": "passages",
        "citations": [
            {
                "marker": 1,
                "source": "ferry.txt",
                "section": "Times",
                "quote": "leaves Tarn\npier at 07:40",
            }
        ],
        "rounds": 1,
        "stopped_by": "done",
        "spent": {"calls": 2, "input_tokens": 300, "output_tokens": 1, "seconds": 0.5},
        **changes,
    }


def test_an_answer_is_its_text_and_then_its_numbered_sources() -> None:
    text = answer_text(an_answer())

    assert text.splitlines() == [
        "It leaves at 07:40 [1].",
        "",
        '[1] ferry.txt > Times: "leaves Tarn pier at 07:40"',
    ]


def test_an_answer_without_citations_is_its_text_alone() -> None:
    assert answer_text(an_answer(citations=[], text="你好！")) == "你好！"


def test_the_summary_says_how_it_ended_and_what_it_cost() -> None:
    assert summary(an_answer()) == (
        "(answered, route passages, 1 round, 2 model calls, 301 tokens, 0.50 s)"
    )


def test_the_summary_names_the_limit_that_ended_it() -> None:
    assert "stopped by max_calls" in summary(an_answer(stopped_by="max_calls"))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "gbk", "cp1252"])
def test_json_stays_json_in_every_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, newline=""))

    say_json({"text": "✅ 渡轮 — 😀"})

    assert json.loads(raw.getvalue().decode(encoding)) == {"text": "✅ 渡轮 — 😀"}


def test_signs_that_a_console_lacks_come_out_as_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))

    forgive_encodings()
    sys.stdout.write("✅ At 07:40")
    sys.stdout.flush()

    assert raw.getvalue() == b"\\u2705 At 07:40"


def test_an_argument_is_read_as_utf_8_whatever_the_console_says() -> None:
    as_seen_by_an_ascii_console = "渡轮".encode().decode("ascii", "surrogateescape")

    assert from_shell(as_seen_by_an_ascii_console) == "渡轮"


def test_bytes_that_are_no_text_become_a_mark() -> None:
    assert from_shell("ferry \udcff leave") == "ferry \ufffd leave"
