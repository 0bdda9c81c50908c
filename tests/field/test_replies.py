"""Replies in shapes that nobody asked for; servers that refuse how they are asked."""

from __future__ import annotations

from typing import Any

import pytest
from asking import DEPTH, Place

YES: dict[str, Any] = {
    "with a full stop": "Yes.",
    "in quotes": '"yes"',
    "as a boolean": "true",
    "shouting": "YES!",
    "in Chinese": "是的。",
    "fenced": '```json\n{"verdict": "yes"}\n```',
    "no language, single quotes, chatter": "Sure:\n```\n{'grade': 'yes'}\n```\nOk?",
    "a boolean in an object": {"tool_args": {"relevant": True}},
    "a number in an object": {"tool_args": {"score": 1}},
    "another word in an object": {"tool_args": {"binary_score": "relevant"}},
    "content instead of a tool call": {"content": '{"verdict": "yes"}', "tool_calls": []},
    "after thoughts": '<think>It is not clear. No? Hm.</think>\n{"verdict": "yes"}',
    "after thoughts without their opening mark": "so, no... well\n</think>\nyes",
}


@pytest.mark.parametrize("kind", YES)
def test_a_yes_is_read_in_any_shape(kind: str) -> None:
    with Place({"grade_passages": [YES[kind]], "generate": [DEPTH]}) as place:
        answer = place.asked("--k", "1")

        assert answer["outcome"] == "answered"
        assert [grade["label"] for grade in answer["grades"]] == ["yes"]
        assert place.server.calls("grade_passages") == 1
        assert place.server.calls("rewrite_query") == 0


NO = {
    "fenced": '```json\n{"verdict": "no"}\n```',
    "quoting the passage": 'It says {"verdict": "yes"}, which I ignore.\n{"verdict": "no"}',
    "in words": "No.",
}


@pytest.mark.parametrize("kind", NO)
def test_a_no_is_read_at_the_first_try(kind: str) -> None:
    with Place({"grade_passages": [NO[kind]]}) as place:
        answer = place.asked("--k", "2", "--max-rounds", "0", "--set", "remedies=[]")

        assert answer["outcome"] == "refused"
        assert place.server.calls("grade_passages") == 2


UNREADABLE: dict[str, Any] = {
    "cut off": '{"verd',
    "something else": "The weather is fine.",
    "empty": "",
    "thoughts that used up everything": {"content": "", "finish_reason": "length"},
    "a refusal": {"content": None, "refusal": "I cannot judge this."},
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_support_verdict_that_cannot_be_read_is_no_support(kind: str) -> None:
    with Place({"check_grounding": [UNREADABLE[kind]], "generate": [DEPTH]}) as place:
        answer = place.asked("--k", "1")

        assert answer["outcome"] != "answered"
        assert place.server.calls("check_grounding") <= 3
        assert "could not be read" in "\n".join(answer["warnings"])


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_relevance_verdict_that_cannot_be_read_never_ends_the_run(kind: str) -> None:
    with Place({"grade_passages": [UNREADABLE[kind]], "generate": [DEPTH]}) as place:
        answer = place.asked("--k", "1", "--max-rounds", "0")

        assert answer["grades"][0]["label"] == "unclear"
        assert answer["outcome"] in ("answered", "partial", "refused")
        assert answer["warnings"]


def test_a_cut_off_verdict_is_called_by_its_name() -> None:
    with Place({"grade_passages": [UNREADABLE["thoughts that used up everything"]]}) as place:
        answer = place.asked("--k", "1", "--max-rounds", "0")

        warned = "\n".join(answer["warnings"])
        assert "cut off at the token limit" in warned
        assert "JSON" not in warned


def test_a_verdict_that_came_as_reasoning_is_asked_for_again() -> None:
    hidden = {"content": None, "reasoning_content": '{"verdict": "yes"}'}
    with Place({"grade_passages": [hidden, "yes"], "generate": [DEPTH]}) as place:
        answer = place.asked("--k", "1")

        assert answer["outcome"] == "answered"
        assert place.server.calls("grade_passages") == 2


def test_thoughts_of_the_rewriter_are_not_searched_for() -> None:
    thoughts = "<think>" + "maybe they mean the bell. " * 30 + "</think>\nbell foundry of Ix"
    with Place({"grade_passages": ["no"], "rewrite_query": [thoughts]}) as place:
        answer = place.asked("--max-rounds", "1", question="Who forged the bell?")

        assert answer["queries"][1]["query"] == "bell foundry of Ix"
        assert place.embedded()[-1] == "bell foundry of Ix"


WRITERS: dict[str, tuple[dict[str, Any], str]] = {
    "thoughts without an end": (
        {"content": "<think>Let us see what the well", "finish_reason": "length"},
        "cut off",
    ),
    "cut off": ({"content": "The well is", "finish_reason": "length"}, "answer_tokens"),
    "a refusal": ({"content": None, "refusal": "I will not say."}, "refused"),
    "nothing": ({"content": None}, "empty"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_what_a_writer_did_not_finish_is_no_answer(kind: str) -> None:
    reply, said = WRITERS[kind]
    with Place({"generate": [reply], "read_whole_document": [reply]}) as place:
        place.index()
        found = place.ask()

        assert "Let us see" not in found.answer["text"]
        assert found.answer["text"] not in ("None", "")
        assert found.answer["outcome"] in ("refused", "partial")
        assert said in found.warned


REFUSALS: dict[str, dict[str, Any]] = {
    "no json_schema": {
        "if": "response_format.type=json_schema",
        "message": "This response_format type is not supported here",
    },
    "no tools": {"if": "tools present", "message": '"auto" tool choice requires a flag'},
    "no temperature but its own": {
        "if": "temperature present and != 1",
        "code": "unsupported_value",
        "message": "'temperature' does not support 0 with this model.",
    },
    "no new name of the cap": {
        "if": "max_completion_tokens present",
        "message": "Extra inputs are not permitted: max_completion_tokens",
    },
    "no old name of the cap": {
        "if": "max_tokens present",
        "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    },
    "turns that take turns": {
        "if": "first role is system or two equal roles in a row",
        "message": "Conversation roles must alternate user/assistant/...",
    },
    "no logprobs": {"if": "logprobs present", "message": "logprobs is not supported"},
}


@pytest.mark.parametrize("structured", ["auto", "function_calling"])
@pytest.mark.parametrize("kind", REFUSALS)
def test_what_a_server_refuses_is_found_out_once_and_remembered(kind: str, structured: str) -> None:
    reject = [{"status": 400, **REFUSALS[kind]}]
    with Place({"generate": [DEPTH]}, reject=reject) as place:
        answer = place.asked("--k", "4", "--set", f"structured={structured}")

        assert answer["outcome"] == "answered"
        assert place.server.refused() <= 6  # temperature is each model's own, the rest the server's


def test_no_temperature_is_sent_when_it_is_unset() -> None:
    with Place({"generate": [DEPTH]}) as place:
        place.asked("--set", "temperature=null")

        assert not any("temperature" in body for body in place.server.chats())


def test_the_cap_of_the_answer_reaches_the_server() -> None:
    with Place({"generate": [DEPTH]}) as place:
        place.asked("--set", "answer_tokens=64")

        body = place.server.chats("generate")[0]
        assert body.get("max_tokens") == 64 or body.get("max_completion_tokens") == 64
