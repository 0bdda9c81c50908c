"""Running presets over a data set: one record a run, in a file that a second start goes on with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from ..graph.build import Parts, build_graph
from ..graph.settings import Settings
from ..graph.state import Answer, State
from ..stores.errors import EvaluationError
from ..stores.hybrid import HybridSearch
from ..stores.memory import MemoryStore
from .datasets import Dataset, Task
from .scores import SCORES, over_parts


class Record(TypedDict, total=False):
    """One question under one preset. A line of the records file."""

    run: str
    """Hash of the data, the settings and the models: what must be equal to be compared."""
    data: str
    task_id: str
    preset: str
    question: str
    kind: str
    language: str
    source: str
    should_answer: bool
    did_answer: bool
    scores: dict[str, float]
    """Empty when the data do not say what is right."""
    evidence_needed: list[str]
    evidence_held: list[str]
    context_ids: list[str]
    context_tokens: int
    answer: Answer


@dataclass(frozen=True)
class Bench:
    """What is run: a data set, presets by name, and the parts that they share."""

    found: Dataset
    presets: Mapping[str, Settings]
    count_tokens: Callable[[str], int] | None = None
    embeddings: Any = None

    def run_of(self, name: str) -> str:
        """The hash that names a preset's runs: data, settings and models."""
        told = json.dumps(
            [self.found.sha256, self.presets[name].model_dump(mode="json")], sort_keys=True
        )
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def todo(self, done: Sequence[Record]) -> list[tuple[str, Task]]:
        """What is not in the records yet, task by task, so that presets stay comparable."""
        have = {(record["run"], record["task_id"]) for record in done}
        return [
            (name, task)
            for task in self.found.tasks
            for name in self.presets
            if (self.run_of(name), task.id) not in have
        ]


def read_records(path: Path) -> list[Record]:
    """Read a records file; a last line that was cut off by a crash is left out.

    Raises EvaluationError when another line is not a record.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    records: list[Record] = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            if number < len(lines):
                raise EvaluationError(f"{path}, line {number}: not a record.") from None
    return records


def run_bench(bench: Bench, done: Sequence[Record] = ()) -> Iterator[Record]:
    """Run what is not done yet and give each record as soon as it is there."""
    stores = _Stores(bench)
    apps: dict[str, Any] = {}
    for name, task in bench.todo(done):
        search = stores.of(task)
        if stores.fresh or name not in apps:
            if stores.fresh:
                apps.clear()
            made = Parts(passages=search, count_tokens=bench.count_tokens)
            apps[name] = build_graph(made, bench.presets[name], studio=True).compile()
        state: State = apps[name].invoke(_asked(task))
        yield record_of(bench, name, task, state)


class _Stores:
    """The corpus of a task; the one of the last task is kept, since most share it."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.fresh = False
        self._ids: tuple[str, ...] | None = None
        self._search: HybridSearch | None = None

    def of(self, task: Task) -> HybridSearch:
        self.fresh = self._search is None or task.document_ids != self._ids
        if self.fresh:
            documents = self.bench.found.documents
            store = MemoryStore(self.bench.embeddings)
            store.add_documents(documents[id] for id in task.document_ids or documents)
            self._ids, self._search = task.document_ids, HybridSearch(store)
        assert self._search is not None
        return self._search


def _asked(task: Task) -> Any:
    if not task.history:
        return {"question": task.question}
    roles = {"user": "human", "assistant": "ai"}
    history = [(roles.get(role, role), text) for role, text in task.history]
    return {"messages": [*history, ("human", task.question)]}


def record_of(bench: Bench, name: str, task: Task, state: State) -> Record:
    """What is kept of a run."""
    answer = state["answer"]
    did = answer["outcome"] in ("answered", "partial", "direct")
    inside = list(dict.fromkeys(passage["document_id"] for passage in state["context"]))
    said = answer["text"] if did else ""
    scores = {
        key: round(over_parts(score, said, task.answers), 4)
        for key, score in SCORES.items()
        if task.answers and task.answerable
    }
    return {
        "run": bench.run_of(name),
        "data": bench.found.name,
        "task_id": task.id,
        "preset": name,
        "question": task.question,
        "kind": task.kind,
        "language": task.language,
        "source": task.source,
        "should_answer": task.answerable,
        "did_answer": did,
        "scores": scores,
        "evidence_needed": list(task.evidence_ids),
        "evidence_held": [id for id in task.evidence_ids if id in inside],
        "context_ids": inside,
        "context_tokens": int(state["selection"].get("tokens", 0)),
        "answer": answer,
    }
