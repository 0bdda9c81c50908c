"""How alike two texts are, and what makes two like texts different. English and Chinese.

Shingles are runs of three units: a word, or one CJK character. Texts too short for that are cut
into character pairs, so that identical short answers are alike too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

SIZE = 3
"""Units in a shingle."""
SHORT = 6
"""Texts of fewer units are compared by character pairs."""
COMMON = 64
"""A shingle in more texts than this is boilerplate and proposes no pairs."""

_FACTORS = np.array([1, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)
_SPREAD = np.uint64(0xFF51AFD7ED558CCD)

_UNITS = "天日号年月周个元人次岁位份件倍小时分秒%"
_NUMBERS = re.compile(
    rf"\d+(?:[.,:/-]\d+)*%?|[零〇一二三四五六七八九十百千万亿两]+(?=[{_UNITS}])"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|"
    r"thirty|forty|fifty|sixty|ninety|hundred|thousand|million|billion)\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\bmay(?=\s+\d)"
)
_FILLER = r"(?:(?:be|been|a|an|the|any|also|even|yet|then|still|indeed)\s+)*"
_NEGATED = re.compile(
    rf"\b(?:not|no|never|cannot|without|nor)\s+{_FILLER}([a-z]+)|n['’]t\s+{_FILLER}([a-z]+)"
    r"|[不没未勿莫](?:有|能|会|再|也|还|又)*([\u4e00-\u9fff])"
)


@lru_cache(maxsize=1 << 17)
def _unit_hash(unit: str) -> int:
    return crc32(unit.encode("utf-8", "surrogatepass"))


def shingles(found: Sequence[str]) -> Hashes:
    """Sorted, distinct shingle hashes of a text's `units`; empty only for a text without words."""
    seed = np.uint64(0)
    if len(found) < SHORT:
        letters = list("".join(found))
        found = [a + b for a, b in pairwise(letters)] or letters
        seed = np.uint64(1)  # so that a short text is never taken for a part of a long one
        codes = np.fromiter(map(_unit_hash, found), dtype=np.uint64, count=len(found))
        return np.unique((codes + seed) * _SPREAD)
    codes = np.fromiter(map(_unit_hash, found), dtype=np.uint64, count=len(found))
    mixed = sum(
        (codes[at : len(codes) - SIZE + 1 + at] * _FACTORS[at] for at in range(SIZE)),
        start=np.zeros(len(codes) - SIZE + 1, dtype=np.uint64),
    )
    return np.unique(mixed * _SPREAD)


class Overlap(NamedTuple):
    """How much two shingle sets share, 0 to 1."""

    jaccard: float
    containment: float


def overlap(a: Hashes, b: Hashes) -> Overlap:
    """Jaccard for reprints; containment (of the smaller in the larger) for a piece of a whole."""
    if not len(a) or not len(b):
        return Overlap(0.0, 0.0)
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return Overlap(shared / (len(a) + len(b) - shared), shared / min(len(a), len(b)))


def likely_pairs(sets: Sequence[Hashes], least: float = 0.5) -> Iterator[tuple[int, int]]:
    """Pairs of texts that may share at least `least` of the smaller one's shingles, in order.

    Each text is represented by every m-th of its hash space (Broder 1997, "On the resemblance and
    containment of documents"): unlike MinHash such a sample tells containment too, and it is
    two array operations. m grows with the number of texts; short texts are never sampled.
    Nothing is compared that shares no sampled shingle.
    """
    modulus = np.uint64(1 if len(sets) <= 100 else 4 if len(sets) <= 1000 else 8)
    sampled = [s if len(s) < 64 else s[(s >> np.uint64(17)) % modulus == 0] for s in sets]
    sizes = [len(s) for s in sampled]
    if not sum(sizes):
        return
    owners = np.repeat(np.arange(len(sets)), sizes)
    hashes = np.concatenate(sampled)
    order = np.argsort(hashes, kind="stable")
    hashes, owners = hashes[order], owners[order]
    edges = np.flatnonzero(np.diff(hashes)) + 1
    starts, ends = np.r_[0, edges], np.r_[edges, len(hashes)]
    shared: Counter[tuple[int, int]] = Counter()
    many = (ends - starts > 1) & (ends - starts <= COMMON)
    for start, end in zip(starts[many], ends[many], strict=True):
        group = sorted(owners[start:end].tolist())
        shared.update((a, b) for at, a in enumerate(group) for b in group[at + 1 :])
    for (a, b), count in sorted(shared.items()):
        # Half the wanted share is asked of the sample; the exact sets decide.
        if count >= max(1.0, 0.5 * least * min(sizes[a], sizes[b])):
            yield a, b


class Difference(NamedTuple):
    """What keeps two like texts apart."""

    about: Literal["number", "negation"]
    only_a: list[str]
    only_b: list[str]


def difference(a: str, b: str) -> Difference | None:
    """The numbers, dates or negations in which two like, folded texts contradict each other.

    Numbers must differ on both sides: a text that merely says more does not contradict.
    """
    numbers_a, numbers_b = set(_NUMBERS.findall(a)), set(_NUMBERS.findall(b))
    only_a, only_b = sorted(numbers_a - numbers_b), sorted(numbers_b - numbers_a)
    if only_a and only_b:
        return Difference("number", only_a, only_b)
    negated_a, negated_b = _negated(a), _negated(b)
    lost_a = sorted(word for word in negated_a - negated_b if _says(b, word))
    lost_b = sorted(word for word in negated_b - negated_a if _says(a, word))
    return Difference("negation", lost_a, lost_b) if lost_a or lost_b else None


def _negated(text: str) -> set[str]:
    return {word for groups in _NEGATED.findall(text) for word in groups if word}


def _says(text: str, word: str) -> bool:
    return re.search(rf"\b{word}\b" if word.isascii() else word, text) is not None
