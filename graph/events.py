"""A run as a typed stream of events, for sync and for async code.

    for event in stream(app, {"question": "..."}):
        if event["event"] == "token":
            print(event["text"], end="")

The texts of all `token`, `supplement` and `correction` events, joined, are `Answer.text`: nothing
that was shown is taken back. Judges never show up here as tokens. Cancelling the task of an
`astream` ends the run and its calls at once. Closing a `stream` ends the writing at the next word,
and no further call is made; a call in another thread that brings no words is waited for.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from typing_extensions import TypedDict

from ..nodes.run import READER_GONE
from ..nodes.steps import ReaderGone
from .adapters import INTERRUPT, App, Input, question_of
from .answer import Answer, Decision, Grade, Relevance
from .settings import Settings

Mode = Literal["live", "checked"]


class DecisionEvent(TypedDict):
    """Whether sources are asked for, before the first token."""

    event: Literal["decision"]
    decision: Decision


class RetrievalEvent(TypedDict):
    """A search was made."""

    event: Literal["retrieval"]
    queries: list[str]
    passage_ids: list[str]
    round: int
    where: Literal["store", "elsewhere"]


class GradesEvent(TypedDict):
    """What was found was graded."""

    event: Literal["grades"]
    relevance: Relevance
    grades: list[Grade]
    why_not: str


class TextEvent(TypedDict):
    """Words of the answer: as written, of a second part, or of a correction."""

    event: Literal["token", "supplement", "correction"]
    text: str


class StepEvent(TypedDict):
    """A node is done: for those who draw the path."""

    event: Literal["step"]
    node: str
    update: dict[str, Any]


class InterruptEvent(TypedDict):
    """The run waits for a person; then this is the last event, in place of the answer.

    Go on with `stream(app, Command(resume=reply), config)` and the same thread.
    """

    event: Literal["interrupt"]
    asks: Literal["clarify", "approve"]
    message: str
    about: dict[str, Any]


class AnswerEvent(TypedDict):
    """The whole answer; the last event."""

    event: Literal["answer"]
    answer: Answer


Event = (
    DecisionEvent
    | RetrievalEvent
    | GradesEvent
    | TextEvent
    | StepEvent
    | InterruptEvent
    | AnswerEvent
)


def stream(
    app: App,
    given: Input,
    config: RunnableConfig | None = None,
    *,
    mode: Mode = "live",
    settings: Settings | None = None,
    steps: bool = False,
) -> Iterator[Event]:
    """Run the app and give its events as they happen.

    `live` shows words as they are written and appends what is found out later; `checked` holds
    them until the checks are done. With `steps` every node gives an event of its own as well.
    """
    gone = threading.Event()
    told = merge_configs(config, {"configurable": {READER_GONE: gone}})
    parts: Any = app.stream(question_of(given), told, **_how(mode, settings))
    try:
        for part in parts:
            yield from events_of(*part, steps=steps)
    finally:
        gone.set()  # first: closing waits for the step under way
        with suppress(ReaderGone):
            parts.close()


async def astream(
    app: App,
    given: Input,
    config: RunnableConfig | None = None,
    *,
    mode: Mode = "live",
    settings: Settings | None = None,
    steps: bool = False,
) -> AsyncIterator[Event]:
    """Do what `stream` does, in an event loop."""
    running: Any = app.astream(question_of(given), config, **_how(mode, settings))
    async with aclosing(running) as parts:
        async for part in parts:
            for event in events_of(*part, steps=steps):
                yield event


def _how(mode: Mode, settings: Settings | None) -> dict[str, Any]:
    context = Settings(stream=mode) if settings is None else settings.changed(stream=mode)
    return {"context": context, "stream_mode": ["updates", "custom"]}


def events_of(kind: str, payload: Any, *, steps: bool = False) -> Iterator[Event]:
    """The events in one part of LangGraph's stream of updates and custom values."""
    if kind == "custom":
        yield payload
        return
    for node, update in payload.items():
        if node == INTERRUPT:
            about = dict(update[0].value)
            asks, message = about.pop("asks", "clarify"), str(about.pop("message", ""))
            yield {"event": "interrupt", "asks": asks, "message": message, "about": about}
        if not isinstance(update, dict):
            continue
        if steps:
            yield {"event": "step", "node": node, "update": update}
        yield from _told(node, update)


def _told(node: str, update: dict[str, Any]) -> Iterator[Event]:
    if node == "decide_retrieval" and "decision" in update:
        yield {"event": "decision", "decision": update["decision"]}
    elif node in ("retrieve", "search_elsewhere") and "found" in update:
        yield _retrieval(node, update)
    elif node == "grade_passages" and "relevance" in update:
        if "draft" in update.get("ahead", {}):
            return  # told before the first word of the draft
        yield {
            "event": "grades",
            "relevance": update["relevance"],
            "grades": update["grades"],
            "why_not": update["why_not"],
        }
    elif node == "finish":
        yield {"event": "answer", "answer": update["answer"]}


def _retrieval(node: str, update: dict[str, Any]) -> RetrievalEvent:
    where: Literal["store", "elsewhere"] = "store" if node == "retrieve" else "elsewhere"
    now = update["queries"][-1]["round"] if update["queries"] else 0
    this_time = [q for q in update["queries"] if q["round"] == now and q["where"] == where]
    return {
        "event": "retrieval",
        "queries": [record["query"] for record in this_time],
        "passage_ids": [passage["id"] for passage in update["found"]],
        "round": now,
        "where": where,
    }
