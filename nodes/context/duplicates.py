"""Duplicates in three layers, each a switch of its own; what must not be merged; and why.

structural: offsets, parent and child, versions of one document. literal: shingles. semantic:
cosine. Numbers, dates and negations veto a merge: inside one document the newest version wins,
across documents both stay and the conflict is reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from typing_extensions import TypedDict

from .candidates import Candidate, rank_key
from .likeness import Hashes, difference, likely_pairs, overlap, shingles
from .preference import better, newer
from .vectors import near_pairs

Layer = Literal["structural", "literal", "semantic"]
LAYERS: tuple[Layer, ...] = ("structural", "literal", "semantic")
Kind = Literal["same span", "inside", "version", "copy", "piece", "reprint", "variant"]
"""The kinds of duplicates; a kind may be allowed one extra copy."""

_WORDS: dict[Kind, str] = {
    "same span": "the same stretch of the document as {}",
    "inside": "lies inside {}",
    "version": "an older version of {}",
    "copy": "the same text as {}",
    "piece": "all of it is in {}",
    "reprint": "nearly the same text as {}",
    "variant": "says the same as {}",
}


class Conflict(TypedDict):
    """Two sources that say nearly the same, but not quite."""

    passage_ids: list[str]
    about: str
    """number (dates too) or negation."""
    says: list[list[str]]
    """What only the first has, and what only the second has."""


@dataclass(frozen=True)
class Rules:
    """When two passages count as one. A cosine belongs to the embedder it was fitted with."""

    layers: Collection[Layer] = LAYERS
    jaccard: float = 0.6
    """Shared shingles of all shingles, for reprints."""
    containment: float = 0.8
    """Shared shingles of the smaller one's shingles, for a piece inside a larger text."""
    cosine: float = 0.92
    """Question variants; strict, so that two aspects of one topic stay two."""
    extra_copies: Collection[Kind] = ()
    """Kinds whose copies have corrected answers offline: each passage may keep one such copy."""


@dataclass(frozen=True)
class Merge:
    """One passage that went, the one that stays for it, and why."""

    gone: Candidate
    kept_id: str
    kind: Kind

    @property
    def why(self) -> str:
        """The reason, as a reader of the answer sees it."""
        return "duplicate: " + _WORDS[self.kind].format(self.kept_id)


@dataclass
class Distinct:
    """What is left, best first; what went; and where sources contradict each other."""

    kept: list[Candidate]
    merges: list[Merge] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)


class _Finder:
    """Merges pairs, the better-ranked passages first."""

    def __init__(self, candidates: Sequence[Candidate], rules: Rules) -> None:
        self.rules = rules
        self.alive = {candidate.id: candidate for candidate in candidates}
        self.merges: list[Merge] = []
        self.conflicts: list[Conflict] = []
        self._sets: dict[str, Hashes] = {}
        self._extra: set[tuple[str, Kind]] = set()

    def shingles(self, candidate: Candidate) -> Hashes:
        """The shingles of a candidate's text, made once."""
        if candidate.id not in self._sets:
            self._sets[candidate.id] = shingles(candidate.units)
        return self._sets[candidate.id]

    def contradicts(self, a: Candidate, b: Candidate) -> bool:
        """True when numbers, dates or negation forbid the merge; across documents it is noted."""
        found = difference(a.folded, b.folded)
        if found is None or (a.document_id == b.document_id and newer(a, b) is not None):
            return False
        if a.document_id != b.document_id:
            first, second = sorted((a.id, b.id))
            says = [found.only_a, found.only_b]
            self.conflicts.append(
                {
                    "passage_ids": [first, second],
                    "about": found.about,
                    "says": says if first == a.id else says[::-1],
                }
            )
        return True

    def merge(self, a: Candidate, b: Candidate, kind: Kind) -> None:
        """Let one of two go, unless its kind may keep one extra copy."""
        if a.id not in self.alive or b.id not in self.alive:
            return
        stays = better(a, b)
        if kind in self.rules.extra_copies and (stays.id, kind) not in self._extra:
            self._extra.add((stays.id, kind))
            return
        gone = b if stays is a else a
        del self.alive[gone.id]
        # What was found twice is as relevant as its best copy.
        relevance = max(stays.relevance, gone.relevance)
        self.alive[stays.id] = replace(stays, relevance=relevance)
        self.merges.append(Merge(gone, stays.id, kind))

    def structural(self) -> None:
        """Versions, then spans inside each other, then seams, document by document."""
        documents: dict[str, list[Candidate]] = {}
        for candidate in self.alive.values():
            documents.setdefault(candidate.document_id, []).append(candidate)
        for members in documents.values():
            if len({c.get("version") or c.get("date") for c in members}) > 1:
                for a, b in _version_pairs(members):
                    if overlap(self.shingles(a), self.shingles(b)).containment >= 0.3:
                        self.merge(a, b, "version")
            for a, b in _touching(members):
                if a.id in self.alive and b.id in self.alive:
                    self._touch(self.alive[a.id], self.alive[b.id])

    def _touch(self, a: Candidate, b: Candidate) -> None:
        """`a` starts first. One inside the other: the outer stays. A seam: the weaker is cut."""
        if (a.start, a.end) == (b.start, b.end):
            self.merge(a, b, "same span")
        elif b.end <= a.end or b.start == a.start:
            self.merge(a, b, "inside")
        elif b.start < a.end and a.verbatim and b.verbatim:
            shared = a.end - b.start
            if rank_key(a) <= rank_key(b):
                self.alive[b.id] = b.cut(shared, len(b.text))
            else:
                self.alive[a.id] = a.cut(0, len(a.text) - shared)
            for changed in (a, b):
                self._sets.pop(changed.id, None)

    def literal(self) -> None:
        """Copies, pieces of larger texts, reprints; by shingles that were made once a text."""
        seen: dict[str, Candidate] = {}
        for candidate in list(self.alive.values()):
            text = " ".join(candidate.folded.split())
            if text in seen and seen[text].id in self.alive:
                self.merge(seen[text], candidate, "copy")
            if candidate.id in self.alive:
                seen[text] = candidate
        ranked = list(self.alive.values())
        sets = [self.shingles(candidate) for candidate in ranked]
        for i, j in likely_pairs(sets):
            a, b = ranked[i], ranked[j]
            if a.id not in self.alive or b.id not in self.alive:
                continue
            found = overlap(sets[i], sets[j])
            if found.jaccard < self.rules.jaccard and found.containment < self.rules.containment:
                continue
            if not self.contradicts(a, b):
                self.merge(a, b, "reprint" if found.jaccard >= self.rules.jaccard else "piece")

    def semantic(self) -> None:
        """Variants, by cosine of the vectors that came with the candidates."""
        ranked = [c for c in self.alive.values() if c.vector is not None]
        for i, j in near_pairs(ranked, self.rules.cosine):
            a, b = ranked[i], ranked[j]
            if a.id in self.alive and b.id in self.alive and not self.contradicts(a, b):
                self.merge(a, b, "variant")


def _version_pairs(members: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Pairs of one section in different versions."""
    sections: dict[str, list[Candidate]] = {}
    for candidate in members:
        sections.setdefault(candidate.get("section"), []).append(candidate)
    for same in sections.values():
        for at, a in enumerate(same):
            for b in same[at + 1 :]:
                if newer(a, b) is not None:
                    yield a, b


def _touching(members: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Pairs of one version whose spans share characters; offsets never given say nothing."""
    versions: dict[str, list[Candidate]] = {}
    for candidate in members:
        if candidate.given.get("start") is not None and candidate.given.get("end") is not None:
            versions.setdefault(candidate.get("version"), []).append(candidate)
    for same in versions.values():
        by_start = sorted(same, key=lambda c: (c.start, -c.end, c.id))
        for at, a in enumerate(by_start):
            for b in by_start[at + 1 :]:
                if b.start >= a.end:
                    break
                yield a, b


def remove_duplicates(candidates: Sequence[Candidate], rules: Rules | None = None) -> Distinct:
    """Take out what others say already, layer by layer; every merge tells why.

    Candidates come best first, as `read_candidates` gives them.
    """
    rules = rules or Rules()
    finder = _Finder(candidates, rules)
    if "structural" in rules.layers:
        finder.structural()
    if "literal" in rules.layers:
        finder.literal()
    if "semantic" in rules.layers:
        finder.semantic()
    kept = sorted(finder.alive.values(), key=rank_key)
    return Distinct(kept, finder.merges, finder.conflicts)
