"""Showing that something long is under way, on stderr and only where somebody is looking."""

from __future__ import annotations

import sys
import time
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


NOTE_EVERY_S = 10.0


@contextmanager
def steady_progress(total: int) -> Iterator[Callable[[int, str], None]]:
    """Give what tells how far a long run is, with the time that is left.

    A bar where somebody is looking; elsewhere, in a log, a line every ten seconds.
    """
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        columns = (BarColumn(), MofNCompleteColumn(), TimeLeft(), TextColumn("{task.description}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda done, name: bar.update(task, completed=done, description=f"{name:.50}")
        return
    began = told = time.monotonic()

    def tell(done: int, name: str) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= NOTE_EVERY_S:
            told = now
            seconds = (now - began) / done * (total - done)
            sys.stderr.write(f"{done} of {total}, about {seconds:.0f} s left\n")
            sys.stderr.flush()

    yield tell
