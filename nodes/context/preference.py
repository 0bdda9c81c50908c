"""Which of two copies stays."""

from __future__ import annotations

import re

from .candidates import Candidate, rank_key

_FIELDS = ("title", "date", "source", "section", "version")


def _version_key(version: str) -> list[tuple[int, int, str]]:
    """Numbers by size, words by letters: 1.10 comes after 1.9."""
    parts = re.findall(r"\d+|[^\W\d_]+", version)
    return [(1, int(p), "") if p.isdigit() else (0, 0, p.casefold()) for p in parts]


def newer(a: Candidate, b: Candidate) -> Candidate | None:
    """The newer of two by version, else by date; None when nothing tells them apart."""
    for name in ("version", "date"):
        key_a, key_b = _version_key(a.get(name)), _version_key(b.get(name))
        if key_a and key_b and key_a != key_b:
            return a if key_a > key_b else b
    return None


def better(a: Candidate, b: Candidate) -> Candidate:
    """The copy to keep, not simply the better-scored one.

    Inside one document the newer version; then the one that holds clearly more text; then the one
    with more of title, date, source, section and version; then the newer; then the better score.
    """
    first, second = sorted((a, b), key=rank_key)
    same_document = a.document_id == b.document_id
    if same_document and (winner := newer(a, b)) is not None:
        return winner
    if abs(len(a.text) - len(b.text)) > 0.2 * min(len(a.text), len(b.text)):
        return max(first, second, key=lambda c: len(c.text))
    filled = [sum(1 for name in _FIELDS if c.get(name)) for c in (first, second)]
    if filled[0] != filled[1]:
        return first if filled[0] > filled[1] else second
    return newer(a, b) or first
