"""The words of a passage that carry a statement, and where a quote really stands.

All spans are offsets into the text of one passage.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from ...stores.text import Span, content_terms, sentences, terms, words

_LONGEST_RUN = 3
_EXTRA_SENTENCE = 0.08
"""What one more sentence must add in coverage before a longer quote is better."""
_ALIKE = 0.6
"""A quote with less than this share of its pairs of terms in a span was not taken from there."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…+|\[\.\.\.\]|\[…\])\s*")


def numbers(text: str) -> set[str]:
    """The figures in a text, thousands separators dropped, full-width digits read as digits."""
    folded = unicodedata.normalize("NFKC", text)
    return {re.sub(r",(?=\d{3}\b)", "", n) for n in _NUMBER.findall(folded)}


def weights(text: str) -> dict[str, float]:
    """The terms that carry a statement: figures count double, single CJK signs half."""
    found = dict.fromkeys(content_terms(text) or terms(text), 1.0)
    for term in found:
        if term[0].isdigit():
            found[term] = 2.0
        elif len(term) == 1 and not term.isascii():
            found[term] = 0.5
    return found


def coverage(wanted: dict[str, float], text: str) -> float:
    """Share of the wanted weight whose terms occur in a text, 0 to 1."""
    total = sum(wanted.values())
    if not total:
        return 0.0
    have = set(terms(text))
    return sum(weight for term, weight in wanted.items() if term in have) / total


def best(statement: str, text: str) -> tuple[Span, float]:
    """Find the shortest run of sentences that best carries a statement, with its coverage.

    A run is up to three sentences; another sentence must add a twelfth of the statement's weight.
    Without a shared term the first sentence comes back, with coverage 0.
    """
    spans = sentences(text) or [Span(0, len(text))]
    wanted = weights(statement)
    top, top_score, top_coverage = spans[0], 0.0, 0.0
    for first in range(len(spans)):
        for last in range(first, min(first + _LONGEST_RUN, len(spans))):
            run = Span(spans[first].start, spans[last].end)
            covered = coverage(wanted, text[run.start : run.end])
            length = min(run.end - run.start, 2000) / 2000
            score = covered - _EXTRA_SENTENCE * (last - first) - 0.05 * length
            if covered and score > top_score:
                top, top_score, top_coverage = run, score, covered
    return top, top_coverage


def locate(quote: str, text: str) -> Span | None:
    """Where a quote stands in a text, spacing, case, width and kinds of quote marks aside."""
    at = text.find(quote)
    if quote and at >= 0:
        return Span(at, at + len(quote))
    plain_quote, _ = _folded(quote)
    plain_text, offsets = _folded(text)
    at = plain_text.find(plain_quote) if plain_quote else -1
    if at < 0:
        return None
    return Span(offsets[at], offsets[at + len(plain_quote) - 1] + 1)


def repair(quote: str, text: str) -> Span | None:
    """The real words nearest to a quote that is not in the text; None when it was made up.

    A spliced quote ("first part ... second part") comes back as its longest part that is really
    there; a reworded one as the run of sentences it was made from, unless its figures differ.
    """
    parts = [part for part in _ELLIPSIS.split(quote) if len(terms(part)) >= 3]
    if len(parts) > 1:
        located = [span for part in parts if (span := locate(part, text))]
        if located:
            return max(located, key=lambda span: (span.end - span.start, -span.start))
    span, _ = best(quote, text)
    piece = text[span.start : span.end]
    if not numbers(quote) <= numbers(piece) or _alike(quote, piece) < _ALIKE:
        return None
    return span


def _alike(quote: str, piece: str) -> float:
    """Share of the quote's words (CJK: signs) that stand in the piece in the same order."""
    have, real = _signs(quote), _signs(piece)
    if not have:
        return 0.0
    matcher = SequenceMatcher(None, have, real, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(have)


def _signs(text: str) -> list[str]:
    found: list[str] = []
    for word in words(text):
        found.extend([word] if word.isascii() else list(word))
    return found


_SAME = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "—": "-", "–": "-", "`": "'"})


def _folded(text: str) -> tuple[str, list[int]]:
    """A text without space, emphasis, accents and case, and the offset each sign came from."""
    signs: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(text):
        for sign in unicodedata.normalize("NFKD", char).translate(_SAME).casefold():
            if not (sign.isspace() or sign in "*_" or unicodedata.combining(sign)):
                signs.append(sign)
                offsets.append(at)
    return "".join(signs), offsets
