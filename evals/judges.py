"""Measuring a judge on labelled rows: the offline judge, or a model asked as the graph asks it.

A model is asked through `nodes.judges.panel`, so prompts, ladder, retries and the cross-check in
code are those of the graph, and the figures are those of the judge that will run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..nodes.judges.calibration import read_calibration
from ..nodes.judges.offline import OfflineJudge
from ..nodes.judges.verdict import Verdict
from ..stores.errors import EvaluationError
from ..stores.passage import Passage
from . import cascade, measure
from .datasets import Dataset, Labelled
from .pairs import rows_for

if TYPE_CHECKING:
    from ..graph.settings import Settings
    from ..nodes.run import Run
    from ..nodes.steps import Ask, Reply, Steps

Progress = Callable[[int], None]
AT_ONCE = 32
"""Rows that are put to a model together; progress moves in these steps."""
NODE = {
    "relevance": "grade_passages",
    "support": "check_grounding",
    "retrieve": "decide_retrieval",
    "useful": "check_usefulness",
    "suffices": "generate",
}


@dataclass(frozen=True)
class Cost:
    """What the asking took."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """All that `calibrate` has to say."""

    judge: str
    model: str | None
    judged: list[measure.Judged]
    figures: dict[str, Any]
    """What `--json` prints: agreement, interval, balanced_accuracy, kappa, auc, recall, unclear,
    by_language, by_source, calls, seconds, and threshold, cascade or batch where they apply."""
    entry: dict[str, Any] = field(default_factory=dict)
    """What goes into the calibration file."""


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
    from dataclasses import replace

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
    state: Any = {"spent": {**nothing, "by_node": {}, "started": time.time()}}
    run = Run(NODE[judge], engine, free, state, lambda _: None)
    if not run.has_model("judge"):
        raise EvaluationError("No model is set: give --model NAME, or leave it out to go offline.")
    return run


def calibrate(
    judge: str,
    found: Dataset,
    *,
    settings: Settings | None = None,
    parts: Any = None,
    offline: OfflineJudge | None = None,
    limit: int | None = None,
    fixed: bool = False,
    bar: float = 0.8,
    lose: float = 0.01,
    batch: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Measure a judge on a data set and, unless `fixed`, fit its thresholds.

    `settings` with a model measures that model, and the offline judge beside it for the cascade;
    without, the offline judge alone. `bar`: agreement it should reach, 0 to 1. `lose`: agreement
    a cascade may give away (0.01 is one point). Raises EvaluationError when no row fits.
    """
    rows = rows_of(judge, found, limit)
    began = time.monotonic()
    model = None
    cost = Cost()
    offline = offline or OfflineJudge()
    if settings is not None and (settings.judge_model or settings.model or parts is not None):
        run = model_run(judge, settings, parts, fixed)
        model = settings.judge_model or settings.model or "given model"
        verdicts = ask_model(judge, rows, run, progress)
        used = run.meter.used
        cost = Cost(used.calls, used.input_tokens, used.output_tokens)
    else:
        verdicts = ask_offline(judge, rows, offline, progress)
        if fixed and settings is not None:
            known = read_calibration(settings.calibration)
            pairs = zip(verdicts, rows, strict=True)
            verdicts = [known.apply(judge, v, None, row.language) for v, row in pairs]
    seconds = time.monotonic() - began
    judged, thresholds = measure.judged(judge, rows, verdicts, fixed)
    figures: dict[str, Any] = {"judge": judge, "model": model, "data": found.name}
    figures |= measure.figures(judged)
    figures["by_language"] = measure.by(judged, lambda row: row.language)
    figures["by_source"] = measure.by(judged, lambda row: row.source)
    if any(row.tier for row in rows):
        figures["by_tier"] = measure.by(judged, lambda row: row.tier)
    figures["how"] = sorted({v.how for v in verdicts})
    figures |= {"calls": cost.calls, "input_tokens": cost.input_tokens}
    figures |= {"output_tokens": cost.output_tokens, "seconds": round(seconds, 3)}
    figures |= {"fixed": fixed, "bar": bar, "passed": figures["agreement"] >= bar}
    entry = {
        k: figures[k]
        for k in ("agreement", "interval", "balanced_accuracy", "kappa", "rows", "bar")
    }
    entry["data"] = {"name": found.name, "sha256": found.sha256}
    if thresholds:
        figures["threshold"] = entry["threshold"] = thresholds
    if model is not None:
        cheap, _ = measure.judged(judge, rows, ask_offline(judge, rows, offline), fixed=True)
        figures["offline"] = measure.figures(cheap)
        if not fixed:
            figures["cascade"] = cascade.fit_band(cheap, judged, lose)
            entry["band"] = figures["cascade"]["band"]
        if batch > 1 and judge == "relevance":
            from .batches import measure_batches

            figures["batch"] = measure_batches(run, judged, batch)
    elif batch > 1:
        raise EvaluationError("--batch measures a model: give --model NAME as well.")
    return Report(judge, model, judged, figures, entry)


def rows_of(judge: str, found: Dataset, limit: int | None = None) -> list[Labelled]:
    """The rows to judge: at most `limit` of them, evenly spread over the file."""
    rows = rows_for(judge, found)
    if limit is None or not 0 < limit < len(rows):
        return rows
    return [rows[i * len(rows) // limit] for i in range(limit)]


def remedy(report: Report) -> str:
    """Which of the three remedies to take when a judge is below its bar, and why."""
    figures = report.figures
    if figures["agreement"] >= figures["bar"]:
        return ""
    recall = figures["recall"]
    gap = recall.get("yes", 0.0) - recall.get("no", 0.0)
    curve = figures["auc"]
    if figures["unclear"] > 0.1:
        return (
            f"A better prompt: {figures['unclear']:.0%} of the replies could not be read as a "
            "verdict. Ask for one word, or set `structured`."
        )
    if report.model and abs(gap) > 0.25:
        word = "yes" if gap > 0 else "no"
        return (
            f"A better prompt: the judge says {word} too often (recall yes "
            f"{recall.get('yes', 0):.0%}, no {recall.get('no', 0):.0%}). Say what does not count, "
            "give two worked examples, and fit a threshold on soft scores."
        )
    if curve is not None and curve < 0.8:
        return (
            "A better model: even with the best threshold its scores hardly tell yes from no "
            f"(AUC {curve:.2f}). Give --model NAME with a stronger one."
        )
    return (
        "Smaller questions: the judge is nearly there. Judge single sentences instead of whole "
        "answers, shorter passages, and one question a call."
    )
