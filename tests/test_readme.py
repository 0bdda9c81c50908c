"""README and docs are true: their picture, their commands, their Python."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_SECONDS = re.compile(r"\d+\.\d+ s\b")


def blocks(text: str, kind: str) -> list[str]:
    """The contents of the fenced blocks of one kind, in order."""
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def sessions(text: str) -> list[tuple[str, str]]:
    """Commands of the console blocks, each with the output printed below it."""
    found = []
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.strip()))
    return found


def test_the_picture_is_the_graph() -> None:
    from ragloop import MemoryStore, Parts, build_graph

    app = build_graph(Parts(passages=MemoryStore())).compile()

    drawn = app.get_graph().draw_mermaid()

    assert blocks(README, "mermaid") == [drawn.strip() + "\n"]


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*pair, id=pair[0][:60]) for page in PAGES for pair in sessions(page.read_text())],
)
def test_a_session_prints_what_it_shows(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = shlex.split(command)
    assert words[0] == "ragloop"
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run = [sys.executable, "-m", "ragloop.cli", *words[1:]]

    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)

    printed = "\n".join(filter(None, [done.stdout.strip(), done.stderr.strip()]))
    assert _SECONDS.sub("0 s", printed) == _SECONDS.sub("0 s", output)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(block, id=f"{page.name}-{at}")
        for page in PAGES
        for at, block in enumerate(blocks(page.read_text(), "python"))
    ],
)
def test_python_in_the_docs_runs(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    exec(compile(code, "docs", "exec"), {"__name__": "docs"})
