"""What a judge says: a label on a fixed scale, perhaps a score, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["offline", "logprobs", "label", "code", "rule", "none"]
"""Where a verdict comes from: the offline judge, token probabilities, the model's word, the code
cross-check, a rule; `none` when there is no verdict to speak of."""

RELEVANT = ("yes", "no")
SUPPORTED = ("full", "partial", "none")
USEFUL = ("1", "2", "3", "4", "5")
RETRIEVE = ("yes", "no", "continue")
SUFFICES = ("yes", "no")
UNCLEAR = "unclear"


@dataclass(frozen=True)
class Verdict:
    """One judgement. `label` is a value of the scale that was asked, or `unclear`."""

    label: str
    score: float | None = None
    """0 to 1, how much the judge holds with the best label of the scale (yes, full, 5)."""
    how: How = "none"
    why: str = ""
    """A short reason: the model's, the rule's, or why the reply could not be read."""
    missing: tuple[str, ...] = ()
    """What the evidence lacks, where that was asked."""

    @property
    def unclear(self) -> bool:
        """True when nothing could be read from the judge."""
        return self.label == UNCLEAR
