"""Starting without a key or the network; output that nothing litters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from asking import QUESTION, TEXTS

COMMAND = str(Path(sys.executable).with_name("ragloop"))
NO_NETWORK = """
import runpy, socket, sys
real = socket.socket.connect
def connect(self, address, *rest):
    host = address[0] if isinstance(address, tuple) else ""
    if host and not host.startswith("127.") and host != "localhost":
        raise SystemExit(f"a connection to {host} was tried")
    return real(self, address, *rest)
socket.socket.connect = connect
sys.argv = ["ragloop", *sys.argv[1:]]
runpy.run_module("ragloop.cli", run_name="__main__")
"""


def run(
    command: list[str], folder: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "LANGSMITH_"))}
    bare |= {"XDG_CACHE_HOME": str(folder / "cache"), **(env or {})}
    return subprocess.run(
        command,
        cwd=folder,
        env=bare,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [[sys.executable, "-c", "import ragloop"], [COMMAND, "--help"], [COMMAND, "--version"]],
    ids=["import", "help", "version"],
)
def test_it_starts_without_a_key(command: list[str], tmp_path: Path) -> None:
    ran = run(command, tmp_path)

    assert ran.returncode == 0, ran.stderr


def test_nothing_outside_this_machine_is_called_and_stdout_is_one_json(notes: Path) -> None:
    guarded = [sys.executable, "-c", NO_NETWORK, "ask", QUESTION, "--docs", "docs", "--json"]

    ran = run(guarded, notes)

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["outcome"] == "answered"
    assert "telemetry" not in ran.stderr


def test_tracing_with_a_false_key_neither_litters_nor_holds_up(notes: Path) -> None:
    tracing = {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_API_KEY": "x",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    }

    ran = run([COMMAND, "ask", QUESTION, "--docs", "docs", "--json"], notes, tracing)

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["outcome"] == "answered"
    assert len(ran.stderr.strip().splitlines()) <= 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_a_console_that_cannot_show_a_sign_ends_no_run(encoding: str, notes: Path) -> None:
    text = "✅ The well at Orsa is 31 metres deep — at least. 渡轮"
    (notes / "docs" / "well.txt").write_text(text, encoding="utf-8")
    poor = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}

    ran = run([COMMAND, "ask", QUESTION, "--docs", "docs"], notes, poor)

    assert ran.returncode == 0, ran.stderr
    assert "31 metres" in ran.stdout


def test_bytes_that_are_no_text_end_no_run(notes: Path) -> None:
    question = b"How deep is the well at Orsa\xff?"

    ran = subprocess.run(
        [COMMAND.encode(), b"ask", question, b"--docs", b"docs"],
        cwd=notes,
        env={**os.environ, "XDG_CACHE_HOME": str(notes / "cache")},
        capture_output=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert b"31 metres" in ran.stdout
