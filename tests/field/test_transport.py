"""Servers that are busy, silent, out of quota, or in pieces; keys that must not be shown."""

from __future__ import annotations

import time
from typing import Any

import pytest
from asking import DEPTH, Place

BUSY = {
    "status": 429,
    "headers": {"Retry-After": "0.1"},
    "body": {"error": {"code": "rate_limit_exceeded", "message": "slow down"}},
}
KEY = "sk-test-a1b2c3d4e5f6a7b8"


def test_a_grade_that_met_a_busy_server_is_not_lost() -> None:
    script = {"grade_passages": ["yes", {**BUSY, "times": 2}, "yes"], "generate": [DEPTH]}
    with Place(script) as place:
        answer = place.asked("--k", "4")

        assert [grade["label"] for grade in answer["grades"]] == ["yes"] * 4


def test_a_grade_that_could_not_be_had_is_named() -> None:
    script = {"grade_passages": ["yes", {**BUSY, "times": 50}], "generate": [DEPTH]}
    with Place(script) as place:
        answer = place.asked("--k", "4", "--retries", "1", "--set", "max_concurrency=1")

        assert len(answer["grades"]) == 4
        assert "429" in "\n".join(answer["warnings"])


def test_out_of_quota_stops_at_once_and_says_so() -> None:
    empty = {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}
    with Place({"*": [{"status": 429, "body": empty}]}) as place:
        place.index()
        found = place.run("ask", "How deep?", *place.where(), "--model", "any")

        assert "quota" in found.error
        assert found.code == 1
        assert place.server.calls() <= 2


@pytest.mark.parametrize("node", ["grade_passages", "generate"])
def test_a_server_that_never_answers_is_given_up_with_the_step_named(node: str) -> None:
    with Place({node: [{"delay_s": 60}]}) as place:
        place.index()
        began = time.monotonic()
        found = place.ask(
            "How deep is the well?", "--timeout", "0.5", "--retries", "1", as_json=False
        )

        assert "timed out" in found.err
        assert node in found.err
        assert found.code == 1
        assert time.monotonic() - began < 30


def test_an_error_inside_a_200_is_tried_again() -> None:
    hidden = {"id": None, "choices": None, "error": {"code": 429, "message": "overloaded"}}
    with Place({"generate": [{"status": 200, "body": hidden}, DEPTH]}) as place:
        answer = place.asked()

        assert answer["outcome"] == "answered"
        assert place.server.calls("generate") == 2


def test_a_refused_key_costs_one_call_and_is_shown_nowhere(monkeypatch: Any) -> None:
    said = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    with Place({"*": [{"status": 401, "body": said}]}) as place:
        place.index()
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        found = place.run(
            *("ask", "How deep?", *place.where(), "--model", "any", "--trace"),
            *("--checkpoint", "t.sqlite", "--thread", "t"),
        )

        assert place.server.calls() == 1
        assert "key" in found.err and KEY not in found.err + found.out
        saved = b"".join(part.read_bytes() for part in place.folder.glob("t.sqlite*"))
        assert saved and KEY.encode() not in saved


def test_nobody_at_the_address_is_one_line() -> None:
    with Place() as place:
        place.index()
        found = place.run(
            *("ask", "How deep?", "--store", "store", "--embed-model", "words"),
            *("--base-url", "http://127.0.0.1:9/v1", "--model", "any"),
        )

        assert found.code == 1
        assert "127.0.0.1:9" in found.error


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 200, "body": {"hello": "world"}},
        {"status": 200, "body": []},
        {"status": 500, "body": {"error": {"message": "oops"}}},
        {"content": DEPTH, "drop_after": 40},
    ],
    ids=["another object", "a list", "500", "cut in the middle"],
)
def test_rubbish_is_one_line(reply: dict[str, Any]) -> None:
    with Place({"*": [reply]}) as place:
        place.index()
        found = place.run("ask", "How deep?", *place.where(), "--model", "any", "--retries", "0")

        assert found.code == 1
        assert "Traceback" not in found.err
        assert len(found.err.strip().splitlines()) <= 3


NOTE = "Note {}. The well is 31 metres deep. " + "filler word " * 195


@pytest.mark.parametrize("window", [400, 1_000, 4_000])
def test_passages_that_add_up_to_too_much_are_cut_to_what_the_server_takes(window: int) -> None:
    over = {"status": 400, "code": "context_length_exceeded", "message": "maximum context length"}
    with Place({"generate": [DEPTH]}, max_prompt_words=window, over=over) as place:
        place.index({f"n{n}.txt": NOTE.format(n) for n in range(12)})
        found = place.ask("How deep is the well?", "--k", "12")

        assert found.answer["outcome"] == "answered"


@pytest.mark.parametrize("window", [1_200, 2_000])
def test_no_request_is_longer_than_the_window_that_is_set(window: int) -> None:
    with Place({"generate": [DEPTH]}) as place:
        place.index({f"n{n}.txt": NOTE.format(n) for n in range(12)})
        found = place.ask(
            *("How deep is the well?", "--k", "12", "--context-window", str(window)),
            *("--set", "answer_tokens=100"),
        )

        assert found.answer["outcome"] in ("answered", "partial")
        longest = max(len(prompt.split()) for prompt in place.prompts("generate"))
        assert longest <= window


def test_one_document_larger_than_the_window_is_cut_with_a_word_about_it() -> None:
    over = {"status": 400, "code": "context_length_exceeded", "message": "maximum context length"}
    with Place({"generate": [DEPTH]}, max_prompt_words=4_000, over=over) as place:
        big = "The well is 31 metres deep. " * 3_000
        place.index({"big.txt": big}, "--chunk-words", "100000")
        found = place.ask("How deep is the well?", "--k", "1")

        assert found.answer["outcome"] == "answered"
        assert "ut to" in found.warned
