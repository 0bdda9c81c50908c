"""Typed events, LangGraph's own streams, and runs that nobody reads to the end."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from loopback import Loopback
from small_graph import QUESTION, compiled, store_of
from talking import TalkingModel

from ragloop.graph.events import astream, stream
from ragloop.graph.prompts import DEFAULTS
from ragloop.graph.settings import Settings, preset

ANSWER = "The well is 31 metres deep. [1]"
LIVE = Settings(stream="live")
ONE_BY_ONE = preset("loop", remedies=[], max_concurrency=1)


BOOK = {"well": "The well at Orsa is 31 metres deep. " + "It was dug by hand. " * 600}
"""A document of several passages."""


def talking(settings: Settings | None = None, texts: Any = None, **script: Any) -> Any:
    model = TalkingModel(script={"generate": ANSWER, **script})
    return compiled(model, settings, passages=store_of(texts))


def at_server(server: Loopback, name: str = "loop", **changes: Any) -> Any:
    """A graph whose nodes each ask a model of their own name."""
    models = {node: node for node in DEFAULTS}
    texts = changes.pop("texts", None)
    settings = preset(name, base_url=server.url, models=models, **changes)
    return compiled(None, settings, passages=store_of(texts))


def endless() -> Loopback:
    """A writer that goes on for a minute, a word every fifth of a second."""
    words = [f"word{number} " for number in range(300)]
    return Loopback({"generate": [{"stream": words, "gap_s": 0.2}]})


def test_the_events_of_an_undisturbed_run_come_in_this_order() -> None:
    kinds = [event["event"] for event in stream(talking(), QUESTION)]

    assert list(dict.fromkeys(kinds)) == ["decision", "retrieval", "grades", "token", "answer"]
    assert kinds.count("token") > 3


async def test_the_same_events_come_from_both_ways() -> None:
    app = talking()

    waited = list(stream(app, QUESTION))
    awaited = [event async for event in astream(app, QUESTION)]

    assert [e["event"] for e in waited] == [e["event"] for e in awaited]


def test_a_second_part_follows_what_was_shown_with_markers_of_its_own() -> None:
    app = talking(
        preset("loop", max_rounds=0),
        BOOK,
        check_grounding=["none", "full"],
        read_whole_document="It was dug to 31 metres. [1]",
    )

    events = list(stream(app, QUESTION))

    answer = events[-1]["answer"]
    supplement = next(event["text"] for event in events if event["event"] == "supplement")
    assert answer["text"] == f"{ANSWER}{supplement}"
    assert supplement == "\n\nIt was dug to 31 metres. [2]"
    assert [citation["marker"] for citation in answer["citations"]] == [1, 2]


def test_what_was_shown_and_is_not_borne_out_is_corrected_and_stays() -> None:
    two = "The well is 31 metres deep. [1] It was dug by giants. [1]"
    app = talking(ONE_BY_ONE, generate=two, check_grounding=["full", "none"])

    events = list(stream(app, QUESTION))

    answer = events[-1]["answer"]
    correction = next(event["text"] for event in events if event["event"] == "correction")
    assert answer["text"] == f"{two}{correction}"
    assert "giants" in correction
    assert answer["outcome"] == "partial"


def test_a_refusal_after_words_were_shown_is_a_correction() -> None:
    app = talking(preset("loop", remedies=[]), check_grounding="none")

    events = list(stream(app, QUESTION))

    assert [event["event"] for event in events][-2:] == ["correction", "answer"]
    assert events[-1]["answer"]["outcome"] == "refused"
    assert events[-1]["answer"]["text"].startswith(ANSWER)


def test_checked_words_come_as_one_and_only_what_holds() -> None:
    two = "The well is 31 metres deep. [1] It was dug by giants. [1]"
    app = talking(ONE_BY_ONE, generate=two, check_grounding=["full", "none"])

    events = list(stream(app, QUESTION, mode="checked"))

    texts = [event["text"] for event in events if event["event"] == "token"]
    assert texts == [ANSWER]


def test_each_node_is_an_event_for_those_who_draw_the_path() -> None:
    events = list(stream(talking(), QUESTION, steps=True))

    nodes = [event["node"] for event in events if event["event"] == "step"]
    assert nodes[0] == "restate_question" and nodes[-1] == "finish"


def test_the_settings_of_a_stream_change_only_what_they_name() -> None:
    app = compiled(None, preset("loop", k=2))

    answer = list(stream(app, QUESTION, settings=Settings(max_rounds=0)))[-1]["answer"]

    assert len(answer["queries"][0]["passage_ids"]) == 2


@pytest.mark.parametrize("mode", ["live", "checked"])
async def test_the_custom_stream_of_langgraph_is_the_answer(mode: Any) -> None:
    app, settings = talking(), Settings(stream=mode)

    parts = app.astream({"question": QUESTION}, context=settings, stream_mode="custom")

    assert "".join([part["text"] async for part in parts]) == ANSWER


async def test_the_message_stream_of_langgraph_has_the_answer_once_and_no_judge() -> None:
    parts = talking().astream(
        {"messages": [("user", QUESTION)]}, context=LIVE, stream_mode="messages"
    )

    told = [(about["langgraph_node"], message.text) async for message, about in parts]

    assert told == [("finish", ANSWER)]


async def test_the_event_stream_of_langchain_has_the_words_and_marks_raw_tokens() -> None:
    events = talking().astream_events(
        {"question": QUESTION}, context=LIVE, version="v2", stream_mode=["custom"]
    )

    words, raw = [], []
    async for event in events:
        if event["event"] == "on_chain_stream" and event["name"] == "LangGraph":
            words.append(event["data"]["chunk"][1]["text"])
        elif event["event"].startswith("on_chat_model"):
            raw.append("nostream" in event["tags"])

    assert "".join(words) == ANSWER
    assert raw and all(raw)


@pytest.mark.parametrize("name", ["plain", "check", "self_route"])
def test_without_grading_the_first_word_waits_for_one_call_only(name: str) -> None:
    with Loopback({"generate": [{"stream": ["The ", ANSWER]}]}) as server:
        for event in stream(at_server(server, name), QUESTION):
            if event["event"] == "token":
                asked = [request["model"] for request in server.chats()]
                break

    assert asked == ["generate"]


def test_graded_passages_are_one_layer_before_the_first_word() -> None:
    with Loopback({"generate": [{"stream": ["The ", ANSWER]}]}) as server:
        for event in stream(at_server(server), QUESTION):
            if event["event"] == "token":
                asked = [request["model"] for request in server.chats()]
                break

    assert asked == ["grade_passages"] * 4 + ["generate"]


def test_a_stream_that_is_closed_ends_the_writing_and_makes_no_further_call() -> None:
    with endless() as server:
        events = stream(at_server(server), QUESTION)
        next(event for event in events if event["event"] == "token")
        events.close()  # type: ignore[attr-defined]
        asked = {request["model"] for request in server.chats()}

    assert asked == {"grade_passages", "generate"}


async def test_a_task_that_is_cancelled_ends_the_call_under_way() -> None:
    with endless() as server:
        app = at_server(server)
        first = asyncio.Event()

        async def read() -> None:
            async for event in astream(app, QUESTION):
                if event["event"] == "token":
                    first.set()

        reading = asyncio.create_task(read())
        await first.wait()
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        while server.under_way:
            await asyncio.sleep(0.02)
        asked = {request["model"] for request in server.chats()}

    assert asked == {"grade_passages", "generate"}


async def test_grading_that_is_cancelled_ends_every_call_of_it() -> None:
    with Loopback({"grade_passages": [{"content": "yes", "delay_s": 60}]}) as server:
        app = at_server(server, structured="text")
        running = asyncio.create_task(app.ainvoke({"question": QUESTION}))
        while server.calls() < 1:
            await asyncio.sleep(0.02)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        before = server.calls()
        await asyncio.sleep(0.2)

    assert server.calls() == before <= 4


@pytest.mark.parametrize("way", ["no_finish", "drop_after"])
def test_a_connection_lost_in_mid_answer_leaves_no_whole_answer(way: str) -> None:
    lost: dict[str, Any] = {"stream": ["The well ", "is 31 ", "metres"], way: 700}
    with Loopback({"generate": [lost]}) as server:
        events = list(stream(at_server(server, "plain", retries=0), QUESTION))

    answer = events[-1]["answer"]
    assert answer["outcome"] == "refused"
    assert answer["text"].startswith("The well")
    assert [event["event"] for event in events][-2] == "correction"
    assert any("generate" in warning for warning in answer["warnings"])


def test_after_a_lost_connection_the_next_draft_is_a_part_of_its_own() -> None:
    lost = {"stream": ["The well [1] ", "is 31 ", "metres"], "no_finish": True}
    reading = {"content": "It is 31 metres deep. [1]"}
    with Loopback({"generate": [lost], "read_whole_document": [reading]}) as server:
        app = at_server(server, "self_route", retries=0, texts=BOOK)
        events = list(stream(app, QUESTION))

    answer = events[-1]["answer"]
    assert answer["text"] == "The well [1] is 31 metres\n\nIt is 31 metres deep. [2]"
    assert {citation["marker"] for citation in answer["citations"]} == {1, 2}


def test_a_stream_can_be_kept_in_a_thread() -> None:
    app = compiled(TalkingModel(script={"generate": ANSWER}), checkpointer=InMemorySaver())
    where: Any = {"configurable": {"thread_id": "t"}}

    list(stream(app, QUESTION, where))

    saved = list(app.get_state_history(where))
    assert saved[0].values["answer"]["text"] == ANSWER
    assert not any("reader_gone" in str(step.metadata) for step in saved)
