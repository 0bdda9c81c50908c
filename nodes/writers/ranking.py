"""Several drafts of one answer: which of them is kept.

After Self-RAG (Asai et al. 2023, section 3.3): a draft is worth its support times its usefulness,
and where the answers form a closed set (yes or no, one of two), the drafts vote: the worth of all
that say the same is summed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from ...graph.limits import checks_of
from ...stores.passage import Passage
from ..judges import panel
from ..judges.verdict import Verdict
from ..steps import Steps
from .asked import Asked, read
from .decided import names_only
from .draft import Checked, Draft
from .evidence import evidence_for, grounding_of, in_context, support_of, usefulness_of
from .units import units

if TYPE_CHECKING:
    from ..run import Run

_YES = re.compile(r"\W*(?:yes\b|是|对|有|能|会|可以|可|应|需要|要|支持|正确)", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no\b|不|否|没|无|未|非)", re.IGNORECASE)
_UNRATED = 3
"""What a draft counts whose rating could not be read: the middle of 1 to 5."""


def keep_best(
    run: Run, question: str, passages: Sequence[Passage], drafts: Sequence[Draft]
) -> Steps[Draft]:
    """Keep the best of several drafts; one that declines is kept only when all do.

    The drafts are checked by the judge that is set, all at once, and what the checks say of the
    kept one goes on with it (`Draft.checked`), so that no check is paid twice. Where the calls
    that are left do not allow the checks of every draft, the offline judge ranks them for nothing
    and the kept one is checked in its turn.
    """
    answers = [draft for draft in drafts if draft["answerable"]]
    distinct = list({draft["text"]: draft for draft in answers}.values())
    if len(distinct) < 2:
        return distinct[0] if distinct else drafts[0]
    paid = _affordable(run, distinct)
    checked = yield from _checked(run, question, passages, distinct, paid)
    worths = {draft["text"]: worth(said) for draft, said in zip(distinct, checked, strict=True)}
    text = best(question, [(draft["text"], worths[draft["text"]]) for draft in answers])
    at = [draft["text"] for draft in distinct].index(text)
    return {**distinct[at], "checked": checked[at]} if paid else distinct[at]


def worth(checked: Checked) -> float:
    """Support times usefulness, each 0 to 1."""
    rating = checked["usefulness"]["rating"] or _UNRATED
    return support_of(checked["grounding"]) * rating / 5


def best(question: str, drafts: Sequence[tuple[str, float]]) -> str:
    """The text of the best of `(text, worth)`, whatever their order.

    Where the question has a closed set of answers, the answer whose drafts are together worth
    the most, then the best of those; ties go to the shorter text, then to the alphabet.
    """
    asked = read(question)
    votes: defaultdict[str, float] = defaultdict(float)
    for text, value in drafts:
        votes[vote(asked, text)] += value
    votes.pop("", None)  # what takes no side has no vote
    ranked = sorted(
        drafts, key=lambda one: (-votes.get(vote(asked, one[0]), 0.0), -one[1], len(one[0]), one[0])
    )
    return ranked[0][0]


def vote(asked: Asked, text: str) -> str:
    """Which answer of a closed set a text gives; "" when it takes no side, or the set is open."""
    if asked.options:
        first, second = asked.options
        opening = units(text)[0].text if units(text) else ""
        if names_only(first, second, opening):
            return first
        return second if names_only(second, first, opening) else ""
    if asked.wants != "yes_no":
        return ""
    return "no" if _NO.match(text) else "yes" if _YES.match(text) else ""


def _affordable(run: Run, drafts: Sequence[Draft]) -> bool:
    """Whether the calls that are left allow the checks of every draft."""
    on = checks_of(run.state, run.settings)
    calls = 0
    if "drafted" in on and run.has_model("judge", "check_grounding"):
        calls += sum(len(units(draft["text"])) for draft in drafts)
    if "rate it" in on and run.has_model("judge", "check_usefulness"):
        calls += len(drafts)
    return calls <= run.left().calls - run.meter.used.calls


def _as(run: Run, node: str) -> Run:
    """The same run in the place of another node: the models of that node are asked."""
    other = copy(run)
    other.node = node
    return other


def _checked(
    run: Run, question: str, passages: Sequence[Passage], drafts: Sequence[Draft], paid: bool
) -> Steps[list[Checked]]:
    """What the checks say of each draft; a check that is off is made by the offline judge."""
    on = checks_of(run.state, run.settings) if paid else []
    said = [units(draft["text"]) for draft in drafts]
    shown = [
        [evidence_for(unit, draft, passages) for unit in found]
        for draft, found in zip(drafts, said, strict=True)
    ]
    sentences = [in_context(unit, question) for found in said for unit in found]
    evidence = [one for each in shown for one in each]
    if "drafted" in on:
        verdicts = yield from panel.supported(_as(run, "check_grounding"), sentences, evidence)
    else:
        verdicts = panel.supported_offline(run, sentences, evidence)
    texts = [draft["text"] for draft in drafts]
    if "rate it" in on:
        rated = yield from panel.useful_many(_as(run, "check_usefulness"), question, texts)
    else:
        rated = [run.judge.useful(question, text) for text in texts]
    left = iter(verdicts)
    supports: list[list[Verdict]] = [[next(left) for _ in found] for found in said]
    return [
        {"grounding": grounding_of(*one[:3]), "usefulness": usefulness_of(one[3])}
        for one in zip(said, shown, supports, rated, strict=True)
    ]
