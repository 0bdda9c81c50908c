"""The development server on a clone: it starts without a key and answers over HTTP."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import QUESTION, TEXTS
from small_graph import store_of

from ragloop.graph.build import Parts, build_graph

ROOT = Path(__file__).parents[2]
LANGGRAPH = Path(sys.executable).with_name("langgraph")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LANGGRAPH.exists(), reason="the extra studio is not installed"),
]


class Dev:
    """A running `langgraph dev`."""

    def __init__(self, port: int, log: Path) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._log = log

    def call(self, path: str, body: Any = None) -> Any:
        """POST a body, or GET without one, and give the JSON."""
        sent = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, sent, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.loads(reply.read())

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def assistant(self) -> str:
        """The id of the one assistant."""
        return str(self.call("/assistants/search", {})[0]["assistant_id"])


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dev]:
    folder = tmp_path_factory.mktemp("clone")
    shutil.copy(ROOT / "langgraph.json", folder)
    for name in ("pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, folder)
    (folder / "notes").mkdir()
    for name, text in TEXTS.items():
        (folder / "notes" / name).write_text(text, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "LANGSMITH_"))}
    env |= {
        "RAGLOOP_DOCS": str(folder / "notes"),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "BG_JOB_ISOLATED_LOOPS": "false",
    }
    log = folder / "log.txt"
    command = [LANGGRAPH, "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=out, stderr=out)
        try:
            server = Dev(port, log)
            _wait_for(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(20)


def _wait_for(server: Dev, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        try:
            server.call("/ok")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
        else:
            return
    pytest.fail(f"langgraph dev did not start:\n{server.log[-3000:]}")


def test_the_graph_is_listed_and_nothing_failed_to_load(dev: Dev) -> None:
    listed = dev.call("/assistants/search", {})

    assert [one["graph_id"] for one in listed] == ["ragloop"]
    for words in ("relative import", "Could not import", "failed to load", "custom checkpointer"):
        assert words not in dev.log


def test_the_settings_form_is_there_without_a_key(dev: Dev) -> None:
    schemas = dev.call(f"/assistants/{dev.assistant}/schemas")

    form = schemas["context_schema"]["properties"]
    assert form["max_rounds"]["maximum"] == 100
    assert form["selector"]["enum"]


def test_its_arrows_are_those_of_the_graph(dev: Dev) -> None:
    drawn = dev.call(f"/assistants/{dev.assistant}/graph")["edges"]

    own = build_graph(Parts(passages=store_of())).compile().get_graph().edges
    assert {(e["source"], e["target"], e.get("data")) for e in drawn} == {
        (e.source, e.target, e.data) for e in own
    }


def run(dev: Dev, question: str, **more: Any) -> Any:
    wanted = {"assistant_id": "ragloop", "input": {"question": question}, **more}
    return dev.call("/runs/wait", wanted)


def test_a_run_answers_from_the_folder(dev: Dev) -> None:
    answer = run(dev, QUESTION)["answer"]

    assert answer["outcome"] == "answered"
    assert "31 metres" in answer["text"]


def test_a_run_takes_settings(dev: Dev) -> None:
    answer = run(dev, QUESTION, context={"k": 1})["answer"]

    assert len(answer["grades"]) == 1


def test_a_run_with_a_model_and_no_key_fails_with_a_line_about_the_key(dev: Dev) -> None:
    made = run(dev, QUESTION, context={"model": "gpt-4o-mini"})

    assert "key" in json.dumps(made).lower()


def test_a_second_turn_in_a_thread_sees_the_first(dev: Dev) -> None:
    thread = dev.call("/threads", {})["thread_id"]
    ask = f"/threads/{thread}/runs/wait"
    dev.call(ask, {"assistant_id": "ragloop", "input": {"question": "What is the Rask kiln for?"}})
    second = {"assistant_id": "ragloop", "input": {"question": "How hot is it?"}}

    answer = dev.call(ask, second)["answer"]

    assert "Rask" in answer["question"]
