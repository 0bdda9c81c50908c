"""What a second draft is told about the first, so that the same prompt never comes twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..judges.fence import fence


def feedback_on(draft: Mapping[str, Any]) -> str:
    """Name the sentences of a draft that the evidence does not bear out."""
    bad = [
        f"{said['sentence']} ({said.get('why') or said['verdict']})"
        for said in draft.get("grounding", [])
        if said["verdict"] != "full"
    ]
    if not bad:
        return ""
    listed = fence("draft", "\n".join(bad))
    return f"\nAn earlier answer said this, which the passages do not say. Leave it out:\n{listed}"
