"""The command against a scripted model server, in this process: for tests of reported faults.

    with Place({"grade_passages": ["Yes."]}) as place:
        place.index({"well.txt": "The well is 31 metres deep."})
        found = place.ask("How deep is the well?", "--k", "1")
        assert found.answer["outcome"] == "answered"

Every node has a model of its own on the server, named after the node, so that a script says which
step gets which reply, and `place.server.calls("generate")` counts them.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopback import Loopback, prompt_of
from small_graph import NOTES, QUESTION
from typer.testing import CliRunner

from ragloop.cli.main import app
from ragloop.graph.prompts import DEFAULTS

TEXTS = {f"{name}.txt": text for name, text in NOTES.items()}
DEPTH = "It is 31 metres deep."
__all__ = ["DEPTH", "QUESTION", "TEXTS", "Found", "Place"]


@dataclass(frozen=True)
class Found:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """The Answer that was printed as JSON."""
        made: dict[str, Any] = json.loads(self.out)
        return made

    @property
    def error(self) -> str:
        """The one line that says what is wrong; fails when there is none, or more."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        assert self.code in (1, 2), self
        assert len(lines) == 1, self.err
        return lines[0]

    @property
    def warned(self) -> str:
        """All warnings, in the answer and on stderr."""
        warnings = self.answer["warnings"] if self.out.startswith("{") else []
        return "\n".join([*warnings, self.err])


class Place:
    """A folder with documents and a store, and a model server; removed at the end."""

    def __init__(self, script: Mapping[str, Sequence[Any]] | None = None, **server: Any) -> None:
        self.server = Loopback(script, **server)
        self.folder = Path(tempfile.mkdtemp(prefix="ragloop-test-"))
        self.docs = self.folder / "docs"
        self.embed = "words"

    def __enter__(self) -> Place:
        self.server.__enter__()
        self._before = Path.cwd(), dict(os.environ)
        os.chdir(self.folder)
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        for name in [n for n in os.environ if n.startswith(("OPENAI_", "LANGSMITH_"))]:
            del os.environ[name]
        return self

    def __exit__(self, *_: object) -> None:
        os.chdir(self._before[0])
        os.environ.clear()
        os.environ.update(self._before[1])
        self.server.__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, texts: Mapping[str, str | bytes]) -> None:
        """Put documents into the folder."""
        for name, text in texts.items():
            file = self.docs / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def index(self, texts: Mapping[str, str | bytes] | None = None, *flags: str) -> Found:
        """Write documents (the four notes unless others are given) and index the folder."""
        self.write(TEXTS if texts is None else texts)
        return self.run("index", str(self.docs), *self.where(), *flags)

    def where(self) -> list[str]:
        """The store and its embedding."""
        return ["--store", "store", "--embed-model", self.embed, "--base-url", self.server.url]

    def ask(self, question: str = QUESTION, *flags: str, as_json: bool = True) -> Found:
        """Ask the store, each node of a model of its own."""
        models = [part for node in DEFAULTS for part in ("--model-for", f"{node}={node}")]
        shape = ["--json"] if as_json else []
        return self.run("ask", question, *self.where(), *models, *shape, *flags)

    def asked(self, *flags: str, question: str = QUESTION) -> dict[str, Any]:
        """Index the four notes, ask, and give the Answer."""
        self.index()
        found = self.ask(question, *flags)
        assert found.code == 0, found
        return found.answer

    def run(self, *arguments: str) -> Found:
        """Run the command. An exception that is not ours comes out as it is."""
        result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
        return Found(result.exit_code, result.stdout, result.stderr)

    def prompts(self, node: str) -> list[str]:
        """What a node sent, in order."""
        return [prompt_of(body) for body in self.server.chats(node)]

    def embedded(self) -> list[str]:
        """Every text that was sent to be embedded, in order."""
        bodies = [one for one in self.server.requests if one["path"].endswith("/embeddings")]
        return [text for body in bodies for text in body["input"]]
