"""Threads in a SQLite file: both ways, after a kill, in another process's hands, and how large."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from scripted import ScriptedModel
from small_graph import QUESTION, compiled

from ragloop.graph.settings import preset

T: Any = {"configurable": {"thread_id": "t"}}
HAS_FORK = hasattr(os, "fork")


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def test_a_thread_goes_on_in_a_file_that_was_closed(tmp_path: Path) -> None:
    file = str(tmp_path / "t.sqlite")
    with SqliteSaver.from_conn_string(file) as saver:
        first = compiled(checkpointer=saver).invoke({"question": QUESTION}, T)["answer"]
    with SqliteSaver.from_conn_string(file) as saver:
        app = compiled(checkpointer=saver)
        kept = app.get_state(T).values["answer"]
        second = app.invoke({"question": "Where is it?"}, T)["answer"]

    assert kept == first
    assert "Orsa" in second["question"]


async def test_an_async_saver_keeps_an_async_run(tmp_path: Path) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
        app = compiled(checkpointer=saver)
        answer = (await app.ainvoke({"question": QUESTION}, T))["answer"]
        state = await app.aget_state(T)

    assert state.values["answer"] == answer
    assert state.next == ()


async def test_a_sync_saver_keeps_an_async_run_as_well(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
        app = compiled(checkpointer=saver)
        answer = (await app.ainvoke({"question": QUESTION}, T))["answer"]
        steps = [step async for step in app.aget_state_history(T)]
        await app.checkpointer.adelete_thread("t")
        left = (await app.aget_state(T)).values

    assert steps[0].values["answer"] == answer
    assert len(steps) > 8
    assert left == {}


def test_a_strict_serializer_reads_back_every_step(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
        saver.serde = JsonPlusSerializer(allowed_msgpack_modules=None)
        app = compiled(ScriptedModel(), checkpointer=saver)
        answer = app.invoke({"question": QUESTION}, T)["answer"]
        steps = list(app.get_state_history(T))

    assert steps[0].values["answer"] == answer
    assert all(isinstance(step.values, dict) for step in steps)


def test_a_question_takes_at_most_so_many_bytes_and_the_tenth_no_more_than_the_fifth(
    tmp_path: Path,
) -> None:
    grown = []
    with SqliteSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
        app = compiled(settings=preset("loop", history_messages=4), checkpointer=saver)
        for number in range(10):
            before = size(tmp_path)
            app.invoke({"question": f"How deep is well number {number} at Orsa?"}, T)
            saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            grown.append(size(tmp_path) - before)

    assert max(grown) < 600_000
    assert grown[9] < 1.3 * grown[4]


def test_who_needs_no_resuming_keeps_one_checkpoint_a_question(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "t.sqlite")) as saver:
        app = compiled(checkpointer=saver)
        for _ in range(3):
            app.invoke({"question": QUESTION}, T, durability="exit")
        steps = list(app.get_state_history(T))

    assert len(steps) == 3
    assert steps[0].values["answer"]["outcome"] == "answered"


@pytest.mark.skipif(not HAS_FORK, reason="this system cannot fork")
def test_a_run_killed_at_ten_points_goes_on_to_the_same_answer_and_repeats_no_finished_call(
    tmp_path: Path,
) -> None:
    from killable import killed_and_resumed

    killed_and_resumed("sqlite", str(tmp_path / "t.sqlite"), points=10)
