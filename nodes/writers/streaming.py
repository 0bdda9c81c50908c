"""Words on their way to the reader: what was shown is never taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from . import markers
from .draft import Citation

_MAYBE_MARKER = re.compile(r"\s*(?:\[[^\[\]\n]{0,40}|[【［][^】］\n]{0,90})?$")


class MarkerFilter:
    """Passes words on as they come, without markers that no source has.

    Holds back what may turn out to be such a marker, and the space before it, until that is known.
    """

    def __init__(self, known: int, show: Callable[[str], None]) -> None:
        self._known = known
        self._show = show
        self._held = ""

    def __call__(self, words: str) -> None:
        """Take the next words."""
        self._held += words
        open_at = _MAYBE_MARKER.search(self._held)
        cut = open_at.start() if open_at else len(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        self._pass_on(ready)

    def close(self) -> None:
        """Pass on what was held back: the text is over."""
        ready, self._held = self._held.rstrip(), ""
        self._pass_on(ready)

    def _pass_on(self, text: str) -> None:
        for marker in reversed(markers.find(text)):
            if not any(1 <= number <= self._known for number in marker.numbers):
                before = text[: marker.start].rstrip(" ")
                text = before + text[marker.end :]
        if text:
            self._show(text)


def renumbered(text: str, citations: Sequence[Citation], offset: int) -> tuple[str, list[Citation]]:
    """A text with every marker raised by `offset`, so that it can follow another one."""
    for marker in reversed(markers.find(text)):
        raised = "".join(f"[{number + offset}]" for number in marker.numbers)
        text = text[: marker.start] + raised + text[marker.end :]
    return text, [{**cited, "marker": cited["marker"] + offset} for cited in citations]
