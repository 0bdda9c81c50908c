"""Showing that something long is under way, on stderr and only where somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Moved = Callable[[int, int, str], None]
"""Called with the number done, the number in all and what is at hand."""


@contextmanager
def progress_bar(*, quiet: bool = False) -> Iterator[Moved | None]:
    """Give what moves the bar; None when nobody would see it. The bar goes when it is full."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    with Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, name: bar.update(
            task, completed=done, total=total, description=name
        )
