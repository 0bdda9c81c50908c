"""Refusals: what was searched, what is missing, what would help; and which replies are refusals.

Whether a reply refuses is read from its typed fields and from how it ended, never from its words:
"I can't say X, but Y is 5" is an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..steps import Finish
from .draft import Draft
from .language import PHRASES, say, spoken

Because = Finish | Literal["", "not in the sources", "unsupported"]
"""Why there is no answer: the sources lack it, a draft was not borne out, or how a reply ended."""

BROKEN: frozenset[Because] = frozenset({"failed", "refused", "empty", "cut off", "unreadable"})
"""Those that are no finding about the sources."""


SHOWN_QUERIES = 3
"""A refusal names the first queries; all of them are in the answer's `queries`."""


def refusal(
    question: str, *, queries: Sequence[str] = (), missing: str = "", failed: bool = False
) -> str:
    """Word a refusal in the question's language.

    `missing` says what the sources lack; `failed` is true when a model broke down, which is no
    finding about the sources.
    """
    tongue = spoken(question)
    parts = [say("refusal_failed" if failed else "refusal", tongue)]
    missing = missing.strip()
    if missing and missing != parts[0]:
        parts.append(say("missing", tongue, missing=_sentence(missing, tongue == "zh")))
    asked = [say("quote", tongue, words=query) for query in dict.fromkeys(queries) if query.strip()]
    if asked:
        more = len(asked) - SHOWN_QUERIES
        listed = say("and", tongue).join(asked[:SHOWN_QUERIES])
        listed += say("more_queries", tongue, count=more) if more > 0 else ""
        parts.append(say("searched", tongue, queries=listed))
    else:
        parts.append(say("not_searched", tongue))
    if failed:
        parts.append(say("help_failed", tongue))
    else:
        parts.append(say("help_open" if missing else "help_nothing_found", tongue))
    return ("" if tongue == "zh" else " ").join(parts)


def because(draft: Draft, *, stopped_by: str = "done", drafted: bool = False) -> Because:
    """Why there is no answer, as a fixed word.

    `drafted`: there was a draft that the evidence did not bear out.
    """
    ended = draft.get("finish", "stop")
    if stopped_by == "model_error":
        return "failed"
    if ended != "stop":
        return ended
    return "unsupported" if drafted else "not in the sources"


def open_part(missing: str, question: str) -> str:
    """What an answer leaves open, as a sentence in the question's language."""
    tongue = spoken(question)
    said = _sentence(missing.strip(), tongue == "zh")
    ours = PHRASES["missing_part"][tongue].partition("{")[0]
    return said if said.startswith(ours) else say("missing", tongue, missing=said)


def _sentence(words: str, zh: bool) -> str:
    """The words with a full stop, unless they end with a sign already."""
    return words if words[-1] in '.!?。！？…"”' else words + ("。" if zh else ".")
