"""Relevance to the part of the question that a passage answers best.

A score tells how much a passage resembles the whole question. Evidence for a question of several
parts resembles one of them only, and loses to passages that are a little like everything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...stores.text import content_terms, fold
from .candidates import Candidate
from .dates import named_dates
from .slots import Asked, question_parts


def named_fields(text: str, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """1 plus 1 for a source and 1 for a date that the text names; shape (candidates,)."""
    folded = fold(text)
    dates = tuple(named_dates(folded))
    named = []
    for candidate in candidates:
        source, date = fold(candidate.get("source")), candidate.get("date")
        from_source = len(source) > 2 and source in folded
        named.append(1.0 + from_source + (bool(dates) and date.startswith(dates)))
    return np.array(named)


def part_relevance(
    question: str, candidates: Sequence[Candidate], wanted: Asked
) -> NDArray[np.float64]:
    """0 to 1 for each candidate, relative to the best one for the same part; (candidates,)."""
    best = np.zeros(len(candidates))
    for part in question_parts(question):
        columns = wanted.columns(content_terms(part))
        alike = wanted.present[:, columns] @ wanted.rarity[columns]
        # Half of the emphasis that the whole question gives to a named source or date.
        alike *= (1.0 + named_fields(part, candidates)) / 2.0
        if (top := float(alike.max(initial=0.0))) > 0:
            best = np.maximum(best, alike / top)
    return best
