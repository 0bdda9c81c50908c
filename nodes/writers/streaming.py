"""Words on their way to the reader: what was shown is never taken back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Literal

from ..steps import ReaderGone
from . import markers
from .citing import settled
from .draft import Citation


class SettledWords:
    """Passes words on as soon as the text they belong to can no longer change.

    Markers are made true while a text is still being written: what is shown is always a prefix of
    what `citing.resolve` makes of the whole.
    """

    def __init__(self, known: int, show: Callable[[str], None]) -> None:
        self._known = known
        self._show = show
        self._written = ""
        self._shown = 0

    def __call__(self, words: str) -> None:
        """Take the next words."""
        self._written += words
        ready = settled(self._written, self._known)
        if len(ready) > self._shown:
            self._show(ready[self._shown :])
            self._shown = len(ready)


class HeldWords:
    """Keeps words back until it is known whether they may be shown. Safe for two threads."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._held = ""
        self._state: Literal["held", "open", "dropped"] = "held"
        self._lock = threading.Lock()

    def __call__(self, words: str) -> None:
        """Take the next words; raises ReaderGone when nobody will see them."""
        with self._lock:
            if self._state == "dropped":
                raise ReaderGone
            if self._state == "held":
                self._held += words
            else:
                self._show(words)

    def open(self) -> None:
        """Show what was held back, and from now on words as they come."""
        with self._lock:
            self._state = "open"
            if self._held:
                self._show(self._held)

    def drop(self) -> None:
        """Show nothing of it, and end the writing at the next word."""
        with self._lock:
            self._state = "dropped"


def renumbered(text: str, citations: Sequence[Citation], offset: int) -> tuple[str, list[Citation]]:
    """A text with every marker raised by `offset`, so that it can follow another one."""
    for marker in reversed(markers.find(text)):
        raised = "".join(f"[{number + offset}]" for number in marker.numbers)
        text = text[: marker.start] + raised + text[marker.end :]
    return text, [{**cited, "marker": cited["marker"] + offset} for cited in citations]
