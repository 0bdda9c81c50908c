"""Refusals: what was searched, what is missing, what would help; and which replies are refusals.

Whether a reply refuses is read from typed states only. Words such as "cannot" say nothing: "I can't
say X, but Y is 5" is an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..steps import Finish
from .language import say, spoken

Refused = Literal["", "refused", "empty", "cut off"]


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
        parts.append(say("searched", tongue, queries=say("and", tongue).join(asked)))
    else:
        parts.append(say("not_searched", tongue))
    if failed:
        parts.append(say("help_failed", tongue))
    else:
        parts.append(say("help_open" if missing else "help_nothing_found", tongue))
    return ("" if tongue == "zh" else " ").join(parts)


def looks_refused(reply_finish: Finish, text: str) -> Refused:
    """Which kind of non-answer a reply is, by how it ended; "" for an answer.

    A model's own refusal, an empty reply and a cut-off one are three things: only the first is
    the model's will, and the last holds words that must not pass for a whole answer.
    """
    if reply_finish == "refused":
        return "refused"
    if reply_finish == "cut off":
        return "cut off"
    if reply_finish == "empty" or not text.strip():
        return "empty"
    return ""


def _sentence(words: str, zh: bool) -> str:
    """The words with a full stop, unless they end with a sign already."""
    return words if words[-1] in '.!?。！？…"”' else words + ("。" if zh else ".")
