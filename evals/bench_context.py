"""How long choosing takes, beside LangChain's own redundancy filter and MMR: `make bench`.

The same texts and vectors for all. What is compared is the whole of `select` (duplicates in three
layers, slots, trimming, exact packing) with single steps of LangChain. Ratios travel between
machines; milliseconds do not.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ..nodes.context import select

SIZES = (50, 500, 5000)
DIMENSIONS = 384
BUDGET = 3000
QUESTION = "Which ferry leaves Tarn pier after 07:40, and how long does the Brell ferry take?"
_WORDS = re.findall(
    r"\w+",
    "ferry pier harbour leaves arrives minutes ticket island crossing weather season office crew "
    "deck cargo bicycle notice winter summer holiday timetable passenger engine captain bridge",
)


def corpus(size: int, seed: int = 3) -> tuple[list[dict[str, Any]], np.ndarray[Any, Any]]:
    """Candidates of about 120 words in clusters, one in ten a near copy, with unit vectors."""
    chance, noise = random.Random(seed), np.random.default_rng(seed)
    centres = noise.normal(size=(max(4, size // 25), DIMENSIONS))
    candidates: list[dict[str, Any]] = []
    vectors = np.empty((size, DIMENSIONS), dtype=np.float32)
    for at in range(size):
        if at % 10 == 9:
            text = str(candidates[at - 1]["text"]) + " Reprinted."
            vectors[at] = vectors[at - 1] + noise.normal(scale=0.01, size=DIMENSIONS)
        else:
            words = [
                f"{chance.choice(_WORDS)}{chance.choice(['', 's', str(at)])}" for _ in range(120)
            ]
            text = " ".join(words[:60]) + ". " + " ".join(words[60:]) + "."
            vectors[at] = centres[at % len(centres)] + noise.normal(scale=0.7, size=DIMENSIONS)
        candidates.append(
            {"id": f"p{at}", "document_id": f"d{at}", "text": text, "score": chance.random()}
        )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for candidate, vector in zip(candidates, vectors, strict=True):
        candidate["vector"] = vector
    return candidates, vectors


def redundant_filter(vectors: np.ndarray[Any, Any], threshold: float = 0.95) -> list[int]:
    """What LangChain's EmbeddingsRedundantFilter does, in its own way: all pairs, then a loop.

    Written out here because the package that holds it is not a dependency.
    """
    similarity = np.tril(vectors @ vectors.T, k=-1)
    rows, columns = np.where(similarity > threshold)
    order = np.argsort(-similarity[rows, columns])
    included = set(range(len(vectors)))
    for first, second in zip(rows[order], columns[order], strict=True):
        if int(first) in included and int(second) in included:
            included.remove(int(second))
    return sorted(included)


def seconds(run: Callable[[], object], repeats: int) -> float:
    """The median time of a call, after one to warm up."""
    run()
    taken = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        taken.append(perf_counter() - start)
    return median(taken)


def rows() -> list[dict[str, float]]:
    """One row a size: milliseconds, and `select` as a multiple of the two others."""
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    found = []
    for size in SIZES:
        candidates, vectors = corpus(size)
        repeats = 3 if size > 1000 else 9
        ours = seconds(lambda c=candidates: select(c, QUESTION, BUDGET), repeats)  # type: ignore[misc]
        mmr = seconds(
            lambda v=vectors: maximal_marginal_relevance(v[0], list(v), k=20),  # type: ignore[misc]
            repeats,
        )
        redundant = seconds(lambda v=vectors: redundant_filter(v), repeats)  # type: ignore[misc]
        found.append(
            {
                "candidates": size,
                "select_ms": ours * 1e3,
                "langchain_mmr_ms": mmr * 1e3,
                "redundant_filter_ms": redundant * 1e3,
                "times_mmr": ours / mmr,
                "times_both": ours / (mmr + redundant),
            }
        )
    return found


def main() -> None:
    """Print the table."""
    out = sys.stdout.write
    table = rows()
    out("  ".join(f"{name:>20}" for name in table[0]) + "\n")
    for row in table:
        out("  ".join(f"{value:20.1f}" for value in row.values()) + "\n")


if __name__ == "__main__":
    main()
