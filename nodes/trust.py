"""Whether the judges of a run were measured: a weak judge makes answers worse (METHODS, 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stores.errors import SettingsError
from .judges.panel import prompt_of

if TYPE_CHECKING:
    from .run import Run


def check_judges(run: Run, tier: int) -> None:
    """Warn of a judge that was never measured or is below its bar, or do not start at all.

    The offline judge was measured before it was shipped, so it is asked for only by
    `require_calibrated`. Raises SettingsError then.
    """
    settings = run.settings
    asked = {
        "relevance": ("grade_passages", settings.grade_retrieval and tier >= 2),
        "support": ("check_grounding", settings.check_support and tier >= 1),
    }
    doubts = []
    for judge, (node, is_on) in asked.items():
        model = run.model_name("judge", node)
        if is_on and (model or settings.require_calibrated):
            prompt = prompt_of(settings, judge) if model else ""
            doubts.append(run.calibration.below_bar(judge, model, prompt))
    doubt = "; ".join(filter(None, doubts))
    if not doubt:
        return
    if settings.require_calibrated:
        raise SettingsError(f"{doubt[0].upper()}{doubt[1:]}. Or switch require_calibrated off.")
    run.warn(f"Not calibrated: {doubt}.")
