"""Cosines, each computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...stores.errors import SettingsError
from .candidates import Candidate

Matrix = NDArray[np.float32]
_BLOCK = 1024


def unit_rows(vectors: Sequence[Sequence[float]] | Matrix) -> Matrix:
    """Vectors of length 1, shape (n, dimensions); a zero vector stays zero.

    Raises SettingsError when the vectors have different lengths or hold anything but numbers.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise SettingsError(
            "The candidates' vectors have different lengths. Embed all of them with one embedder."
        ) from error
    rows = np.nan_to_num(rows.reshape(len(rows), -1))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def near_pairs(candidates: Sequence[Candidate], least: float) -> Iterator[tuple[int, int]]:
    """Pairs whose cosine is at least `least`, in order; memory stays at one block of rows."""
    if len(candidates) < 2:
        return
    rows = unit_rows([c.vector for c in candidates if c.vector is not None])
    for start in range(0, len(rows), _BLOCK):
        near = np.argwhere(rows[start : start + _BLOCK] @ rows.T >= least)
        for i, j in near.tolist():
            if start + i < j:
                yield start + i, j
