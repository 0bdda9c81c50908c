"""`langgraph dev` with the graph that langgraph.json names, asked over its API."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from ragloop.graph.assistants import offer_presets
from ragloop.graph.build import ARROWS, NODES
from ragloop.graph.presets import PRESETS

PROGRAM = Path(sys.executable).with_name("langgraph")
REPOSITORY = Path(__file__).parents[2]
QUESTION = {"question": "When does the Brell ferry leave?"}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.exists(), reason="needs the extra `studio`"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The server's address and its log; started without any key."""
    folder = tmp_path_factory.mktemp("studio")
    shutil.copy(REPOSITORY / "langgraph.json", folder)
    (folder / "docs").mkdir()
    for name, text in {
        "ferry.txt": "The Brell ferry leaves Tarn pier at 07:40 and takes 35 minutes.",
        "lamp.txt": "The Osk lamp runs on 12 volts and must not be used outdoors.",
    }.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "LANGSMITH_"))}
    env = {**kept, "LANGGRAPH_CLI_NO_ANALYTICS": "1", "BG_JOB_ISOLATED_LOOPS": "false"}
    command = [PROGRAM, "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with (folder / "log").open("w") as log:
        running = subprocess.Popen(
            command, cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True
        )
        address = f"http://127.0.0.1:{port}"
        try:
            _until_up(address, running, folder / "log")
            yield address, folder / "log"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()


def _until_up(address: str, running: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 100
    while time.monotonic() < end and running.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/ok", timeout=2):
            return
        time.sleep(0.3)
    pytest.fail(f"the server did not start:\n{log.read_text()[-3000:]}")


@pytest.fixture
async def client(server: tuple[str, Path]) -> AsyncIterator[Any]:
    async with get_client(url=server[0]) as opened:
        yield opened


async def graph_assistant(client: Any) -> str:
    found = await client.assistants.search(graph_id="ragloop", limit=100)
    return str(next(one["assistant_id"] for one in found if one["name"] == "ragloop"))


async def test_the_graph_opens_with_its_reasons_on_the_arrows(client: Any) -> None:
    drawn = await client.assistants.get_graph(await graph_assistant(client))

    edges: Any = drawn["edges"]
    shown = {(edge["source"], edge.get("data"), edge["target"]) for edge in edges}
    wanted = {
        (node, reason, target) for node, (_, to) in ARROWS.items() for reason, target in to.items()
    }
    assert wanted <= shown
    assert set(NODES) <= {node["id"] for node in drawn["nodes"]}


async def test_the_settings_are_a_form_with_each_prompt_on_its_node(client: Any) -> None:
    schemas = await client.assistants.get_schemas(await graph_assistant(client))

    fields: Any = (schemas["context_schema"] or {})["properties"]
    assert fields["grade_passages_prompt"]["langgraph_nodes"] == ["grade_passages"]
    assert fields["grade_passages_prompt"]["langgraph_type"] == "prompt"
    assert fields["k"]["minimum"] == 1 and fields["k"]["description"]


async def test_a_question_is_answered_without_a_key_and_every_step_can_be_read(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]

    told = {}
    async for event in client.runs.stream(thread, "ragloop", input=QUESTION, stream_mode="updates"):
        if event.event == "updates":
            told.update(event.data)
    state: Any = await client.threads.get_state(thread)

    assert "07:40" in state["values"]["answer"]["text"]
    assert told["grade_passages"]["relevance"] == "correct"
    assert state["values"]["grades"] and state["values"]["context"]


async def test_presets_are_offered_as_assistants_once(client: Any) -> None:
    await offer_presets(client)
    await offer_presets(client)
    found = await client.assistants.search(graph_id="ragloop", limit=100)
    plain = next(one["assistant_id"] for one in found if one["name"] == "plain")
    values: Any = await client.runs.wait(None, plain, input=QUESTION)

    assert sorted(one["name"] for one in found if one["name"] in PRESETS) == sorted(PRESETS)
    assert values["answer"]["grades"] == []


async def test_a_state_edited_by_hand_goes_on_from_any_checkpoint(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "ragloop", input=QUESTION)
    history: Any = await client.threads.get_history(thread, limit=50)
    before = next(step for step in history if step["next"] == ["retrieve"])

    forked = await client.threads.update_state(
        thread,
        {"query": "Osk lamp volts", "searching": ["Osk lamp volts"], "question": "Osk lamp volts?"},
        checkpoint=before["checkpoint"],
    )
    values: Any = await client.runs.wait(
        thread, "ragloop", input=None, checkpoint=forked["checkpoint"]
    )

    assert "12 volts" in values["answer"]["text"]


async def test_a_run_that_waits_for_a_person_goes_on_with_the_reply(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    context = {"ask_when_ambiguous": True}

    unclear = {"question": "When does it leave?"}
    await client.runs.wait(thread, "ragloop", input=unclear, context=context)
    waiting: Any = (await client.threads.get_state(thread))["interrupts"]
    reply: Any = {"resume": QUESTION["question"]}
    values: Any = await client.runs.wait(thread, "ragloop", command=reply, context=context)

    assert waiting[0]["value"]["asks"] == "clarify"
    assert "07:40" in values["answer"]["text"]


async def test_a_second_turn_of_a_thread_sees_the_first(client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]

    await client.runs.wait(
        thread, "ragloop", input={"messages": [("user", "Tell me of the Brell ferry.")]}
    )
    second: Any = {"messages": [{"role": "user", "content": "When does it leave?"}]}
    values: Any = await client.runs.wait(thread, "ragloop", input=second)

    assert "Brell" in values["answer"]["question"]


def test_the_log_holds_no_complaint(server: tuple[str, Path]) -> None:
    log = server[1].read_text()

    for complaint in ("attempted relative import", "Could not import", "custom checkpointer"):
        assert complaint not in log
    assert "BlockingError" not in log and "Traceback" not in log
