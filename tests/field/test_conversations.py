"""Threads that leaked, files of checkpoints that could not be read, streams that said too much."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from asking import DEPTH, QUESTION, Place
from langchain_core.embeddings import Embeddings
from loopback import bag_of_words
from small_graph import NOTES, document

from ragloop.graph.build import Parts, build_graph
from ragloop.graph.settings import Settings, preset
from ragloop.stores.memory import MemoryStore

FILE = ("--checkpoint", "t.sqlite")
READ = """
import json, sys, warnings
warnings.simplefilter("error")
from langgraph.checkpoint.sqlite import SqliteSaver
with SqliteSaver.from_conn_string("t.sqlite") as saver:
    config = {"configurable": {"thread_id": sys.argv[1], "checkpoint_ns": ""}}
    values = saver.get_tuple(config).checkpoint["channel_values"]
    messages = [message.text for message in values.pop("messages", [])]
    print(json.dumps({**values, "messages": messages}))
"""


def saved(place: Place, thread: str) -> dict[str, Any]:
    """The last state of a thread, read by another process."""
    command = [sys.executable, "-c", READ, thread]
    ran = subprocess.run(command, cwd=place.folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr
    made: dict[str, Any] = json.loads(ran.stdout)
    return made


def on_server(place: Place, **changes: Any) -> Settings:
    """Settings whose writer is scripted."""
    writer = {"generate": "generate"}
    return preset("loop", model="any", base_url=place.server.url, models=writer, **changes)


def test_a_new_thread_holds_nothing_of_another() -> None:
    with Place({"generate": [DEPTH, "Only on weekdays. [1]"]}) as place:
        place.index()
        place.ask(QUESTION, *FILE, "--thread", "one", "--k", "1")
        place.ask("When does the Dunn mill grind?", *FILE, "--thread", "two", "--k", "1")

        assert "Orsa" not in json.dumps(saved(place, "two"))


def test_the_second_turn_has_all_its_rounds_and_only_its_own_passages() -> None:
    script = {
        "grade_passages": ["no", "no", "no", "yes"],
        "rewrite_query": ["smith of Ix", "Dunn mill rye"],
        "generate": ["Only on weekdays. [1]"],
    }
    with Place(script) as place:
        place.index()
        flags = (*FILE, "--thread", "t", "--k", "1", "--max-rounds", "1")
        first = place.ask(
            "Who forged the bell of Ix?", *flags, "--set", 'remedies=["search_again"]'
        )
        second = place.ask("When does the Dunn mill grind rye?", *flags)

        assert (first.answer["rounds"], second.answer["rounds"]) == (1, 1)
        assert second.answer["outcome"] == "answered"
        assert len(saved(place, "t")["context"]) == 1


def test_a_thread_that_is_not_named_gets_a_name_that_is_shown() -> None:
    with Place({"generate": [DEPTH]}) as place:
        place.index()
        found = place.ask(QUESTION, *FILE)

        assert found.code == 0
        assert "--thread" in found.err
        assert "configurable" not in found.err


def test_citations_are_the_same_after_a_restart() -> None:
    with Place({"generate": [DEPTH + " [1][2]"]}) as place:
        place.index()
        found = place.ask(QUESTION, *FILE, "--thread", "t", "--k", "2")

        assert found.answer["citations"]
        assert saved(place, "t")["answer"]["citations"] == found.answer["citations"]


class Arrays(Embeddings):
    """An embedding that gives numpy numbers."""

    def embed_documents(self, texts: list[str]) -> Any:
        return [np.array(bag_of_words(text), np.float32) for text in texts]

    def embed_query(self, text: str) -> Any:
        return np.array(bag_of_words(text), np.float32)


async def test_scores_of_an_embedding_in_numpy_are_saved_as_numbers(tmp_path: Any) -> None:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    store = MemoryStore(Arrays())
    store.add_documents([document(name, text) for name, text in NOTES.items()])
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
        app = build_graph(Parts(passages=store)).compile(checkpointer=saver)
        thread: Any = {"configurable": {"thread_id": "t"}}

        await app.ainvoke({"question": QUESTION}, thread)
        values = (await app.aget_state(thread)).values

    assert {type(passage["score"]) for passage in values["found"]} == {float}


def test_exactly_the_answer_is_streamed_and_once() -> None:
    chunks = ["It is ", "31 metres ", "deep. [1]"]
    script = {
        "grade_passages": ["no", "yes"],
        "rewrite_query": ["depth of the well"],
        "generate": [{"stream": chunks}],
    }
    with Place(script) as place:
        place.index()
        flags = ("--stream", "--k", "1", "--max-rounds", "1")
        found = place.ask(QUESTION, *flags, as_json=False)

        assert found.out.startswith("It is 31 metres deep. [1]\n")
        assert found.out.count("31 metres deep. [1]") == 1
        assert "depth of the well" not in found.out and "yes" not in found.out


def test_a_stream_that_never_begins_ends_with_an_error_and_no_empty_answer() -> None:
    with Place({"generate": [{"delay_s": 60}]}) as place:
        place.index()
        began = time.monotonic()
        flags = ("--stream", "--timeout", "0.5", "--retries", "0")
        found = place.ask(QUESTION, *flags, as_json=False)

        assert found.code == 1
        assert "timed out" in found.err
        assert time.monotonic() - began < 30


async def test_words_come_apart_in_an_async_stream() -> None:
    from ragloop.graph.events import astream

    chunks = ["It ", "is ", "very ", "deep. [1]"]
    with Place({"generate": [{"stream": chunks, "gap_s": 0.1}]}) as place:
        store = MemoryStore()
        store.add_documents([document(name, text) for name, text in NOTES.items()])
        settings = on_server(place)
        app = build_graph(Parts(passages=store), settings).compile()

        times = [
            time.monotonic()
            async for event in astream(app, {"question": QUESTION})
            if event["event"] == "token"
        ]

    assert len(times) >= 3
    assert times[-1] - times[0] > 0.15


@pytest.mark.parametrize("questions", [12])
def test_each_of_many_at_once_gets_its_own_answer(questions: int) -> None:
    texts = {f"n{n}.txt": f"Tram number {n} stops at gate {n + 40}." for n in range(questions)}
    with Place({"generate": [{"echo": True, "delay_s": 0.05}]}) as place:
        store = MemoryStore()
        store.add_documents([document(name, text) for name, text in texts.items()])
        settings = on_server(place, k=1)
        app = build_graph(Parts(passages=store), settings).compile()

        async def all_at_once() -> list[Any]:
            asked = [f"At which gate does tram number {n} stop?" for n in range(questions)]
            return await asyncio.gather(*(app.ainvoke({"question": one}) for one in asked))

        for number, result in enumerate(asyncio.run(all_at_once())):
            assert f"gate {number + 40}." in result["answer"]["text"]
            assert result["answer"]["sources"] == [f"n{number}.txt"]
