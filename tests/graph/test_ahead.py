"""Writing while grading: kept when the grades keep it, ended when they do not, and paid for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from loopback import Loopback
from small_graph import QUESTION, compiled, passage, within_bounds
from talking import TalkingModel

from ragloop.graph.events import astream, stream
from ragloop.graph.prompts import DEFAULTS
from ragloop.graph.settings import preset

ANSWER = "The well is 31 metres deep. [1]"
SPECULATING = preset("loop", speculate=True, remedies=[])


class Five:
    """A source of five passages, the first one good."""

    def search(self, query: str, k: int, where: Any = None) -> list[Any]:
        return [passage("well", "The well at Orsa is 31 metres deep."), *map(passage, "abcd")]

    async def asearch(self, query: str, k: int, where: Any = None) -> list[Any]:
        return self.search(query, k, where)


def graph(seconds: float = 0.0, settings: Any = SPECULATING, **script: Any) -> Any:
    model = TalkingModel(script={"generate": ANSWER, **script}, seconds=seconds)
    return model, compiled(model, settings, passages=Five())


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_draft_from_passages_that_all_are_kept_is_the_draft(way: str) -> None:
    model, app = graph()

    given = {"question": QUESTION}
    done = app.invoke(given) if way == "sync" else asyncio.run(app.ainvoke(given))

    answer = done["answer"]
    assert answer["text"] == ANSWER
    assert model.calls["generate"] == 1
    assert answer["ahead"]["kept"] is True and answer["ahead"]["calls"] == 1
    assert answer["spent"]["by_node"]["generate"]["calls"] == 0
    assert [citation["document_id"] for citation in answer["citations"]] == ["well"]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_draft_from_a_passage_that_is_not_kept_is_thrown_away(way: str) -> None:
    model, app = graph(grade_passages=lambda prompt: "yes" if "31 metres" in prompt else "no")

    given = {"question": QUESTION}
    done = app.invoke(given) if way == "sync" else asyncio.run(app.ainvoke(given))

    answer = done["answer"]
    assert answer["text"] == ANSWER
    assert model.calls["generate"] == 2
    assert answer["ahead"]["kept"] is False and answer["ahead"]["tokens"] > 0
    assert answer["sources"] == ["well"]


def test_the_writer_is_asked_while_the_passages_are_graded() -> None:
    model, app = graph(seconds=0.3)
    asyncio.run(app.ainvoke({"question": QUESTION}))  # the first run finds out how to ask

    asyncio.run(app.ainvoke({"question": QUESTION}))

    assert model.most_under_way == 6


def test_a_draft_that_is_not_kept_is_cancelled_at_the_server_and_its_prompt_is_paid_for() -> None:
    slow = {"stream": ["The well "] * 200, "gap_s": 0.2}
    with Loopback({"grade_passages": ["no"], "generate": [slow]}) as server:
        models = {node: node for node in DEFAULTS}
        settings = SPECULATING.changed(base_url=server.url, models=models, structured="text")
        app = compiled(None, settings, passages=Five())
        answer = asyncio.run(app.ainvoke({"question": QUESTION}))["answer"]
        under_way = server.under_way

    assert answer["outcome"] == "refused"
    assert answer["spent"]["calls"] == server.calls()
    assert answer["ahead"]["kept"] is False
    assert under_way <= 1  # the server notices at its next word


def test_no_word_shows_before_the_grades_and_none_of_a_draft_that_is_not_kept() -> None:
    kept = list(stream(graph()[1], QUESTION))
    _, dropping = graph(grade_passages="no", generate="Never shown. [1]")
    dropped = list(stream(dropping, QUESTION))

    kinds = list(dict.fromkeys(event["event"] for event in kept))
    assert kinds == ["decision", "retrieval", "grades", "token", "answer"]
    assert "".join(e["text"] for e in kept if e["event"] == "token") == ANSWER
    assert "Never shown" not in str([e for e in dropped if "text" in e])


async def test_a_run_that_is_cancelled_leaves_nothing_under_way() -> None:
    slow = {"content": "yes", "delay_s": 60}
    with Loopback({"grade_passages": [slow], "generate": [slow]}) as server:
        models = {node: node for node in DEFAULTS}
        settings = SPECULATING.changed(base_url=server.url, models=models, structured="text")
        app = compiled(None, settings, passages=Five())

        async def read() -> None:
            async for _ in astream(app, QUESTION):
                pass

        reading = asyncio.create_task(read())
        while server.calls() < 2:
            await asyncio.sleep(0.02)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert left == []


@pytest.mark.parametrize("most", [1, 3, 5, 6, 7, 9])
def test_the_limits_hold(most: int) -> None:
    settings = SPECULATING.changed(max_calls=most)
    model, app = graph(settings=settings)

    answer = app.invoke({"question": QUESTION})["answer"]

    assert sum(model.calls.values()) <= most
    assert within_bounds(answer, settings)
    assert ("kept" in answer["ahead"]) is (most >= 7)


def test_it_is_off_by_default_and_never_on_for_the_offline_engine() -> None:
    off = graph(settings=preset("loop"))[1].invoke({"question": QUESTION})["answer"]
    offline = compiled(None, SPECULATING).invoke({"question": QUESTION})["answer"]

    assert off["ahead"] == offline["ahead"] == {}
