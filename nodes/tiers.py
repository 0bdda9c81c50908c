"""Which checks a question gets: tier 0 none, 1 its answer, 2 what was found, 3 rounds as well.

`Settings.tier` is the highest tier. Under `fixed` every question gets it. Under the other policies
every answer is checked (tier 1), and more is spent only where it is likely to pay: on chosen kinds
of question, on a sampled share, on requests that carry a flag, or on what turned out to be hard.
"""

from __future__ import annotations

from zlib import crc32

from ..graph.answer import Tier
from ..graph.settings import Settings
from ..graph.state import State
from ..stores.text import fold, words
from .hops import describes
from .rewriting import kind_of_failure, parts_of

FLAGS = {
    "valued": "the request is marked as valued",
    "negative_feedback": "an earlier answer was called bad",
}
"""Flags of a request that ask for the highest tier, and what they mean."""


def tier_of(asked: str, state: State, settings: Settings) -> Tier:
    """Give the tier of a question, and why in words."""
    highest, low = settings.tier, min(1, settings.tier)
    if settings.tier_policy == "fixed":
        return {"level": highest, "why": "fixed by the settings"}
    for flag in state.get("flags") or []:
        if flag in FLAGS:
            return {"level": highest, "why": FLAGS[flag]}
    if settings.tier_policy == "hard":
        return {"level": min(2, highest), "why": "rounds only when the search or the draft fails"}
    if settings.tier_policy == "sample":
        drawn = is_sampled(asked, settings.tier_share)
        why = f"{'in' if drawn else 'not in'} the sampled share of {settings.tier_share:.0%}"
        return {"level": highest if drawn else low, "why": why}
    kind = demanding_kind(asked)
    return {"level": highest if kind else low, "why": kind or "a plain question"}


def rounds_allowed(tier: Tier, settings: Settings) -> int:
    """Rewrites that a question may have under its tier.

    Below tier 3 none; under `hard` one, which `rewrite_query` raises the tier for.
    """
    if settings.tier_policy == "hard" and settings.tier >= 3 and tier["level"] < 3:
        return min(1, settings.max_rounds)
    return settings.max_rounds if tier["level"] >= 3 else 0


def may_mend(tier: Tier, settings: Settings) -> bool:
    """True when remedies may be tried: a tier that a policy chose below 3 only checks.

    Under `fixed` the remedies of the settings stand as they are: `self_route` reads whole
    documents and checks nothing.
    """
    return settings.tier_policy in ("fixed", "hard") or tier["level"] >= 3


def raised(state: State) -> Tier:
    """The tier of a question that an earlier tier called hard, and what showed it."""
    if state["tier"]["level"] >= 3:
        return state["tier"]
    return {"level": 3, "why": f"called hard: {state['why_not'] or 'the draft did not do'}"}


def is_sampled(asked: str, share: float) -> bool:
    """True for this share of questions; the same question is always in or always out."""
    return crc32(" ".join(words(asked)).encode()) < share * 2**32


def demanding_kind(asked: str) -> str:
    """Why a question is of a kind that a single search often fails; empty when it is not."""
    kind = kind_of_failure(fold(asked), ())
    if kind in ("implicit", "general"):
        return f"a question of the kind {kind}"
    if kind == "complex" and len(parts_of(asked)) > 1:
        return "a question of several parts"
    return "a question that describes what it does not name" if describes(asked) else ""
