"""Running presets over a data set: one record a run, which a second start goes on from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..graph.answer import Answer
from ..graph.build import Parts, build_graph, recursion_limit
from ..graph.state import State
from ..stores.hybrid import HybridSearch
from ..stores.memory import MemoryStore
from ..stores.passage import Document, Passage
from ..stores.protocols import Where
from .contenders import Contender
from .datasets import Dataset, Task
from .records import Record, cut_torn_line, did_answer, line_of, read_records
from .scores import contains, over_parts, score_answer

KEPT_STORES = 4
"""Corpora that are kept ready at a time; tasks of one corpus mostly stand together."""
SHARE = 8
"""Runs that are sent to a Ray worker at once."""


@dataclass(frozen=True)
class Bench:
    """What is run: a data set, who takes part, and the parts that they share."""

    found: Dataset
    contenders: Mapping[str, Contender]
    count_tokens: Callable[[str], int] | None = None
    embeddings: Any = None
    parts: Mapping[str, Any] | None = None
    """Further Parts of every graph: judge, writer, reader, reranker, elsewhere."""

    def run_of(self, name: str) -> str:
        """The hash that names a contender's runs: data, settings, embedding and code."""
        embedding = getattr(self.embeddings, "name", "") or type(self.embeddings).__name__
        settings = self.contenders[name].settings.model_dump(mode="json")
        told = json.dumps([self.found.sha256, name, settings, embedding, code_hash()])
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def todo(self, done: Sequence[Record]) -> list[tuple[str, Task]]:
        """What is not in the records yet, task by task, so that presets stay comparable."""
        have = {(record["run"], record["task_id"]) for record in done}
        return [
            (name, task)
            for task in self.found.tasks
            for name in self.contenders
            if (self.run_of(name), task.id) not in have
        ]

    def counted(self, records: Sequence[Record]) -> list[Record]:
        """Those of the records that belong to this bench."""
        runs = {self.run_of(name) for name in self.contenders}
        ids = {task.id for task in self.found.tasks}
        return [r for r in records if r["run"] in runs and r["task_id"] in ids]


@cache
def code_hash() -> str:
    """A hash of the package's own files: other code is another run."""
    told = hashlib.sha256()
    package = Path(__file__).parent.parent
    for part in ("graph", "nodes", "stores", "evals"):
        for file in sorted((package / part).rglob("*")):
            if file.is_file() and file.suffix in (".py", ".json", ".txt"):
                told.update(file.relative_to(package).as_posix().encode())
                told.update(file.read_bytes())
    return told.hexdigest()


def run_bench(
    bench: Bench, done: Sequence[Record] = (), ray: str | None = None
) -> Iterator[Record]:
    """Run what is not done yet and give each record as soon as it is there.

    With the address of a Ray cluster, shares of the questions are run there. Raises what a run
    raises: a model that refuses its key, a setting that cannot be used.
    """
    todo = bench.todo(done)
    if ray is None:
        yield from run_some(bench, todo)
        return
    from ..stores.ray_cluster import spread

    shares = [todo[at : at + SHARE] for at in range(0, len(todo), SHARE)]
    for records in spread(ray, _run_share, bench, shares):
        yield from records


def _run_share(bench: Bench, todo: Sequence[tuple[str, Task]]) -> list[Record]:
    return list(run_some(bench, todo))


def run_some(bench: Bench, todo: Sequence[tuple[str, Task]]) -> Iterator[Record]:
    """Run pairs of a contender's name and a task, in order."""
    corpus = Corpus(bench)
    apps: dict[str, Any] = {}
    for name, task in todo:
        corpus.turn_to(task)
        if name not in apps:
            apps[name] = _app(bench, bench.contenders[name], corpus)
        path, state = walk(apps[name], asked(task))
        yield record_of(bench, name, task, state, path)


def run_to_file(
    bench: Bench,
    file: Path,
    moved: Callable[[int, str], None] | None = None,
    ray: str | None = None,
) -> list[Record]:
    """Run what is not in the records file yet, appending to it; give all records of this bench.

    `moved` hears how many runs are done, and which was the last.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    cut_torn_line(file)
    done = read_records(file)
    with file.open("a", encoding="utf-8") as records:
        for at, record in enumerate(run_bench(bench, done, ray), 1):
            done.append(record)
            records.write(line_of(record))
            records.flush()
            if moved:
                moved(at, f"{record['preset']} {record['task_id']}")
    return bench.counted(done)


def _app(bench: Bench, contender: Contender, corpus: Corpus) -> Any:
    """One graph for all questions, so that what it learns of a model is learned once."""
    given = dict(bench.parts or {})
    if contender.judge is not None:
        given["judge"] = contender.judge
    parts = Parts(passages=corpus, embed=bench.embeddings, count_tokens=bench.count_tokens, **given)
    app = build_graph(parts, contender.settings, studio=True).compile()
    return app.with_config(recursion_limit=recursion_limit(contender.settings))


class Corpus:
    """Searches and reads the documents of the task at hand: one part for all tasks of a bench."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._ready: dict[tuple[str, ...], HybridSearch] = {}
        self._now: HybridSearch | None = None

    def turn_to(self, task: Task) -> None:
        """Make the task's documents the ones that are searched; the last few corpora are kept."""
        search = self._ready.pop(task.document_ids, None) or self._made(task.document_ids)
        self._ready[task.document_ids] = self._now = search
        if len(self._ready) > KEPT_STORES:
            del self._ready[next(iter(self._ready))]

    def _made(self, ids: tuple[str, ...]) -> HybridSearch:
        documents = self._bench.found.documents
        store = MemoryStore(self._bench.embeddings)
        store.add_documents(documents[id] for id in ids or documents)
        return HybridSearch(store)

    @property
    def now(self) -> HybridSearch:
        """The search over the task at hand."""
        assert self._now is not None, "turn_to comes first"
        return self._now

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Find k passages, best first."""
        return self.now.search(query, k, where)

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Like `search`."""
        return await self.now.asearch(query, k, where)

    def read(self, document_id: str) -> Document:
        """Give a whole document."""
        return self.now.read(document_id)

    async def aread(self, document_id: str) -> Document:
        """Like `read`."""
        return await self.now.aread(document_id)


def asked(task: Task) -> dict[str, Any]:
    """A task as the graph's input: the question, or the conversation that ends in it."""
    if not task.history:
        return {"question": task.question}
    roles = {"user": "human", "assistant": "ai"}
    history = [(roles.get(role, role), text) for role, text in task.history]
    return {"messages": [*history, ("human", task.question)]}


def walk(app: Any, given: dict[str, Any]) -> tuple[list[str], State]:
    """Run a graph that was built with `studio=True`: the nodes in order, and the last state."""
    path: list[str] = []
    state: State = {}
    for kind, part in app.stream(given, stream_mode=["updates", "values"]):
        if kind == "updates":
            path += part
        else:
            state = part
    return path, state


def record_of(bench: Bench, name: str, task: Task, state: State, path: Sequence[str]) -> Record:
    """What is kept of a run."""
    answer: Answer = state["answer"]
    did = did_answer(answer)
    whole = state["whole"]
    passages = (passage["document_id"] for passage in state["context"])
    inside = list(dict.fromkeys([*passages, *whole.get("document_ids", ())]))
    known = task.answers if task.answerable else ()
    context = "\n".join(passage["text"] for passage in state["context"])
    return {
        "run": bench.run_of(name),
        "data": bench.found.name,
        "task_id": task.id,
        "preset": name,
        "question": task.question,
        "kind": task.kind,
        "language": task.language,
        "source": task.source,
        "expected": [list(part) for part in known],
        "should_answer": task.answerable,
        "did_answer": did,
        "scores": score_answer(answer["text"] if did else "", known),
        "evidence_needed": list(task.evidence_ids),
        "evidence_held": [id for id in task.evidence_ids if id in inside],
        "context_ids": inside,
        "context_tokens": state["selection"].get("tokens", 0) + whole.get("tokens", 0),
        "answer_in_context": over_parts(contains, context, known) == 1.0 if known else None,
        "path": list(path),
        "answer": answer,
    }
