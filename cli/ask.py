"""`ragloop ask`: one question, one answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..graph.settings import Settings
from ..stores.errors import SettingsError
from .opening import Opener, with_store
from .options import with_settings
from .output import note
from .running import Live, answer_to, checked_question, compiled, show, thread_memory

ThreadOption = Annotated[
    str, typer.Option("--thread", metavar="ID", help="Go on in this conversation of --checkpoint.")
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option("--checkpoint", metavar="FILE", help="SQLite file that keeps conversations."),
]


@with_settings
@with_store
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know, in quotes.")],
    opens: Opener,
    thread: ThreadOption = "",
    checkpoint: CheckpointOption = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Print the answer as it is written.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole Answer as JSON.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Tell each step, its reason and its cost on stderr.")
    ] = False,
    *,
    settings: Settings,
) -> None:
    """Ask a question of a store or of a folder, and get a cited answer or an honest refusal."""
    asked = checked_question(question)
    if stream and settings.stream == "off":
        settings = settings.changed(stream="live")
    if thread and not checkpoint:
        raise SettingsError("--thread needs --checkpoint FILE, where conversations are kept")
    opened = opens()
    with thread_memory(checkpoint) as memory:
        if checkpoint and not thread:
            from uuid import uuid4

            thread = uuid4().hex[:12]
            note(f"Conversation {thread}: go on in it with --thread {thread}")
        app = compiled(opened, settings, memory)
        live = Live() if stream and not as_json else None
        on_token = live.token if live else None
        answer = answer_to(app, asked, thread=thread, trace=trace, on_token=on_token)
    show(answer, as_json=as_json, live=live)
