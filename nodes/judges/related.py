"""Words of one meaning counted as one: "wrote" and "author", 导演 and 执导.

The groups stand in `coefficients/related.txt`, in plain sight. They are few and tight: a group that
is too wide makes a wrong passage look right.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ...stores.text import content_terms, has_cjk, stem, words
from .logistic import FOLDER


@lru_cache(maxsize=1)
def _first_of() -> dict[str, str]:
    """Term to the first term of its group; a term stays in the first group that has it."""
    first: dict[str, str] = {}
    for line in (FOLDER / "related.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        group = [w if has_cjk(w) else stem(w) for w in line.split()]
        for word in group:
            first.setdefault(word, group[0])
    return first


@lru_cache(maxsize=1)
def opposites() -> dict[str, frozenset[str]]:
    """Term to the terms that say the contrary, from `coefficients/opposites.txt`."""
    found: dict[str, frozenset[str]] = {}
    for line in (FOLDER / "opposites.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or "|" not in line:
            continue
        sides = [
            frozenset(w if has_cjk(w) else stem(w) for w in side.split())
            for side in line.split("|")
        ]
        for own, other in (sides, sides[::-1]):
            for word in own - other:
                found[word] = found.get(word, frozenset()) | (other - own)
    return found


@lru_cache(maxsize=1)
def _members() -> dict[str, tuple[str, ...]]:
    members: dict[str, list[str]] = {}
    for word, first in _first_of().items():
        members.setdefault(first, []).append(word)
    return {first: tuple(words) for first, words in members.items()}


@lru_cache(maxsize=65536)
def _of_word(word: str) -> tuple[str, ...]:
    first = _first_of()
    return tuple(first.get(term, term) for term in content_terms(word))


def meanings(text: str) -> list[str]:
    """Content terms of the text in order, each replaced by the first term of its group."""
    return [term for word in words(text) for term in _of_word(word)]


def spellings(term: str) -> Iterable[str]:
    """All terms of the group that `term` stands for; the term itself when it is in none."""
    return _members().get(term, (term,))
