"""Words passed on as they are written, through a real client and a real server."""

from __future__ import annotations

import json
from typing import Any, TypedDict

import pytest
from judges.asking import YES, Asker, grade, write
from langgraph.graph import END, START, StateGraph
from loopback import Loopback

PLAIN = "The ferry leaves at 07:40. [1]"
DONE = json.dumps({"answerable": True, "answer": PLAIN, "missing": ""})
NONE = json.dumps({"answerable": False, "answer": "There is nothing.", "missing": "the time"})


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        pytest.param({"stream": ["The ferry ", "leaves at ", "07:40. [1]"]}, PLAIN, id="words"),
        pytest.param({"content": DONE}, PLAIN, id="JSON"),
        pytest.param({"stream": [*DONE]}, PLAIN, id="JSON, a character a chunk"),
        pytest.param({"content": f"```json\n{DONE}\n```"}, PLAIN, id="JSON in a fence"),
        pytest.param({"content": f"<think>Hm, 07:40?</think>\n{PLAIN}"}, PLAIN, id="thoughts"),
        pytest.param({"content": NONE}, "", id="unanswerable"),
        pytest.param({"content": "渡轮07:40开船。"}, "渡轮07:40开船。", id="Chinese"),
        pytest.param({"tool_args": json.loads(DONE)}, PLAIN, id="a tool call"),
        pytest.param({"content": "\n\n  At 07:40.\n"}, "At 07:40.", id="space around"),
    ],
)
async def test_what_was_passed_on_is_the_text(reply: dict[str, Any], text: str) -> None:
    with Loopback({"writer": [reply]}) as server:
        asker = Asker(server, "writer")

        blocking = asker.ask(write(stream=True))[0]
        passed = "".join(asker.passed)
        awaited = (await asker.aask(write(stream=True)))[0]

        assert (blocking.text, passed) == (text, text)
        assert (awaited.text, "".join(asker.passed)) == (text, text)
        assert blocking.fields["answerable"] is bool(text)


def test_words_come_one_after_the_other() -> None:
    with Loopback({"writer": [{"stream": ["a", " b", " c"], "gap_s": 0.02}]}) as server:
        asker = Asker(server, "writer")

        asker.ask(write(stream=True))

        assert asker.passed == ["a", " b", " c"]


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param({"no_finish": True}, id="no finish mark"),
        pytest.param({"finish_reason": "length"}, id="the token limit"),
        pytest.param({"drop_after": 700}, id="a broken connection"),
    ],
)
async def test_a_stream_without_its_end_is_cut_off_not_whole(ending: dict[str, Any]) -> None:
    with Loopback({"writer": [{"stream": ["The ferry "] * 20, **ending}]}) as server:
        asker = Asker(server, "writer")

        blocking = asker.ask(write(stream=True))[0]
        passed = "".join(asker.passed)
        awaited = (await asker.aask(write(stream=True)))[0]

        assert (blocking.finish, awaited.finish) == ("cut off", "cut off")
        assert blocking.text == passed != ""
        assert awaited.text == "".join(asker.passed)
        assert server.calls() == 2


def test_a_stream_that_breaks_before_its_first_word_is_tried_again() -> None:
    with Loopback({"writer": [{"stream": ["x"], "drop_after": 0}, PLAIN]}) as server:
        asker = Asker(server, "writer")

        reply = asker.ask(write(stream=True))[0]

        assert (reply.finish, "".join(asker.passed)) == ("stop", PLAIN)
        assert server.calls() == reply.usage.calls == 2


@pytest.mark.parametrize(("second", "text"), [(PLAIN, PLAIN), (NONE, "")])
def test_an_empty_stream_is_asked_for_as_one_and_still_passed_on(second: str, text: str) -> None:
    with Loopback({"writer": ["", second]}) as server:
        asker = Asker(server, "writer")

        reply = asker.ask(write(stream=True))[0]

        assert "".join(asker.passed) == reply.text == text
        assert [chat["stream"] for chat in server.chats()] == [True, False]


def test_usage_of_a_stream_is_asked_for_and_done_without_where_refused() -> None:
    rule = {"if": "stream_options present", "message": "unknown field stream_options"}
    with (
        Loopback({"writer": [PLAIN]}) as counted,
        Loopback({"writer": [PLAIN]}, reject=[rule]) as no,
    ):
        with_usage = Asker(counted, "writer").ask(write(stream=True))[0].usage
        asker = Asker(no, "writer")
        without = asker.ask(write(stream=True))[0].usage
        asker.ask(write(stream=True))

        assert with_usage.output_tokens == counted.tokens_out
        assert (without.calls, no.refused()) == (2, 1)
        assert without.output_tokens > 0


def test_a_batch_that_is_not_streamed_passes_nothing_on() -> None:
    with Loopback({"writer": [PLAIN]}) as server:
        asker = Asker(server, "writer")

        asker.ask(write(stream=False))

        assert asker.passed == []


async def test_no_token_of_a_call_reaches_the_message_stream_of_a_graph() -> None:
    class State(TypedDict, total=False):
        labels: list[str]

    with Loopback({"judge": [YES]}) as server:
        asker = Asker(server)

        async def node(state: State) -> State:
            await asker.aask(write(stream=True))
            return {"labels": [r.label for r in await asker.aask(grade(2))]}

        builder = StateGraph(State)
        builder.add_node("node", node)
        builder.add_edge(START, "node")
        builder.add_edge("node", END)
        graph = builder.compile()

        events = [e async for e in graph.astream({}, stream_mode=["messages", "values"])]

        assert [kind for kind, _ in events if kind == "messages"] == []
        assert events[-1][1] == {"labels": ["yes", "yes"]}
        assert [chat["stream"] for chat in server.chats()] == [True, False, False]
