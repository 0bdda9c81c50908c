"""Spending a token budget on what adds information: plain functions, usable alone.

from ragloop.nodes.context import select
selection = select(candidates, question, budget=1500)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .formatting import format_context
from .selection import Dropped, Selection, select

if TYPE_CHECKING:
    from .compressor import BudgetSelector

__all__ = ["BudgetSelector", "Dropped", "Selection", "format_context", "select"]


def __getattr__(name: str) -> Any:
    if name == "BudgetSelector":  # needs langchain-core, which plain `select` does not
        from .compressor import BudgetSelector

        return BudgetSelector
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
