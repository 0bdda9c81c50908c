"""Threads in Postgres, on a server that this file starts from the installed binaries."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedModel
from small_graph import QUESTION, compiled

pytest.importorskip("langgraph.checkpoint.postgres", reason="needs the extra `postgres`")

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

T: Any = {"configurable": {"thread_id": "t"}}


def binaries() -> Path | None:
    """The folder of the newest installed server."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return known[-1].parent if known else None


def server_user() -> str | None:
    """Whom the server runs as: it refuses root. None: whoever runs the tests."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    return pytest.skip("Postgres does not run as root, and there is nobody else")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A fresh server, reached through a socket file only."""
    found = binaries()
    if found is None:
        pytest.skip("Postgres is not installed")
    user = server_user()
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a short path: socket names have a limit
    if user:
        shutil.chown(folder, user)
    how: Any = {"cwd": folder, "user": user, "check": True, "capture_output": True}
    control = [found / "pg_ctl", "-D", folder / "db", "-w"]
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    try:
        made = [found / "initdb", "-D", folder / "db", "-A", "trust", "-U", "ragloop", "-N"]
        subprocess.run(made, **how)
        log = folder / "log"
        subprocess.run([*control, "-l", log, "-o", options, "start"], **how)
        try:
            yield f"postgresql://ragloop@/postgres?host={folder}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **how)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_thread_goes_on_over_another_connection(address: str) -> None:
    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
        first = compiled(checkpointer=saver).invoke({"question": QUESTION}, T)["answer"]
    with PostgresSaver.from_conn_string(address) as saver:
        app = compiled(checkpointer=saver)
        kept = app.get_state(T).values["answer"]
        second = app.invoke({"question": "Where is it?"}, T)["answer"]

    assert kept == first
    assert "Orsa" in second["question"]


async def test_an_async_saver_keeps_an_async_run(address: str) -> None:
    async with AsyncPostgresSaver.from_conn_string(address) as saver:
        await saver.setup()
        app = compiled(ScriptedModel(), checkpointer=saver)
        where: Any = {"configurable": {"thread_id": "async"}}
        answer = (await app.ainvoke({"question": QUESTION}, where))["answer"]

        assert (await app.aget_state(where)).values["answer"] == answer


async def test_a_sync_saver_keeps_an_async_run_as_well(address: str) -> None:
    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
        app = compiled(checkpointer=saver)
        where: Any = {"configurable": {"thread_id": "both"}}
        answer = (await app.ainvoke({"question": QUESTION}, where))["answer"]

        assert app.get_state(where).values["answer"] == answer


def test_two_threads_share_nothing(address: str) -> None:
    with PostgresSaver.from_conn_string(address) as saver:
        saver.setup()
        app = compiled(checkpointer=saver)
        for name, question in {"one": QUESTION, "two": "When does the Dunn mill grind?"}.items():
            app.invoke({"question": question}, {"configurable": {"thread_id": name}})
        values = app.get_state({"configurable": {"thread_id": "two"}}).values

    assert not any("Orsa" in message.text for message in values["messages"])


def test_a_killed_run_goes_on_to_the_same_answer_and_repeats_no_finished_call(
    address: str,
) -> None:
    from killable import killed_and_resumed

    killed_and_resumed("postgres", address, points=3)
