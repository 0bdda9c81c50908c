"""Which commands there are, what they load, and how they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ragloop.cli.main import COMMANDS, load_command

from .shell import command_in

HEAVY = {
    "bm25s",
    "chromadb",
    "langchain_core",
    "langchain_openai",
    "langgraph",
    "numpy",
    "onnxruntime",
    "openai",
    "pydantic",
}


def loaded_by(arguments: list[str], folder: Path) -> set[str]:
    """Names of the modules that a command has loaded when it ends."""
    code = (
        "import sys\n"
        f"sys.argv = ['ragloop', *{arguments!r}]\n"
        "from ragloop.cli.main import main\n"
        "try:\n    main()\n"
        "finally:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=folder, capture_output=True, text=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=lambda given: given[0])
def test_help_and_version_load_no_heavy_library(arguments: list[str], tmp_path: Path) -> None:
    loaded = loaded_by(arguments, tmp_path)

    assert "ragloop.cli.main" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_help_lists_each_command_with_its_line(tmp_path: Path) -> None:
    done = command_in(tmp_path, "--help")

    assert done.returncode == 0
    for name in ("index", "ask", "chat", "graph"):
        assert f"{name} " in done.stdout
        assert COMMANDS[name] in done.stdout


def test_a_command_s_own_help_opens_with_the_line_in_the_list() -> None:
    wrong = [
        name
        for name in ("ask", "chat", "graph")
        if COMMANDS[name].rstrip(".").split(",")[0] not in load_command(name).help
    ]

    assert not wrong


def test_an_unknown_command_is_wrong_use(tmp_path: Path) -> None:
    done = command_in(tmp_path, "aks", "Where?")

    assert done.returncode == 2
    assert "aks" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["ask", "chat", "graph"])
def test_each_command_has_help(command: str, tmp_path: Path) -> None:
    done = command_in(tmp_path, command, "--help")

    assert done.returncode == 0
    assert "--max-rounds" in done.stdout
