"""Conversations: each question starts anew, threads share nothing, and what is saved is small."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from scripted import ScriptedModel, always_no
from small_graph import NOTES, QUESTION, compiled, document, store_of

from ragloop.graph.settings import preset
from ragloop.stores.errors import QuestionError
from ragloop.stores.memory import MemoryStore


def thread(name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


def test_a_second_question_has_its_full_budget_and_only_its_own_passages() -> None:
    grades = ["no"] * 8 + ["yes"] * 4
    model = ScriptedModel(script={**always_no(), "grade_passages": grades})
    settings = preset("loop", max_rounds=1, max_concurrency=1, remedies=["search_again"])
    app = compiled(model, settings, checkpointer=InMemorySaver())

    first = app.invoke({"question": "Who painted the tram?"}, thread("t"))["answer"]
    model.script.update(check_grounding="full", check_usefulness="5", grade_passages="no")
    second = app.invoke({"question": QUESTION}, thread("t"))["answer"]

    assert first["rounds"] == second["rounds"] == 1
    assert len(second["grades"]) == 8
    assert second["queries"][0]["query"] == QUESTION
    assert second["spent"]["by_node"]["grade_passages"]["calls"] == 8


def test_the_second_turn_is_graded_and_answered_for_its_own_question() -> None:
    model = ScriptedModel()
    app = compiled(model, checkpointer=InMemorySaver())

    app.invoke({"messages": [("user", QUESTION)]}, thread("t"))
    model.asked.clear()
    app.invoke({"messages": [("user", "When does the Dunn mill grind?")]}, thread("t"))

    asked = [prompt for node, prompt in model.asked if node in ("grade_passages", "generate")]
    assert asked and all("Dunn mill" in prompt and QUESTION not in prompt for prompt in asked)


def test_a_filter_and_flags_hold_for_one_question_only() -> None:
    app = compiled(checkpointer=InMemorySaver())

    narrowed = {"question": QUESTION, "where": {"source": "mill"}, "flags": ["valued"]}
    first = app.invoke(narrowed, thread("t"))["answer"]
    state = app.get_state(thread("t")).values
    again = app.invoke({"question": QUESTION}, thread("t"))["answer"]

    assert (state["where"], state["flags"]) == ({}, [])
    assert [first["outcome"], again["outcome"]] == ["refused", "answered"]


def test_two_threads_share_nothing() -> None:
    app = compiled(settings=preset("loop", k=1), checkpointer=InMemorySaver())

    app.invoke({"question": QUESTION}, thread("one"))
    app.invoke({"question": "When does the Dunn mill grind?"}, thread("two"))

    values = app.get_state(thread("two")).values
    assert "Orsa" not in as_json(values)


def as_json(values: dict[str, Any]) -> str:
    """The state as JSON, the messages as their text."""
    messages = [message.text for message in values.get("messages", [])]
    return json.dumps({**values, "messages": messages}, ensure_ascii=False)


def test_only_so_many_messages_are_kept() -> None:
    app = compiled(settings=preset("loop", history_messages=4), checkpointer=InMemorySaver())

    for number in range(5):
        app.invoke({"question": f"How deep is well number {number}?"}, thread("t"))

    messages = app.get_state(thread("t")).values["messages"]
    assert len(messages) == 4
    assert [type(message) for message in messages] == [HumanMessage, AIMessage] * 2
    assert "number 4" in messages[-2].text


INPUTS: dict[str, Any] = {
    "a question": {"question": QUESTION},
    "a pair": {"messages": [("user", QUESTION)]},
    "a message": {"messages": [HumanMessage(QUESTION)]},
    "a dictionary": {"messages": [{"role": "user", "content": QUESTION}]},
    "blocks of content": {"messages": [HumanMessage([{"type": "text", "text": QUESTION}])]},
    "a conversation": {"messages": [("user", "Hello"), ("ai", "Hello."), ("user", QUESTION)]},
    "a conversation that the assistant ends": {"messages": [("user", QUESTION), ("ai", "Wait.")]},
    "space around it": {"question": f"\n {QUESTION}\t"},
}


@pytest.mark.parametrize("kind", INPUTS)
def test_the_question_is_the_last_thing_the_user_said(kind: str) -> None:
    answer = compiled().invoke(INPUTS[kind])["answer"]

    assert answer["question"] == QUESTION
    assert "31 metres" in answer["text"]


@pytest.mark.parametrize(
    "given", [{"question": ""}, {"question": " \n"}, {"messages": []}, {"messages": [("ai", "Hi")]}]
)
def test_a_blank_question_is_refused_before_any_call(given: dict[str, Any]) -> None:
    model = ScriptedModel()

    with pytest.raises(QuestionError, match="empty"):
        compiled(model).invoke(given)

    assert not model.asked


def test_a_follow_up_is_made_to_stand_alone_by_the_model() -> None:
    restated = {"question": "How hot is the Rask kiln?"}
    model = ScriptedModel(script={"restate_question": restated})
    app = compiled(model, checkpointer=InMemorySaver())

    app.invoke({"question": "What is the Rask kiln for?"}, thread("t"))
    answer = app.invoke({"question": "How hot is it?"}, thread("t"))["answer"]

    assert answer["question"] == "How hot is the Rask kiln?"
    assert app.get_state(thread("t")).values["asked"] == "How hot is it?"


@pytest.mark.parametrize(
    ("first", "follow_up", "topic"),
    [
        ("What is the Rask kiln for?", "How hot is it?", "Rask"),
        ("奥尔萨水井有多深？", "它在哪里？", "奥尔萨水井"),
    ],
)
def test_a_follow_up_stands_alone_offline(first: str, follow_up: str, topic: str) -> None:
    app = compiled(checkpointer=InMemorySaver())

    app.invoke({"question": first}, thread("t"))
    answer = app.invoke({"question": follow_up}, thread("t"))["answer"]

    assert topic in answer["question"]


def test_a_first_question_is_not_restated() -> None:
    model = ScriptedModel()

    compiled(model).invoke({"question": "How deep is it?"})

    assert model.calls["restate_question"] == 0


@pytest.mark.parametrize(
    "model", [None, ScriptedModel(script=always_no())], ids=["offline", "model"]
)
def test_the_state_is_plain_json_after_every_step(model: Any) -> None:
    app = compiled(model, preset("loop", max_rounds=1))

    for values in app.stream({"question": QUESTION}, stream_mode="values"):
        text = as_json(values)

        assert json.loads(text)["question"] == QUESTION


def test_a_strict_serializer_saves_and_reads_every_step_without_a_word() -> None:
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    app = compiled(ScriptedModel(), checkpointer=saver)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        app.invoke({"question": QUESTION}, thread("t"))
        steps = list(app.get_state_history(thread("t")))

    assert steps[0].values["answer"]["outcome"] == "answered"
    assert steps[0].next == ()


def test_ten_long_passages_make_no_large_checkpoint_file(tmp_path: Path) -> None:
    from langgraph.checkpoint.sqlite import SqliteSaver

    store = MemoryStore(words=100_000)
    long = "The ferry to Brusk leaves at noon. " + "Words that fill the page are here. " * 2_900
    store.add_documents([document(f"n{number}", f"{number}. {long}") for number in range(10)])
    file = tmp_path / "threads.sqlite"

    with SqliteSaver.from_conn_string(str(file)) as saver:
        app = compiled(ScriptedModel(), preset("loop", k=10), passages=store, checkpointer=saver)
        answer = app.invoke({"question": "When does the ferry to Brusk leave?"}, thread("t"))[
            "answer"
        ]

    size = sum(part.stat().st_size for part in tmp_path.iterdir())
    assert len(long) > 100_000
    assert len(answer["grades"]) == 10
    assert size < 3 * 10 * len(long)


def test_a_whole_document_never_enters_the_state() -> None:
    text = "Nothing of note. " * 2_000 + "The vault of Grum opens at dusk." + " More of it." * 2_000
    script = {"grade_passages": "no", "read_whole_document": "It opens at dusk. [1]"}
    app = compiled(
        ScriptedModel(script=script),
        preset("loop", max_rounds=0),
        passages=store_of({"book": text}),
    )

    steps = [as_json(values) for values in app.stream({"question": "When?"}, stream_mode="values")]

    assert max(map(len, steps)) < len(text)


def test_a_hand_edited_state_goes_on() -> None:
    model = ScriptedModel(script={"grade_passages": "no"})
    app = compiled(
        model,
        preset("loop", max_rounds=0, remedies=["search_again"]),
        checkpointer=InMemorySaver(),
    )
    where = thread("t")

    stopped = app.invoke({"question": QUESTION}, where, interrupt_before=["grade_passages"])
    app.update_state(where, {"max_rounds": 1})
    model.script["grade_passages"] = ["no", "no", "no", "no", "yes"]
    answer = app.invoke(None, where)["answer"]

    assert "answer" not in stopped or not stopped["answer"]
    assert answer["rounds"] == 1
    assert answer["outcome"] == "answered"


def test_what_was_kept_can_be_put_in_by_hand() -> None:
    app = compiled(ScriptedModel(), checkpointer=InMemorySaver())
    where = thread("t")
    note = store_of({"own": NOTES["well"]}).search("well", 1)[0]

    app.invoke({"question": QUESTION}, where, interrupt_before=["select_context"])
    app.update_state(where, {"kept": [dict(note)]}, as_node="grade_passages")
    answer = app.invoke(None, where)["answer"]

    assert answer["sources"] == ["own"]
