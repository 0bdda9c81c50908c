"""Servers that refuse what others take."""

from __future__ import annotations

from typing import Any

import pytest
from judges.asking import YES, Asker, grade, model, write
from langchain_core.language_models import FakeListChatModel
from loopback import Loopback

from ragloop.nodes.judges.ask import AskOptions, aask, ask
from ragloop.nodes.judges.endpoint import Endpoint
from ragloop.nodes.judges.ladder import Ladder
from ragloop.nodes.judges.meter import Meter

NO_SCHEMA = {
    "if": "response_format.type=json_schema",
    "message": "This response_format type is unavailable now",
}
NO_FORMAT = {"if": "response_format present", "message": "response_format is not supported"}
NO_TOOLS = {
    "if": "tools present",
    "message": '"auto" tool choice requires --enable-auto-tool-choice to be set',
}
NO_HEAT = {
    "if": "temperature present and != 1",
    "code": "unsupported_value",
    "message": "Unsupported value: 'temperature' does not support 0 with this model.",
}
NO_NEW_NAME = {
    "if": "max_completion_tokens present",
    "message": "Extra inputs are not permitted: max_completion_tokens",
}
NO_OLD_NAME = {
    "if": "max_tokens present",
    "message": "'max_tokens' is not supported, use 'max_completion_tokens' instead.",
}
NO_LOGPROBS = {
    "if": "logprobs present",
    "status": 403,
    "message": "You are not allowed to request logprobs from this model",
}


@pytest.mark.parametrize(
    ("rules", "rung", "refused"),
    [
        pytest.param([], "json_schema", 0, id="takes all"),
        pytest.param([NO_SCHEMA], "function_calling", 1, id="no json_schema"),
        pytest.param([NO_SCHEMA, NO_TOOLS], "json_object", 2, id="only json_object"),
        pytest.param([NO_FORMAT, NO_TOOLS], "text", 3, id="only text"),
        pytest.param([NO_HEAT], "json_schema", 1, id="no temperature"),
        pytest.param([NO_OLD_NAME], "json_schema", 1, id="no max_tokens"),
        pytest.param([NO_OLD_NAME, NO_NEW_NAME], "json_schema", 2, id="no limit at all"),
        pytest.param([NO_LOGPROBS], "json_schema", 2, id="no logprobs"),
    ],
)
def test_a_refusal_is_met_once_not_once_for_each_document(
    rules: list[Any], rung: str, refused: int
) -> None:
    with Loopback(reject=rules) as server:
        asker = Asker(server)

        replies = asker.ask(grade(6), temperature=0.0)

        assert [(reply.label, reply.rung) for reply in replies] == [("yes", rung)] * 6
        assert server.refused() == refused
        assert asker.meter.used.calls == server.calls() == 6 + refused


def test_a_refusal_that_names_nothing_is_answered_with_the_plainest_request() -> None:
    rule = {"if": "response_format present", "message": "Bad request"}
    with Loopback(reject=[rule]) as server:
        asker = Asker(server)

        replies = asker.ask(grade(3), temperature=0.0)

        assert [reply.label for reply in replies] == ["yes"] * 3
        assert server.refused() == 1


def test_a_refused_prompt_costs_only_itself() -> None:
    odd = {"status": 400, "body": {"error": {"message": "Invalid prompt"}}}
    with Loopback({"judge": [{"by_text": {"number 2 ": odd, "*": YES}}]}) as server:
        asker = Asker(server)

        replies = asker.ask(grade(4))

        assert [reply.label for reply in replies] == ["yes", "yes", "", "yes"]
        assert (replies[2].finish, replies[2].error) == ("failed", "400 Invalid prompt")
        assert asker.ladder.rung(asker.endpoint) == "json_schema"


def test_another_model_of_the_same_server_need_not_find_out_again() -> None:
    with Loopback(reject=[NO_SCHEMA, NO_TOOLS]) as server:
        asker = Asker(server, "judge")
        asker.ask(grade(2))

        replies = ask(
            grade(5),
            model(server, "other"),
            meter=Meter(),
            ladder=asker.ladder,
            options=AskOptions(),
        )

        assert [reply.rung for reply in replies] == ["json_object"] * 5
        assert server.refused() == 2


def test_a_rung_can_be_set() -> None:
    with Loopback({"judge": ["Yes."]}) as server:
        replies = Asker(server).ask(grade(2), structured="text")

        assert [reply.label for reply in replies] == ["yes", "yes"]
        assert "Reply with one word" in server.chats()[0]["messages"][0]["content"]
        assert "response_format" not in server.chats()[0]


def test_a_tool_is_asked_for_by_name_and_content_is_read_as_well() -> None:
    with Loopback({"judge": [YES]}) as server:
        replies = Asker(server).ask(grade(), structured="function_calling")

        assert replies[0].label == "yes"
        assert server.chats()[0]["tool_choice"]["function"]["name"] == "Relevance"


def test_a_server_without_tools_is_noted_once_with_its_own_words() -> None:
    with Loopback(reject=[NO_TOOLS]) as server:
        asker = Asker(server)

        replies = asker.ask(grade(4), structured="function_calling")

        assert [reply.label for reply in replies] == ["yes"] * 4
        assert len(asker.ladder.notes) == 1
        assert "--enable-auto-tool-choice" in asker.ladder.notes[0]


def test_without_a_temperature_none_is_sent() -> None:
    with Loopback(reject=[NO_HEAT]) as server:
        Asker(server).ask(grade(2), temperature=None)

        assert server.refused() == 0
        assert all("temperature" not in chat for chat in server.chats())


def test_a_temperature_of_the_model_itself_goes_when_the_server_refuses_it() -> None:
    with Loopback(reject=[NO_HEAT]) as server:
        replies = Asker(server, temperature=0.3).ask(grade(3))

        assert [reply.label for reply in replies] == ["yes"] * 3
        assert server.refused() == 1


def test_the_cap_reaches_the_server_under_the_old_name() -> None:
    with Loopback(reject=[NO_NEW_NAME]) as server:
        Asker(server, "writer", max_tokens=999).ask(write())

        assert server.chats()[0]["max_tokens"] == 64
        assert server.refused() == 0


def test_one_user_message_is_sent_and_no_system_role() -> None:
    rule = {
        "if": "first role is system or two equal roles in a row",
        "message": "Conversation roles must alternate",
    }
    with Loopback(reject=[rule]) as server:
        Asker(server, "writer").ask(write())

        assert [m["role"] for m in server.chats()[0]["messages"]] == ["user"]
        assert server.refused() == 0


def test_any_other_chat_model_will_do() -> None:
    chat = FakeListChatModel(responses=["Yes.", "no", "**yes**"])
    ladder = Ladder()
    meter = Meter()

    replies = ask(grade(3), chat, meter=meter, ladder=ladder, options=AskOptions(max_concurrency=1))

    assert [reply.label for reply in replies] == ["yes", "no", "yes"]
    assert meter.used.calls == 3
    assert ladder.rung(Endpoint(chat)) == "text"


async def test_any_other_chat_model_will_do_on_a_loop_and_streams() -> None:
    chat = FakeListChatModel(responses=["At 07:40."])
    passed: list[str] = []

    replies = await aask(
        write(stream=True),
        chat,
        meter=Meter(),
        ladder=Ladder(),
        options=AskOptions(),
        on_token=passed.append,
    )

    assert "".join(passed) == replies[0].text == "At 07:40."
    assert len(passed) > 1


def test_a_prompt_over_the_window_fails_alone_and_the_rung_stays() -> None:
    long = {
        "status": 400,
        "body": {
            "error": {
                "code": "context_length_exceeded",
                "message": "maximum context length is 4097 tokens (50 in the functions)",
            }
        },
    }
    with Loopback({"judge": [{"by_text": {"number 1 ": long, "*": YES}}]}) as server:
        asker = Asker(server)

        replies = asker.ask(grade(3), structured="function_calling")

        assert [reply.finish for reply in replies] == ["stop", "failed", "stop"]
        assert asker.ladder.rung(asker.endpoint) == "function_calling"
        assert server.calls() == 3
