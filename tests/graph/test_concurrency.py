"""Many questions at once on one compiled graph, sync and async."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from scripted import ScriptedModel
from small_graph import NOTES, QUESTION, compiled, store_of

from ragloop.graph.settings import preset

PIERS = {f"ferry{n}": f"Ferry number {n} leaves from pier {n + 100}." for n in range(40)}


def echo(prompt: str) -> str:
    """An answer that repeats the passage it was given and cites it."""
    passage = prompt.rpartition("\n</passage>")[0].rpartition("\n")[2]
    return f"{passage} [1]"


def ferries(seconds: float = 0.0) -> Any:
    """A graph whose answers quote the one passage that each question finds."""
    model = ScriptedModel(script={"generate": echo}, seconds=seconds)
    settings = preset("loop", k=1, structured="text")  # the plainest way takes the least time
    return model, compiled(model, settings, passages=store_of(PIERS))


def asked(number: int) -> dict[str, str]:
    return {"question": f"From which pier does ferry number {number} leave?"}


async def test_two_hundred_questions_at_once_share_no_state() -> None:
    model, app = ferries(seconds=0.05)
    numbers = [at % 40 for at in range(200)]

    results = await asyncio.gather(*(app.ainvoke(asked(number)) for number in numbers))

    for number, result in zip(numbers, results, strict=True):
        answer = result["answer"]
        assert f"pier {number + 100}." in answer["text"]
        assert answer["sources"] == [f"ferry{number}"]
        assert answer["spent"]["calls"] == 4
    assert sum(model.calls.values()) == 800


async def test_the_questions_really_are_under_way_at_the_same_time() -> None:
    model, app = ferries(seconds=0.5)

    await asyncio.gather(*(app.ainvoke(asked(number)) for number in range(30)))

    assert model.most_under_way > 20


async def test_the_async_path_asks_no_model_from_a_thread_that_waits() -> None:
    model, app = ferries()
    threads: set[str] = set()
    model.script["generate"] = lambda prompt: (
        threads.add(threading.current_thread().name) or echo(prompt)
    )

    await app.ainvoke(asked(1))

    assert model.sync_calls == 0
    assert threads == {threading.main_thread().name}


async def test_the_event_loop_is_never_held_up_by_a_slow_store() -> None:
    store = Slow(NOTES)
    app = compiled(ScriptedModel(seconds=0.01), passages=store)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    counting = asyncio.create_task(count())
    await app.ainvoke({"question": QUESTION})
    counting.cancel()

    assert turns > 5


class Slow:
    """A store whose sync search must not be called on the event loop."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._store = store_of(texts)

    def search(self, query: str, k: int, where: Any = None) -> Any:
        time.sleep(0.2)
        return self._store.search(query, k, where)

    async def asearch(self, query: str, k: int, where: Any = None) -> Any:
        return await asyncio.to_thread(self.search, query, k, where)


async def test_invoke_works_inside_a_running_event_loop() -> None:
    _, app = ferries()

    answer = app.invoke(asked(3))["answer"]

    assert "pier 103." in answer["text"]


def test_several_event_loops_one_after_the_other() -> None:
    _, app = ferries()

    first = asyncio.run(app.ainvoke(asked(1)))["answer"]
    second = asyncio.run(app.ainvoke(asked(2)))["answer"]

    assert "pier 101." in first["text"]
    assert "pier 102." in second["text"]


def test_threads_share_no_state() -> None:
    _, app = ferries(seconds=0.02)

    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(lambda number: app.invoke(asked(number))["answer"], range(20)))

    for number, answer in enumerate(results):
        assert f"pier {number + 100}." in answer["text"]


def test_both_ways_give_the_same_answer() -> None:
    _, app = ferries()

    waited = app.invoke(asked(7))["answer"]
    awaited = asyncio.run(app.ainvoke(asked(7)))["answer"]

    for answer in (waited, awaited):
        answer["spent"] = {"calls": answer["spent"]["calls"]}
    assert waited == awaited


def test_grades_keep_the_order_of_the_passages_whatever_comes_first() -> None:
    slow_first = iter([0.12, 0.09, 0.06, 0.03])

    def late(prompt: str) -> str:
        time.sleep(next(slow_first))
        return "yes"

    app = compiled(ScriptedModel(script={"grade_passages": late}))

    answer = app.invoke({"question": QUESTION})["answer"]

    graded = [grade["passage_id"] for grade in answer["grades"]]
    assert graded == answer["queries"][0]["passage_ids"]


def test_max_concurrency_holds() -> None:
    model = ScriptedModel(seconds=0.05)
    app = compiled(model, preset("loop", max_concurrency=2))

    asyncio.run(app.ainvoke({"question": QUESTION}))

    assert model.calls["grade_passages"] == 4
    assert model.most_under_way <= 2


def test_an_undisturbed_run_costs_three_layers_of_calls() -> None:
    seconds = 0.25
    model = ScriptedModel(seconds=seconds)
    app = compiled(model)
    asyncio.run(app.ainvoke({"question": QUESTION}))  # the first run finds out how to ask

    calls_before = sum(model.calls.values())
    layers: list[float] = []
    model.script["*"] = lambda prompt: layers.append(time.monotonic()) or "yes"
    model.script["generate"] = lambda prompt: layers.append(time.monotonic()) or "It is deep. [1]"
    model.script["check_grounding"] = lambda prompt: layers.append(time.monotonic()) or "full"
    model.script["check_usefulness"] = lambda prompt: layers.append(time.monotonic()) or "5"
    asyncio.run(app.ainvoke({"question": QUESTION}))

    gaps = [later - sooner for sooner, later in pairwise(layers)]
    assert sum(model.calls.values()) - calls_before == 7
    assert sum(gap > seconds / 2 for gap in gaps) == 2
