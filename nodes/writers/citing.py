"""Citations that hold: each marker leads to words that are really in the source.

Follows what attribution work asks of a citation (every statement leads to a span that carries it)
and drops what models add: unknown numbers, quotes made up, spliced or shifted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from ...stores.passage import Passage
from ...stores.text import Span, content_terms
from . import markers, spans
from .draft import Citation
from .units import Unit, plain, units

Quotes = Iterable[tuple[int, str]]
"""What a model says it quotes: the marker's number and the words."""

_QUOTED = re.compile(r"“([^“”\n]+)”|「([^「」\n]+)」|(?<![\w\"])\"([^\"\n]+)\"(?!\w)")
_LEAST_QUOTE = 3
"""Terms in quotation marks from which on they are read as a quote: fewer are a name or a title."""
_USED = 0.5
"""A passage that covers this share of a statement without a marker was used for it."""


def cite(marker: int, passage: Passage, span: Span) -> Citation:
    """The citation of `passage.text[span.start : span.end]`, with offsets into the document."""
    return Citation(
        marker=marker,
        passage_id=passage["id"],
        document_id=passage["document_id"],
        title=passage.get("title", ""),
        source=passage.get("source", ""),
        section=passage.get("section", ""),
        quote=passage["text"][span.start : span.end],
        start=passage["start"] + span.start,
        end=passage["start"] + span.end,
    )


def resolve(
    text: str, passages: Sequence[Passage], *, quotes: Quotes | None = None, question: str = ""
) -> tuple[str, list[Citation], list[str]]:
    """Make the markers of an answer true: `(text, citations, warnings)`.

    Markers come out as [1][2], unknown ones are removed. Every marker that stays has, for each
    statement it stands on, a citation whose quote is verbatim at its offsets: the model's own
    quote where it is real, else its nearest real words, else the shortest span that carries the
    statement. Its own quotes are `quotes`, or else what stands in quotation marks in the answer.
    Code, links and brackets that are no markers stay as they are.
    """
    text, warnings = _keep_known(text, len(passages))
    offered, more = _real_quotes(_quotes_in(text, passages) if quotes is None else quotes, passages)
    warnings += more
    citations: list[Citation] = []
    for unit in units(text):
        for number, statement in _statements(text, unit):
            if not 0 < number <= len(passages):
                continue
            passage = passages[number - 1]
            span = _span(statement, passage, offered.get(number, []), question)
            citation = cite(number, passage, span)
            if citation not in citations:
                citations.append(citation)
    return text, citations, warnings


def standing(text: str, gone: Collection[int], citations: Sequence[Citation]) -> list[Citation]:
    """The citations that are left when the units at the positions `gone` are taken out of a text.

    A citation belongs to the statements with its marker that its quote carries best; it goes with
    the last of them, also where the same marker stands on another statement.
    """
    found = units(text)
    left: list[Citation] = []
    for citation in citations:
        bearers = [at for at, unit in enumerate(found) if citation["marker"] in unit.markers]
        carried = {at: _carries(citation, found[at]) for at in bearers}
        most = max(carried.values(), default=0.0)
        if not bearers or any(at not in gone for at in bearers if carried[at] == most):
            left.append(citation)
    bare = {n for at, unit in enumerate(found) if at not in gone for n in unit.markers}
    bare -= {citation["marker"] for citation in left}
    return [each for each in citations if each in left or each["marker"] in bare]


def _carries(citation: Citation, unit: Unit) -> float:
    return spans.coverage(spans.weights(unit.text), citation["quote"])


def settled(text: str, count: int) -> str:
    """What of a text still being written can be shown: a prefix of what `resolve` will make of it.

    `text` is what a model has written so far and `count` how many passages it has before it.
    Markers are made true as in `resolve`; a bracket at the end waits for what follows it.
    """
    return _keep_known(text[: markers.settled(text)], count)[0].rstrip()


def uncited(text: str, passages: Sequence[Passage], citations: Sequence[Citation]) -> list[str]:
    """Ids of passages that an answer rests on without a marker, best first.

    A passage counts when it covers at least half of a statement that has no marker; when none
    does and nothing is cited, all passages count, since the writer had nothing else before it.
    """
    cited = {citation["passage_id"] for citation in citations}
    found: dict[str, float] = {}
    for unit in units(text):
        if unit.markers:
            continue
        for passage in passages:
            covered = spans.coverage(spans.weights(unit.text), passage["text"])
            if covered >= _USED and passage["id"] not in cited:
                found[passage["id"]] = max(covered, found.get(passage["id"], 0.0))
    if not found and not cited:
        return [passage["id"] for passage in passages]
    return sorted(found, key=lambda passage_id: -found[passage_id])


def _keep_known(text: str, count: int) -> tuple[str, list[str]]:
    """Write known markers as [1][2] and take unknown ones out, with the space before them."""
    parts: list[str] = []
    unknown: list[int] = []
    at = 0
    for marker in markers.find(text):
        known = [n for n in marker.numbers if 0 < n <= count]
        unknown += [n for n in marker.numbers if not 0 < n <= count]
        before = text[at : marker.start]
        # Next to a backtick the space stays, so that no code span opens or closes by it.
        spaced = known or before.rstrip().endswith("`")
        parts.append(before if spaced else before.rstrip(" \t"))
        parts.append("".join(f"[{n}]" for n in known))
        at = marker.end
    warnings = [
        f"The answer cites [{number}], but there are only {count} passages; the marker was removed."
        for number in dict.fromkeys(unknown)
    ]
    return "".join([*parts, text[at:]]), warnings


def _statements(text: str, unit: Unit) -> list[tuple[int, str]]:
    """Each marker of a unit with the words it stands on: what comes since the last marker.

    Markers side by side stand on the same words. Fewer than three terms are no statement: then it
    is the whole unit.
    """
    found: list[tuple[int, str]] = []
    since = last = unit.start
    for marker in markers.find(text):
        if not unit.start <= marker.start < unit.end:
            continue
        if text[last : marker.start].strip(" \t.。,，;；!！?？"):
            since = last
        words = plain(text[since : marker.start])
        statement = words if len(content_terms(words)) >= 3 else unit.text
        found += [(number, statement) for number in marker.numbers]
        last = marker.end
    return found


def _quotes_in(text: str, passages: Sequence[Passage]) -> Iterator[tuple[int, str]]:
    """What stands in quotation marks, with the marker after it whose passage has it, or all."""
    for unit in units(text):
        if unit.kind == "code":
            continue
        known = [number for number in unit.markers if 0 < number <= len(passages)]
        for match in _QUOTED.finditer(unit.text):
            words = next(filter(None, match.groups()))
            if len(content_terms(words)) < _LEAST_QUOTE:
                continue
            has = [n for n in known if spans.locate(words, passages[n - 1]["text"])]
            yield from ((number, words) for number in has or known)


def _span(statement: str, passage: Passage, offered: Sequence[Span], question: str) -> Span:
    """The span to quote for a statement: an offered one that carries it as well as any."""
    text = passage["text"]
    span, covered = spans.best(statement, text)
    if not covered and question:
        span, covered = spans.best(question, text)
    wanted = spans.weights(statement)
    fitting = [
        (spans.coverage(wanted, text[s.start : s.end]), -(s.end - s.start), s) for s in offered
    ]
    if fitting and max(fitting)[0] >= min(covered, 0.5):
        return max(fitting)[2]
    return span


def _real_quotes(
    quotes: Quotes, passages: Sequence[Passage]
) -> tuple[dict[int, list[Span]], list[str]]:
    """The offered quotes as spans of their passages, repaired or dropped with a warning."""
    real: dict[int, list[Span]] = {}
    warnings: list[str] = []
    for number, quote in quotes:
        quote = quote.strip()
        if not quote or not 0 < number <= len(passages):
            continue
        text = passages[number - 1]["text"]
        span = spans.locate(quote, text)
        if span is None:
            span = spans.repair(quote, text)
            shown = quote if len(quote) <= 60 else quote[:57] + "..."
            done = "was replaced by the words that are" if span else "was dropped"
            warnings.append(
                f'The quote "{shown}" is not in passage [{number}]; its citation {done}.'
            )
        if span is not None:
            real.setdefault(number, []).append(span)
    return real, warnings
