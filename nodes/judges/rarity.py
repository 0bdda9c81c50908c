"""How rare a term is, from a small table of common terms; the judge has no corpus of its own."""

from __future__ import annotations

from functools import lru_cache

from ...stores.text import has_cjk
from .logistic import FOLDER, read

UNKNOWN = 1.0
"""Weight of a term that is in no table: names, numbers, special words."""


@lru_cache(maxsize=1)
def _table() -> dict[str, float]:
    kept: dict[str, float] = {}
    for language in ("en", "zh"):
        for weight, terms in read(FOLDER / "rarity.json")[language].items():
            kept.update(dict.fromkeys(terms.split(), float(weight)))
    return kept


@lru_cache(maxsize=65536)
def rarity(term: str) -> float:
    """Weight of a content term, about 0.2 (in every third text) to 1 (hardly ever seen)."""
    known = _table().get(term)
    if known is not None:
        return known
    return UNKNOWN * (0.6 if len(term) == 1 and has_cjk(term) else 1.0)
