"""A person in the loop: asked before anything is spent, waited for, and never silently skipped."""

from __future__ import annotations

import time
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from scripted import ScriptedModel
from small_graph import compiled, store_of

from ragloop.graph.adapters import as_runnable, as_tool
from ragloop.graph.events import astream, stream
from ragloop.graph.settings import preset
from ragloop.stores.errors import ReplyNeeded

T: Any = {"configurable": {"thread_id": "t"}}
ASKS = preset("loop", ask_when_ambiguous=True)
DEAR = preset("whole_document", approve_above_tokens=100)
BOOK = {"well": "The well at Orsa is 31 metres deep. " + "It was dug by hand. " * 300}


def book(settings: Any = DEAR, **how: Any) -> Any:
    model = ScriptedModel(script={"read_whole_document": "It is 31 metres deep. [1]"})
    return model, compiled(model, settings, passages=store_of(BOOK), **how)


@pytest.mark.parametrize(
    ("question", "reply", "understood"),
    [
        ("How deep is it?", "the well at Orsa", "How deep is it? (the well at Orsa)"),
        ("How deep is it?", "How deep is the well at Orsa?", "How deep is the well at Orsa?"),
        ("它有多深？", "奥尔萨水井", "它有多深？ (奥尔萨水井)"),
    ],
)
def test_a_question_that_refers_to_nothing_is_asked_back(
    question: str, reply: str, understood: str
) -> None:
    app = compiled(settings=ASKS, checkpointer=InMemorySaver())

    waiting = app.invoke({"question": question}, T)["__interrupt__"][0].value
    answer = app.invoke(Command(resume=reply), T)["answer"]

    assert waiting["asks"] == "clarify" and question in waiting["message"]
    assert answer["question"] == understood


@pytest.mark.parametrize("question", ["How deep is the well at Orsa?", "奥尔萨的水井有多深？"])
def test_a_clear_question_is_not_asked_back(question: str) -> None:
    app = compiled(settings=ASKS, checkpointer=InMemorySaver())

    assert "answer" in app.invoke({"question": question}, T)


def test_a_follow_up_has_something_to_refer_to() -> None:
    app = compiled(settings=ASKS, checkpointer=InMemorySaver())
    app.invoke({"question": "How deep is the well at Orsa?"}, T)

    assert "__interrupt__" not in app.invoke({"question": "Where is it?"}, T)


@pytest.mark.parametrize("reply", [True, "yes", "Yes.", "是"])
def test_a_whole_document_is_read_when_it_is_approved(reply: Any) -> None:
    model, app = book(checkpointer=InMemorySaver())

    waiting = app.invoke({"question": "How deep?"}, T)["__interrupt__"][0].value
    before = model.calls["read_whole_document"]
    answer = app.invoke(Command(resume=reply), T)["answer"]

    assert (waiting["asks"], waiting["documents"]) == ("approve", ["well"])
    assert waiting["tokens"] > 100
    assert before == 0 and model.calls["read_whole_document"] == 1
    assert answer["outcome"] == "answered"


@pytest.mark.parametrize("reply", [False, "no", "不", "", "perhaps", {"yes": True}])
def test_anything_but_a_yes_is_a_no(reply: Any) -> None:
    model, app = book(checkpointer=InMemorySaver())

    app.invoke({"question": "How deep?"}, T)
    answer = app.invoke(Command(resume=reply), T)["answer"]

    assert model.calls["read_whole_document"] == 0
    assert answer["outcome"] == "refused"
    assert "not approved" in answer["text"]


def test_what_is_cheap_needs_no_approval() -> None:
    _, app = book(DEAR.changed(approve_above_tokens=50_000))

    answer = app.invoke({"question": "How deep?"})["answer"]

    assert answer["outcome"] == "answered"
    assert answer["warnings"] == []


def test_a_person_may_take_longer_than_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    _, app = book(checkpointer=InMemorySaver())
    now = time.time

    app.invoke({"question": "How deep?"}, T)
    monkeypatch.setattr(time, "time", lambda: now() + 3_600)
    answer = app.invoke(Command(resume="yes"), T)["answer"]

    assert answer["outcome"] == "answered"
    assert answer["spent"]["waited"] > 3_500 > 120 > answer["spent"]["seconds"]


def test_without_a_checkpointer_nothing_waits_and_a_warning_says_so() -> None:
    unclear = compiled(settings=ASKS).invoke({"question": "How deep is it?"})["answer"]
    model, app = book()
    dear = app.invoke({"question": "How deep?"})["answer"]

    assert any("refers to" in warning for warning in unclear["warnings"])
    assert any("approve" in warning for warning in dear["warnings"])
    assert model.calls["read_whole_document"] == 0


async def test_a_stream_ends_with_the_question_and_goes_on_with_the_reply() -> None:
    _, app = book(checkpointer=InMemorySaver())

    waiting = list(stream(app, "How deep?", T))[-1]
    events = [event async for event in astream(app, Command(resume="yes"), T)]

    assert (waiting["event"], waiting["asks"]) == ("interrupt", "approve")
    assert events[-1]["event"] == "answer"
    assert (
        "".join(e["text"] for e in events if e["event"] == "token") == events[-1]["answer"]["text"]
    )


def test_a_runnable_and_a_tool_say_that_a_reply_is_needed() -> None:
    app = compiled(settings=ASKS, checkpointer=InMemorySaver())

    with pytest.raises(ReplyNeeded, match="refer to"):
        as_runnable(app).invoke("How deep is it?", T)
    with pytest.raises(ReplyNeeded, match="refer to"):
        as_tool(app.with_config(T)).invoke("How deep is it?")


def test_a_runnable_goes_on_with_the_reply() -> None:
    app = compiled(settings=ASKS, checkpointer=InMemorySaver())
    chain = as_runnable(app, output="text")
    with pytest.raises(ReplyNeeded):
        chain.invoke("How deep is it?", T)

    text = chain.invoke(Command(resume="How deep is the well at Orsa?"), T)

    assert "31 metres" in text
