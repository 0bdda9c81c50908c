"""Asking a judge about labelled rows: the offline judge, or a model as the graph asks it.

A model is asked through `nodes.judges.panel`, so prompts, ladder, retries and the cross-check in
code are those of the graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..nodes.judges.offline import OfflineJudge
from ..nodes.judges.panel import NODES
from ..nodes.judges.verdict import Verdict
from ..stores.errors import EvaluationError
from ..stores.passage import Passage
from .datasets import Labelled

if TYPE_CHECKING:
    from ..graph.settings import Settings
    from ..nodes.run import Run
    from ..nodes.steps import Ask, Reply, Steps

Progress = Callable[[int], None]
AT_ONCE = 32
"""Rows that are put to a model together; progress moves in these steps."""
NODE = {**NODES, "suffices": "generate"}


def passages_of(row: Labelled) -> list[Passage]:
    """The row's texts as passages."""
    return [
        Passage(
            id=f"{row.id}#{i}",
            document_id=row.id,
            text=text,
            start=0,
            end=len(text),
            title=row.title,
        )
        for i, text in enumerate(row.texts)
    ]


def ask_offline(
    judge: str, rows: Sequence[Labelled], offline: OfflineJudge, progress: Progress | None = None
) -> list[Verdict]:
    """The offline judge's verdict on every row, in order."""
    found = []
    for row in rows:
        found.append(_offline(judge, row, offline))
        if progress:
            progress(1)
    return found


def _offline(judge: str, row: Labelled, offline: OfflineJudge) -> Verdict:
    shown = passages_of(row)
    if judge == "relevance":
        return offline.relevant(row.question, shown[0])
    if judge == "support":
        return offline.supported(row.sentence, shown, before=[row.question] if row.question else ())
    if judge == "retrieve":
        return offline.retrieve(row.question, row.history)
    if judge == "useful":
        return offline.useful(row.question, row.sentence)
    return offline.suffices(row.question, shown)


def ask_model(
    judge: str, rows: Sequence[Labelled], run: Run, progress: Progress | None = None
) -> list[Verdict]:
    """A model's verdict on every row, in order; rows of a stretch are asked at once."""
    found: list[Verdict] = []
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        found.extend(_together([_steps(judge, row, run) for row in some], run))
        if progress:
            progress(len(some))
    return found


def _steps(judge: str, row: Labelled, run: Run) -> Steps[Verdict]:
    from ..nodes.judges import panel

    shown = passages_of(row)
    if judge == "relevance":
        return (yield from panel.relevant(run, row.question, shown))[0]
    if judge == "support":
        asked = [(row.question, row.sentence)]
        return (yield from panel.supported(run, asked, [shown]))[0]
    if judge == "retrieve":
        return (yield from panel.retrieve(run, row.question, row.history))
    if judge == "useful":
        return (yield from panel.useful(run, row.question, row.sentence))
    return (yield from panel.suffices(run, row.question, shown))


def _together(all_steps: Sequence[Steps[Verdict]], run: Run) -> list[Verdict]:
    """Run single-question steps in step, with their questions put to the model as one `Ask`."""
    from ..nodes import hands

    done: dict[int, Verdict] = {}
    waiting: dict[int, Ask] = {}

    def advance(at: int, reply: list[Reply] | None) -> None:
        try:
            waiting[at] = all_steps[at].send(reply)  # type: ignore[assignment]  # judges only ask
        except StopIteration as end:
            done[at] = end.value

    for at in range(len(all_steps)):
        advance(at, None)
    while waiting:
        asks, waiting = waiting, {}
        prompts = tuple(p for ask in asks.values() for p in ask.prompts)
        replies: list[Reply] = hands.perform(
            replace(next(iter(asks.values())), prompts=prompts), run
        )
        start = 0
        for at, ask in asks.items():
            advance(at, replies[start : start + len(ask.prompts)])
            start += len(ask.prompts)
    return [done[at] for at in range(len(all_steps))]


def model_run(judge: str, settings: Settings, parts: Any = None, fixed: bool = False) -> Run:
    """A run outside a graph for asking a model, without limits on calls.

    The cascade is off in it: it is fitted here, so the model must see every row. Thresholds that
    were fitted before count only with `fixed`, which measures what would run.
    """
    from ..nodes.parts import Parts
    from ..nodes.run import Engine, Run
    from ..stores.memory import MemoryStore

    free = settings.changed(max_calls=10**9, max_tokens=10**12, deadline_s=10.0**9, cascade=False)
    if not fixed:
        free = free.changed(calibration=None)
    engine = Engine(parts or Parts(passages=MemoryStore()), free)
    nothing = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "seconds": 0.0}
    state: Any = {"spent": {**nothing, "waited": 0.0, "by_node": {}, "started": time.time()}}
    run = Run(NODE[judge], engine, free, state, lambda _: None)
    if not run.has_model("judge"):
        raise EvaluationError("No model is set: give --model NAME, or leave it out to go offline.")
    return run
