"""Words on their way to the reader: what was shown is never taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


def renumbered(text: str, citations: Sequence[Citation], offset: int) -> tuple[str, list[Citation]]:
    """A text with every marker raised by `offset`, so that it can follow another one."""
    for marker in reversed(markers.find(text)):
        raised = "".join(f"[{number + offset}]" for number in marker.numbers)
        text = text[: marker.start] + raised + text[marker.end :]
    return text, [{**cited, "marker": cited["marker"] + offset} for cited in citations]
