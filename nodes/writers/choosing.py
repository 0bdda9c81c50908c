"""The shortest set of statements that covers the parts of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...stores.passage import Passage
from ...stores.text import Span, content_terms
from .asked import Asked
from .scoring import Scored
from .spans import numbers
from .statements import Statement

_SAME = 0.7
_NEAR_BEST = 0.75
"""A further statement must score this share of the best one's score."""
_NEW_TERMS = 0.5
"""... and this share of its terms must not have been said yet."""
_MOST = {"who": 2, "when": 2, "where": 2, "number": 2, "yes_no": 2, "choice": 2}


@dataclass(frozen=True)
class Chosen:
    """A statement of the answer, with where it stands: (position in the context, span)."""

    spans: tuple[tuple[int, Span], ...]
    """The first is quoted in the answer; the others say the same in another document."""
    block: bool
    needs_title: bool
    said: frozenset[str]
    sentences: int = 1


def choose(
    asked: Asked, scored: Sequence[Sequence[Scored]], passages: Sequence[Passage]
) -> list[Chosen]:
    """Choose the statements for the parts that are answered, best first.

    Each part gets its best statement; then come those that score near the best, add terms not yet
    said, and stay within two for a question after one fact, four for others. What only repeats a
    chosen statement in another document adds its marker there.
    """
    chosen: list[Chosen] = []
    for ranked in scored:
        if _repeats(ranked[0], chosen) is None:
            _add(chosen, ranked[0].statement, passages)
    for ranked in scored:
        for each in ranked[1:]:
            if each.score < _NEAR_BEST * ranked[0].score:
                break
            if ranked[0].holds and not each.holds:
                continue
            at = _repeats(each, chosen)
            if at is not None:
                chosen[at] = _with_marker(chosen[at], each.statement, passages)
            elif _said(chosen) < _MOST.get(asked.wants, 4) and _adds(each, chosen):
                _add(chosen, each.statement, passages)
    return chosen[:1] + sorted(chosen[1:], key=lambda each: each.spans[0])


def _said(chosen: Sequence[Chosen]) -> int:
    return sum(each.sentences for each in chosen)


def _add(chosen: list[Chosen], one: Statement, passages: Sequence[Passage]) -> None:
    """Add a statement: to the chosen one it follows or leads to, else on its own."""
    text = passages[one.passage]["text"]
    terms = frozenset(content_terms(one.text))
    for at, other in enumerate(chosen):
        position, span = other.spans[0]
        if position != one.passage or other.block or one.kind != "sentence":
            continue
        first, second = sorted((span, one.span))
        gap = text[first.end : second.start]
        if first.end <= second.start and not gap.strip() and "\n\n" not in gap:
            chosen[at] = replace(
                other,
                spans=((position, Span(first.start, second.end)), *other.spans[1:]),
                said=other.said | terms,
                sentences=other.sentences + 1,
            )
            return
    chosen.append(_chosen(one, passages))


def _chosen(one: Statement, passages: Sequence[Passage]) -> Chosen:
    """Take a statement with the sentence before it, where it cannot stand alone."""
    span, needs_title = one.span, False
    if one.hangs and one.kind == "sentence":
        if one.before:
            span = Span(one.before.start, one.span.end)
        else:
            needs_title = True
    said = frozenset(content_terms(passages[one.passage]["text"][span.start : span.end]))
    return Chosen(((one.passage, span),), one.kind in ("list", "code"), needs_title, said)


def _repeats(each: Scored, chosen: Sequence[Chosen]) -> int | None:
    """Which chosen statement says the same already."""
    said = set(content_terms(each.statement.text))
    for at, other in enumerate(chosen):
        position, span = other.spans[0]
        inside = position == each.statement.passage and (
            each.statement.span.start < span.end and span.start < each.statement.span.end
        )
        if inside or len(said & other.said) >= _SAME * max(1, min(len(said), len(other.said))):
            return at
    return None


def _adds(each: Scored, chosen: Sequence[Chosen]) -> bool:
    said = set(content_terms(each.statement.text))
    known = frozenset[str]().union(*(other.said for other in chosen))
    return len(said - known) >= _NEW_TERMS * max(1, len(said))


def _with_marker(other: Chosen, one: Statement, passages: Sequence[Passage]) -> Chosen:
    """Add the marker of one other document that says the same, figures included."""
    position, span = other.spans[0]
    first, second = passages[position], passages[one.passage]
    quoted = first["text"][span.start : span.end]
    same_document = first["document_id"] == second["document_id"]
    if len(other.spans) > 1 or same_document or numbers(quoted) != numbers(one.text):
        return other
    return replace(other, spans=(*other.spans, (one.passage, one.span)))
