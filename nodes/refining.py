"""Knowledge refinement (CRAG, section 4.4): keep of each passage the strips that matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..stores.passage import Passage

if TYPE_CHECKING:
    from .run import Run


def refined(question: str, passages: Sequence[Passage], run: Run) -> list[Passage]:
    """Cut passages to their strips, in source order, where the settings ask for it."""
    return list(passages)
