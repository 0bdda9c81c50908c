"""How often all the labelled evidence is in the final context, after search, rounds and packing.

What counts is the context as it goes into the prompt, not what was found on the way there: a loop
that finds more and then has no room for it has gained nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.build import Parts, build_graph
from ..graph.settings import Settings
from ..stores.errors import EvaluationError
from ..stores.hybrid import HybridSearch
from ..stores.memory import MemoryStore
from ..stores.passage import Passage
from ..stores.text import CJK
from .datasets import Dataset, Task
from .statistics import mean_interval, paired_difference

_CHARACTER = re.compile(f"[{CJK}]")


@dataclass(frozen=True)
class Gathered:
    """What one question got: the context, and which of the evidence is in it."""

    task_id: str
    source: str
    needed: tuple[str, ...]
    """Ids of the documents that are labelled as evidence."""
    context: tuple[Passage, ...]
    rounds: int
    tokens: int
    """Of the formatted context, by the counter in use."""
    redundancy: float = 0.0
    fell_back: bool = False

    @property
    def held(self) -> tuple[str, ...]:
        """The evidence that the context holds, at least a part of each."""
        inside = {passage["document_id"] for passage in self.context}
        return tuple(id for id in self.needed if id in inside)

    @property
    def all_held(self) -> bool:
        """True when no piece of evidence is lacking."""
        return len(self.held) == len(self.needed)


def words_as_tokens(text: str) -> int:
    """Count tokens as words times 1.35, and a CJK character as one: a yardstick for budgets.

    It needs no tokenizer, and published figures for this measure are counted with it.
    """
    characters = len(_CHARACTER.findall(text))
    return math.ceil(1.35 * len(_CHARACTER.sub(" ", text).split())) + characters


def gather(
    found: Dataset,
    settings: Settings,
    *,
    count_tokens: Callable[[str], int] = words_as_tokens,
    only: Callable[[Task], bool] | None = None,
    **parts: Any,
) -> list[Gathered]:
    """Run the real graph on every task with labelled evidence, over the task's own corpus.

    `settings.context_tokens` is the budget. `parts` are further Parts (judge, writer, ...).
    """
    gathered = []
    for task in found.tasks:
        if task.evidence_ids and (only is None or only(task)):
            gathered.append(_one(found, task, settings, count_tokens, parts))
    if not gathered:
        raise EvaluationError(f"{found.name} names no evidence: coverage cannot be measured.")
    return gathered


def _one(
    found: Dataset,
    task: Task,
    settings: Settings,
    count_tokens: Callable[[str], int],
    parts: dict[str, Any],
) -> Gathered:
    store = MemoryStore()
    store.add_documents(found.documents[id] for id in task.document_ids or found.documents)
    made = Parts(passages=HybridSearch(store), count_tokens=count_tokens, **parts)
    app = build_graph(made, settings, studio=True).compile()
    state = app.invoke({"question": task.question})
    selection = state["selection"]
    return Gathered(
        task.id,
        task.source,
        task.evidence_ids,
        tuple(state["context"]),
        state["rounds"],
        int(selection.get("tokens", 0)),
        float(selection.get("redundancy", 0.0)),
        bool(selection.get("fell_back")),
    )


def coverage(gathered: Sequence[Gathered]) -> dict[str, Any]:
    """Sum up: shares with 95 % bootstrap intervals, mean tokens and rounds."""
    every = [float(one.all_held) for one in gathered]
    return {
        "questions": len(gathered),
        "evidence_coverage_all": sum(every) / len(every),
        "interval": mean_interval(every),
        "evidence_coverage": sum(len(g.held) / len(g.needed) for g in gathered) / len(every),
        "tokens": sum(one.tokens for one in gathered) / len(every),
        "rounds": sum(one.rounds for one in gathered) / len(every),
        "by_source": _by_source(gathered),
    }


def _by_source(gathered: Iterable[Gathered]) -> dict[str, float]:
    parts: dict[str, list[float]] = {}
    for one in gathered:
        parts.setdefault(one.source, []).append(float(one.all_held))
    return {source: sum(held) / len(held) for source, held in sorted(parts.items())}


def gained(before: Sequence[Gathered], after: Sequence[Gathered]) -> tuple[float, float, float]:
    """What `evidence_coverage_all` gained, and the ends of its paired 95 % bootstrap interval."""
    return paired_difference(
        [float(one.all_held) for one in before], [float(one.all_held) for one in after]
    )
