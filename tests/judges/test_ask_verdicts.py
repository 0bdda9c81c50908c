"""Replies that people's judges really gave, through a real client and a real server."""

from __future__ import annotations

from typing import Any

import pytest
from judges.asking import NO, YES, Asker, grade, write
from loopback import Loopback


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        pytest.param("Yes.", "yes", id="a capital and a full stop"),
        pytest.param('```json\n{"binary_score": "no"}\n```', "no", id="a fence"),
        pytest.param(
            "Here is my verdict:\n```\n{'binary_score': 'yes'}\n```\nAnything else?",
            "yes",
            id="single quotes, chatter before and after",
        ),
        pytest.param({"content": YES, "tool_calls": []}, "yes", id="content instead of a tool"),
        pytest.param({"tool_args": {"binary_score": True}}, "yes", id="a boolean"),
        pytest.param({"tool_args": {"score": 1}}, "yes", id="a number"),
        pytest.param({"tool_args": {"binary_score": "relevant"}}, "yes", id="another word"),
        pytest.param({"tool_args": "{'verdict': 'no',}"}, "no", id="broken tool arguments"),
        pytest.param(
            '<think>Could be no. Hmm, no?</think>\n{"binary_score": "yes"}', "yes", id="thoughts"
        ),
        pytest.param(
            'The passage says {"binary_score": "yes"}, which I ignore.\n{"binary_score": "no"}',
            "no",
            id="a verdict quoted from the passage",
        ),
        pytest.param("不相关。", "no", id="Chinese"),
        pytest.param('{"相关": "是"}', "yes", id="a Chinese key"),
    ],
)
def test_a_verdict_is_read_at_the_first_try(reply: Any, label: str) -> None:
    with Loopback({"judge": [reply]}) as server:
        replies = Asker(server).ask(grade())

        assert replies[0].label == label
        assert server.calls() == 1


@pytest.mark.parametrize("reply", ['{"binary_', "The passage is about ferries.", "yes\nno"])
def test_what_cannot_be_read_is_asked_once_more_and_then_unclear(reply: str) -> None:
    with Loopback({"judge": [reply]}) as server:
        replies = Asker(server).ask(grade())

        assert (replies[0].label, replies[0].finish) == ("unclear", "unreadable")
        assert "could not be read" in replies[0].error
        assert server.calls() == replies[0].usage.calls == 2


def test_a_verdict_in_hidden_reasoning_is_asked_for_once_more() -> None:
    hidden = {"content": None, "reasoning_content": YES}
    with Loopback({"judge": [hidden, YES]}) as server:
        replies = Asker(server).ask(grade())

        assert replies[0].label == "yes"
        assert server.calls() == 2


def test_a_server_that_ignores_the_schema_is_asked_in_words() -> None:
    by_words = {"by_text": {"Reply with one word": "yes", "*": "The passage fits well, I find."}}
    with Loopback({"judge": [by_words]}) as server:
        asker = Asker(server)

        replies = asker.ask(grade(4))

        assert [reply.label for reply in replies] == ["yes"] * 4
        assert asker.ladder.rung(asker.endpoint) == "text"
        assert server.calls() == 5


def test_a_reply_without_room_is_named_for_what_it_is() -> None:
    with Loopback({"judge": [{"content": "", "finish_reason": "length"}]}) as server:
        replies = Asker(server).ask(grade())

        assert (replies[0].label, replies[0].finish) == ("unclear", "cut off")
        assert "cut off at the token limit" in replies[0].error


def test_a_model_that_thinks_first_gets_more_room_and_keeps_it() -> None:
    cut = {"content": "", "finish_reason": "length"}
    with Loopback({"judge": [cut, YES]}) as server:
        asker = Asker(server)

        first = asker.ask(grade(max_tokens=16))
        second = asker.ask(grade(max_tokens=16))

        assert (first[0].label, second[0].label) == ("yes", "yes")
        rooms = [chat["max_tokens"] for chat in server.chats()]
        assert rooms[0] == 16
        assert rooms[1] == rooms[2] > 2000


def test_a_model_that_writes_without_end_gets_no_more_room() -> None:
    cut = {"content": '{"verdict": "no", "why": "and and and', "finish_reason": "length"}
    with Loopback({"judge": [cut]}) as server:
        replies = Asker(server).ask(grade(max_tokens=16))

        assert replies[0].finish == "cut off"
        assert [chat["max_tokens"] for chat in server.chats()] == [16]


def test_a_verdict_that_was_cut_off_is_none() -> None:
    cut = {"content": '{"verdict": "yes", "why": "the pass', "finish_reason": "length"}
    with Loopback({"judge": [cut]}) as server:
        replies = Asker(server).ask(grade())

        assert (replies[0].label, replies[0].finish) == ("unclear", "cut off")


def test_thoughts_that_were_cut_off_are_no_answer() -> None:
    cut = {"content": "<think>Let me look at the ferry times", "finish_reason": "length"}
    with Loopback({"writer": [cut]}) as server:
        replies = Asker(server, "writer").ask(write())

        assert (replies[0].text, replies[0].finish) == ("", "cut off")
        assert "Settings.answer_tokens" in replies[0].error


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_a_refusal(stream: bool) -> None:
    refusal = {"content": None, "refusal": "I'm sorry, I can't assist."}
    with Loopback({"writer": [refusal]}) as server:
        replies = Asker(server, "writer").ask(write(stream))

        assert (replies[0].finish, replies[0].text) == ("refused", "")
        assert "can't assist" in replies[0].error


def test_a_filtered_reply_is_a_refusal() -> None:
    with Loopback({"writer": [{"content": "", "finish_reason": "content_filter"}]}) as server:
        replies = Asker(server, "writer").ask(write())

        assert replies[0].finish == "refused"


def test_an_answer_in_plain_words_fills_its_field() -> None:
    with Loopback({"writer": ["<think>07:40?</think>\nAt 07:40. [1]"]}) as server:
        replies = Asker(server, "writer").ask(write())

        assert replies[0].fields == {"answerable": True, "answer": "At 07:40. [1]", "missing": ""}


def test_replies_keep_the_order_of_the_prompts() -> None:
    slow_first = {
        "by_text": {
            f"number {i} ": {"content": YES if i % 2 else NO, "delay_s": (7 - i) / 50}
            for i in range(8)
        }
    }
    with Loopback({"judge": [slow_first]}) as server:
        replies = Asker(server).ask(grade(8))

        assert [reply.label for reply in replies] == ["no", "yes"] * 4
