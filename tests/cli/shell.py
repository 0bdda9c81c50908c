"""Runs the real command the way a user does: in this process, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragloop.cli.main import app

COMMAND = Path(sys.executable).with_name("ragloop")
KEY = "sk-secret-123"
OF_THE_USER = ("OPENAI_", "LANGSMITH_", "LANGCHAIN_", "RAGLOOP_")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def command_in(folder: Path, *arguments: str | Path, stdin: str = "") -> Done:
    """Run the command in this process, in `folder`; an error that it does not handle is raised."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in [name for name in os.environ if name.startswith(OF_THE_USER)]:
            patch.delenv(name)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setenv("OPENAI_API_KEY", KEY)
        done = CliRunner().invoke(app, [str(one) for one in arguments], input=stdin)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def environment(folder: Path, changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a user without a key, with a cache in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_USER)}
    return kept | {"XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "100"} | dict(changes or {})


def process_in(
    folder: Path, *arguments: str | bytes | Path, env: Mapping[str, str] | None = None
) -> Done:
    """Run the installed command in a process of its own, in `folder`."""
    done = subprocess.run(
        [COMMAND, *arguments],
        check=False,
        cwd=folder,
        env=environment(folder, env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def one_line(text: str) -> str:
    """Give the only line of a text; fails when it has none or more."""
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == 1, text
    return lines[0]
