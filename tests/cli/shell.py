"""Runs the real command in a process of its own, the way a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

COMMAND = Path(sys.executable).with_name("ragloop")


def ragloop(
    *arguments: str | bytes | Path,
    folder: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run `ragloop` in `folder`, with its cache there too, no model named and no tracing."""
    given = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "LANGSMITH_", "LANGCHAIN_", "COVERAGE"))
    }
    given |= {"XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "100", **(env or {})}
    return subprocess.run(
        [COMMAND, *arguments],
        check=False,
        cwd=folder,
        env=given,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def one_line(text: str) -> str:
    """Give the only line of a text; fails when it has none or more."""
    lines: Sequence[str] = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == 1, text
    return lines[0]
