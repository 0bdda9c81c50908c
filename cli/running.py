"""Asking the compiled graph, for every command that does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..stores.errors import ModelError, QuestionError, RagloopError, ReplyNeeded, SettingsError
from .output import answer_text, from_shell, note, say, say_json, summary
from .story import tell

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from ..graph.answer import Answer
    from ..graph.settings import Settings
    from .opening import Opened

    App = CompiledStateGraph[Any, Any, Any, Any]


def checked_question(text: str) -> str:
    """Clean a question from the command line; raises QuestionError when nothing is asked."""
    question = from_shell(text).strip()
    if not question:
        raise QuestionError("The question is empty. Give it in quotes: ragloop ask 'When ...?'")
    return question


def compiled(opened: Opened, settings: Settings, memory: Any = None) -> App:
    """Build the graph over an opened store."""
    from ..graph.build import Parts, build_graph, recursion_limit

    parts = Parts(passages=opened.search, documents=opened.store, embed=opened.embed)
    app = build_graph(parts, settings).compile(checkpointer=memory, name="ragloop")
    return app.with_config(recursion_limit=recursion_limit(settings))


def answer_to(
    app: App,
    question: str,
    *,
    thread: str = "",
    trace: bool = False,
    on_token: Callable[[str], None] | None = None,
) -> Answer:
    """Ask, and give the Answer; with `trace` each step is told on stderr as it ends.

    `on_token` gets the words of the answer as they are written.
    """
    config: Any = {"configurable": {"thread_id": thread}} if thread else None
    answer: Answer | None = None
    parts: Iterable[Any] = app.stream(
        {"question": question}, config, stream_mode=["updates", "custom"]
    )
    for kind, what in parts:
        if kind == "custom":
            if on_token and what.get("event") == "token":
                on_token(what["text"])
            continue
        for node, update in what.items():
            if trace and isinstance(update, dict):
                note(tell(node, update))
            if node == "finish":
                answer = update["answer"]
            if node == "__interrupt__":
                raise ReplyNeeded(
                    f"{update[0].value['message']} (The run waits for a reply, which this command "
                    "does not take: ask again, or change the setting.)"
                )
    if answer is None:
        raise RagloopError("The run ended without an answer. Please report this.")
    return answer


class Live:
    """Writes the words of an answer to stdout as they come, and then what is still to be said."""

    def __init__(self) -> None:
        self.shown = ""

    def token(self, text: str) -> None:
        """Write some words."""
        self.shown += text
        sys.stdout.write(text)
        sys.stdout.flush()

    def rest_of(self, text: str) -> str:
        """Give what of `text` has not been shown; all of it when the draft was thrown away."""
        if text.startswith(self.shown):
            return text[len(self.shown) :]
        return f"\n\n{text}"


def show(answer: Answer, *, as_json: bool, live: Live | None = None) -> None:
    """Write an answer: itself to stdout, warnings and the summary to stderr.

    Raises ModelError when no model answered and so nothing was; then there is no text to write.
    """
    failed = answer["stopped_by"] == "model_error" and answer["outcome"] == "refused"
    if as_json:
        say_json(answer)
    elif not failed:
        text = answer_text(answer)
        say(live.rest_of(text) if live else text)
        for warning in answer["warnings"]:
            note(f"Warning: {warning}")
        note(summary(answer))
    if failed:
        raise ModelError(answer["warnings"][-1] if answer["warnings"] else "The model failed.")


@contextmanager
def thread_memory(file: Path | None) -> Iterator[Any]:
    """Open a SQLite file that keeps threads; None without a file.

    Raises SettingsError when what it takes is not installed or the file cannot be used.
    """
    if file is None:
        yield None
        return
    try:
        from langgraph.checkpoint.sqlite import SqliteSaver
    except ImportError:
        raise SettingsError("--checkpoint needs: pip install 'ragloop[threads]'") from None
    import sqlite3

    try:
        with SqliteSaver.from_conn_string(str(file)) as saver:
            saver.setup()
            yield saver
    except sqlite3.Error as error:
        raise RagloopError(f"{file} cannot keep threads: {error}") from None
