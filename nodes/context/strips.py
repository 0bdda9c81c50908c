"""CRAG's refinement: keep the strips of a passage that help, verbatim and in source order.

Yan et al. 2024, "Corrective Retrieval Augmented Generation", section 4.4. A strip is one to a few
sentences with offsets, so it can be cited; nothing is reworded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...stores.passage import Passage
from ...stores.text import has_cjk, sentences
from .candidates import Candidate, read_candidates

SENTENCES = 2
"""Sentences in a strip."""

_LEANS = re.compile(
    r"(?:he|she|it|they|this|that|these|those|his|her|its|their|such|both|however|therefore|thus|"
    r"also|then|there|but|and|or|so|instead|otherwise)\b"
    r"|[他她它]们?|这|那|该|其|此|上述|因此|所以|但|不过|然而|另外|同时|否则|并且|而且|对此",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s*#{1,6}\s")


@dataclass(frozen=True)
class Strip:
    """A verbatim stretch of a passage: `passage["text"][start:end]`."""

    start: int
    end: int
    text: str
    heading: bool = False


def cut_strips(text: str, size: int = SENTENCES) -> list[Strip]:
    """Cut a text at sentence ends into strips of `size` sentences; headings stand alone."""
    strips: list[Strip] = []
    run: list[tuple[int, int]] = []

    def close() -> None:
        if run:
            start, end = run[0][0], run[-1][1]
            strips.append(Strip(start, end, text[start:end]))
            run.clear()

    for start, end in sentences(text):
        if _HEADING.match(text[start:end]):
            close()
            strips.append(Strip(start, end, text[start:end], heading=True))
            continue
        run.append((start, end))
        if len(run) == size:
            close()
    close()
    return strips


def leans_on_before(text: str) -> bool:
    """True when a stretch begins with a word that points back, so it cannot stand alone."""
    return _LEANS.match(text.lstrip("\"'“「*_ ")) is not None


def refine(
    passages: Sequence[Mapping[str, Any]],
    score: Callable[[str], float],
    floor: float,
    size: int = SENTENCES,
) -> list[Passage]:
    """Keep what scores at least `floor`, as passages of verbatim text in source order.

    `score` is the evaluator that graded the passages. A strip that begins with a pronoun takes the
    sentence before it along, and every strip the heading above it. Strips that touch become one
    passage; a passage kept in several stretches becomes several, with ids `id@start`. A passage of
    which nothing is kept is left out.
    """
    place = {str(p["id"]): at for at, p in enumerate(passages)}
    found: list[Passage] = []
    for candidate in sorted(read_candidates(passages), key=lambda c: place[c.id]):
        strips = cut_strips(candidate.text, size)
        kept = {at for at, s in enumerate(strips) if not s.heading and score(s.text) >= floor}
        found += _stretches(candidate, strips, _with_context(strips, kept))
    return found


def _with_context(strips: Sequence[Strip], kept: set[int]) -> set[int]:
    """Indices of the kept strips with what they need to be understood."""
    out = set(kept)
    for at in sorted(kept):
        before = at
        while before and leans_on_before(strips[before].text) and not strips[before - 1].heading:
            before -= 1
            out.add(before)
        heading = max((i for i in range(at) if strips[i].heading), default=None)
        if heading is not None:
            out.add(heading)
    return out


def _stretches(candidate: Candidate, strips: Sequence[Strip], kept: set[int]) -> list[Passage]:
    """Neighbouring strips as one verbatim passage each."""
    runs: list[list[int]] = []
    for at in sorted(kept):
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    found: list[Passage] = []
    for run in runs:
        start, end = strips[run[0]].start, strips[run[-1]].end
        passage = candidate.cut(start, end).passage()
        if len(runs) > 1:
            passage["id"] = f"{candidate.id}@{passage['start']}"
        found.append(passage)
    return found


def compress_history(
    turns: Sequence[str], score: Callable[[str], float], floor: float, keep_last: int = 2
) -> list[str]:
    """Shorten the older turns of a conversation to the strips that score at least `floor`.

    The last `keep_last` turns stay whole. What is kept is verbatim and in order; turns of which
    nothing is kept go.
    """
    older = turns[: max(0, len(turns) - keep_last)]
    short: list[str] = []
    for turn in older:
        strips = cut_strips(turn)
        kept = {at for at, strip in enumerate(strips) if score(strip.text) >= floor}
        texts = [strips[at].text for at in sorted(_with_context(strips, kept))]
        if texts:
            short.append(("" if has_cjk(turn) else " ").join(texts))
    return short + list(turns[len(older) :])
