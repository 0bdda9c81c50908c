"""The command `ragloop`: which commands there are, and how they end.

A command's module is imported when that command runs, so `ragloop --help` stays quick.
Exit codes: 0 answered, partial, direct or refused; 1 failure; 2 wrong use; 130 stopped by Ctrl-C.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..stores.errors import QuestionError, RagloopError, SettingsError
from .output import forgive_encodings, note
from .tracing import hush_tracer, leave

COMMANDS = {
    "index": "Cut documents into passages and keep them in a store.",
    "ask": "Ask a question of a store or of a folder.",
    "chat": "Ask question after question in one conversation.",
    "graph": "Show the graph, and the most that the settings allow it to do.",
    "calibrate": "Measure the judges on labelled pairs and fit their thresholds.",
    "bench": "Measure answers, calls and tokens on data sets.",
    "sweep": "Measure over a range of one setting.",
    "diagnose": "Name what is wrong with how the budget is spent, and what to do.",
    "compare": "Compare two files of records, question by question.",
    "health": "Read the four health figures from records of runs.",
    "ledger": "Say where calls, tokens, seconds and money went, and what they bought.",
    "report": "Make one HTML page of records: tables, plots, worst cases.",
    "simulate": "Draw how good a judge must be before the loop pays.",
    "serve": "Answer in a browser and over HTTP.",
}
"""Every command with its one line of help; the module has the same name."""


class LazyGroup(TyperGroup):
    """Lists commands without importing them, and turns errors into one line."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in COMMANDS if find_spec(f"{__package__}.{name}")]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Give a stand-in that knows its line of help; `resolve_command` gives the real one."""
        if cmd_name in self.list_commands(ctx):
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name])
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        assert name is not None
        return name, load_command(name), rest

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (SettingsError, QuestionError) as error:
            note(f"Error: {error}")
            raise typer.Exit(2) from None
        except RagloopError as error:
            note(f"Error: {error}")
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            note("Stopped.")
            raise typer.Exit(130) from None


def load_command(name: str) -> Any:
    """Import a command: a function named after it, or a `typer.Typer` called `app`."""
    module = import_module(f"{__package__}.{name}")
    made = getattr(module, "app", None)
    if made is None:
        made = typer.Typer(add_completion=False, rich_markup_mode=None)
        made.command(name)(getattr(module, name))
    return typer.main.get_command(made)


app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"ragloop {version('ragloop')}")
        raise typer.Exit


@app.callback()
def ragloop(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Ask questions of your documents: a retrieval loop that checks itself.

    Without a model setting it runs on its own offline engine: no key, no network.
    """


def main() -> None:
    """Run the command line."""
    forgive_encodings()
    hush_tracer()
    try:
        app(prog_name="ragloop")
    except SystemExit as end:
        leave(end.code if isinstance(end.code, int) else int(end.code is not None))
