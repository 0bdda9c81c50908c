"""What a further draft is told about those before it, so that the same prompt never comes twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..judges.fence import fence
from .language import say, spoken


def in_their_language(attempt: int, question: str) -> str:
    """Ask for the language of the question, in it."""
    return say("again_in", spoken(question), attempt=attempt)


def feedback_on(attempt: int, *groundings: Sequence[Mapping[str, Any]]) -> str:
    """Name the sentences of earlier drafts that the evidence does not bear out.

    `attempt` is the number of this draft, from 2. At temperature 0 the same prompt would bring the
    same text, so that the number is in it, too.
    """
    bad = [
        f"{said['sentence']} ({said.get('why') or said['verdict']})"
        for grounding in groundings
        for said in grounding
        if said["verdict"] != "full"
    ]
    if not bad:
        return ""
    listed = fence("draft", "\n".join(dict.fromkeys(bad)))
    return (
        f"\nThis is attempt {attempt}. Earlier ones said this, which the passages do not say. "
        f"Leave it out:\n{listed}"
    )
