"""`ragloop chat`: question after question in one conversation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated

import typer

from ..graph.settings import Settings
from ..stores.errors import RagloopError
from .ask import CheckpointOption, ThreadOption
from .opening import Opener, with_store
from .options import with_settings
from .output import from_shell, note, say
from .running import answer_to, compiled, show, thread_memory


@with_settings
@with_store
def chat(
    opens: Opener,
    thread: ThreadOption = "chat",
    checkpoint: CheckpointOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each whole Answer as JSON.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Tell each step, its reason and its cost on stderr.")
    ] = False,
    *,
    settings: Settings,
) -> None:
    """Ask question after question in one conversation. An empty line or Ctrl-D ends it."""
    opened = opens()
    with thread_memory(checkpoint) as kept:
        memory = kept
        if memory is None:
            from langgraph.checkpoint.memory import InMemorySaver

            memory = InMemorySaver()
        app = compiled(opened, settings, memory)
        for question in questions():
            try:
                show(answer_to(app, question, thread=thread, trace=trace), as_json=as_json)
            except RagloopError as error:
                note(f"Error: {error}")


def questions() -> Iterator[str]:
    """Read questions, with line editing where a person types; the end of input ends them."""
    typed = sys.stdin.isatty()
    if typed:
        with suppress(ImportError):  # Windows has none
            import readline  # noqa: F401  gives input() its line editing
        note("Ask away. Ctrl-D ends the conversation.")
    while True:
        try:
            line = input("> " if typed else "")
        except EOFError:
            if typed:
                say("")
            return
        if question := from_shell(line).strip():
            yield question
