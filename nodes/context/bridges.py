"""Who names whom: the links that a question of two hops follows."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...stores.text import fold, has_cjk
from .candidates import Candidate

_ASIDE = re.compile(r"\s*[(（][^)）]*[)）]\s*$")


def _name(candidate: Candidate) -> str:
    """The title without an aside in brackets; empty when it is too short to tell anything."""
    name = _ASIDE.sub("", fold(candidate.get("title"))).strip()
    return name if len(name) >= (2 if has_cjk(name) else 4) else ""


class Bridges:
    """For a chosen passage: which others it names, or are about what names it."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._texts = [candidate.folded for candidate in candidates]
        self._names = [_name(candidate) for candidate in candidates]
        self._relevance = np.array([c.relevance for c in candidates])

    def __call__(self, index: int) -> NDArray[np.float64]:
        """Strength 0 to 1 for each candidate; shape (candidates,)."""
        text, name = self._texts[index], self._names[index]
        linked = [
            bool(other and other != name and _within(other, text))
            or bool(name and other != name and _within(name, its_text))
            for other, its_text in zip(self._names, self._texts, strict=True)
        ]
        return np.array(linked, dtype=np.float64)


def _within(name: str, text: str) -> bool:
    """The name occurs in the text, as words of its own."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if has_cjk(name) or not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(name, at + 1)
    return False
