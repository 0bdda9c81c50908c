"""Questions that should, and should not, be answered, through the whole graph: the 2x2 of both.

Where a set has no unanswerable questions, they are made by taking away what holds the answer: half
of the passages of `cmrc` (with their questions), all evidence of each `rgb` question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..graph.answer import Answer
from ..graph.build import Parts, build_graph
from ..graph.settings import preset
from ..stores.hybrid import HybridSearch
from ..stores.memory import MemoryStore
from .datasets import Dataset, Task, load
from .scores import contains, f1, over_parts

LONG = ("clapnq", "mtrag_tasks")
"""Sets with written answers, scored by F1; the others by whether the answer is contained."""


@dataclass
class Table:
    """The 2x2 of should and did, and how right the answers were."""

    should: int = 0
    answered: int = 0
    should_not: int = 0
    refused: int = 0
    scores: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Questions that got a refusal or an answer against what the data say."""

    @property
    def balanced(self) -> float:
        """Mean of the share answered that should be and the share refused that should be."""
        return (self.answered / max(1, self.should) + self.refused / max(1, self.should_not)) / 2

    @property
    def score(self) -> float:
        """Mean score of the answers to answerable questions; 0 when there are none."""
        return sum(self.scores) / len(self.scores) if self.scores else 0.0


def clapnq(folder: Path) -> Dataset:
    """ClapNQ over the passages of all its rows; those without answer are on topic."""
    found = load(folder / "clapnq.jsonl")
    return replace(found, tasks=tuple(replace(task, document_ids=()) for task in found.tasks))


def mtrag_tasks(folder: Path) -> Dataset:
    """MTRAG: first turns, answerable or not, over its small corpus."""
    found = load(folder / "mtrag_tasks.jsonl")
    kept = [t for t in found.tasks if not t.history and t.kind in ("answerable", "unanswerable")]
    return replace(found, tasks=tuple(kept))


def cmrc_zh(folder: Path) -> Dataset:
    """CMRC 2018 over half of its passages: questions on the other half have no answer."""
    found = load(folder / "cmrc_zh_questions.jsonl")
    kept = {id: document for id, document in found.documents.items() if not _odd(id)}
    tasks = tuple(replace(t, answerable=t.evidence_ids[0] in kept) for t in found.tasks)
    return replace(found, tasks=tasks, documents=kept)


def rgb(name: str) -> Callable[[Path], Dataset]:
    """RGB: each question over two passages that answer and all that do not, then without those."""

    def of(folder: Path) -> Dataset:
        found = load(folder / f"{name}.jsonl")
        return replace(found, tasks=tuple(_with_and_without(found.tasks)))

    return of


def _with_and_without(tasks: Sequence[Task]) -> Iterator[Task]:
    for task in tasks:
        noise = tuple(id for id in task.document_ids if id not in task.evidence_ids)
        if noise:
            yield replace(task, document_ids=(*task.evidence_ids[:2], *noise))
            yield replace(task, id=f"{task.id} without", document_ids=noise, answerable=False)


def _odd(text: str) -> bool:
    return hashlib.sha1(text.encode()).digest()[-1] % 2 == 1


SETS: dict[str, Callable[[Path], Dataset]] = {
    "clapnq": clapnq,
    "mtrag_tasks": mtrag_tasks,
    "cmrc_zh": cmrc_zh,
    "rgb_en_fact": rgb("rgb_en_fact"),
    "rgb_zh_fact": rgb("rgb_zh_fact"),
    "rgb_zh_refine": rgb("rgb_zh_refine"),
}


def sampled(found: Dataset, limit: int) -> Dataset:
    """At most `limit` questions, picked by a hash of their ids, so that a sample stays the same."""
    ordered = sorted(found.tasks, key=lambda task: hashlib.sha1(task.id.encode()).digest())
    return replace(found, tasks=tuple(ordered[:limit]))


def tables(
    folder: Path, names: Sequence[str], limit: int, presets: Sequence[str]
) -> Iterator[tuple[str, str, Table]]:
    """Run the presets on each set, offline: (set, preset, table), as soon as a set is done."""
    for name in names:
        found = sampled(SETS[name](folder), limit)
        made = {each: Table() for each in presets}
        stores: dict[tuple[str, ...], HybridSearch] = {}
        for task in found.tasks:
            if task.document_ids not in stores:
                stores = {task.document_ids: _store(found, task)}
            for each in presets:
                parts = Parts(passages=stores[task.document_ids])
                app = build_graph(parts, preset(each)).compile()
                _count(made[each], task, app.invoke({"question": task.question})["answer"], name)
        for each in presets:
            yield name, each, made[each]


def _store(found: Dataset, task: Task) -> HybridSearch:
    store = MemoryStore()
    store.add_documents(found.documents[id] for id in task.document_ids or found.documents)
    return HybridSearch(store)


def _count(table: Table, task: Task, answer: Answer, name: str) -> None:
    did = answer["outcome"] in ("answered", "partial")
    if task.answerable != did:
        table.wrong.append(task.question)
    if not task.answerable:
        table.should_not += 1
        table.refused += not did
        return
    table.should += 1
    table.answered += did
    if did:
        score = f1 if name in LONG else contains
        table.scores.append(over_parts(score, answer["text"], task.answers))
