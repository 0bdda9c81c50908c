"""How good a judge must be before the loop pays: the real graph under simulated models.

Every point runs plain and loop on the same labelled questions, search included. Only the models are
simulated (see simulated.py), so calls, tokens and rounds are those that the graph really spends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from ..graph.limits import bounds
from ..graph.settings import Settings, preset
from .contenders import Contender
from .datasets import Dataset, Task
from .records import Record
from .runs import Bench, Corpus, run_bench
from .simulated import RIGHT, SimulatedModel, Skill, World, world_of
from .statistics import paired_difference

Axis = Literal["judge", "writer", "rewriter", "noise", "max_rounds"]
AXES: dict[Axis, tuple[float, ...]] = {
    "judge": (0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "writer": (0.5, 0.7, 0.9, 1.0),
    "rewriter": (0.0, 0.35, 0.7, 1.0),
    "noise": (0, 10, 40),
    "max_rounds": (0, 1, 2, 3),
}
"""What can be varied, and over which values."""
Moved = Callable[[int, str], None]


@dataclass(frozen=True)
class Point:
    """What one value of the axis gave."""

    axis: Axis
    value: float
    plain: tuple[float, ...]
    loop: tuple[float, ...]
    """1 for a right answer, 0 for a wrong one or none; question by question."""
    plain_wrong: float
    loop_wrong: float
    """Shares of wrong answers; the rest was declined."""
    rounds: float
    calls: tuple[float, float]
    """Model calls a question, of plain and of the loop."""
    tokens: tuple[float, float]

    @property
    def gain(self) -> tuple[float, float, float]:
        """Right answers that the loop has more, with the ends of the 95 % interval."""
        return paired_difference(self.plain, self.loop)


def simulate(
    found: Dataset,
    axis: Axis,
    *,
    skill: Skill | None = None,
    values: Sequence[float] | None = None,
    max_rounds: int = 2,
    seed: int = 0,
    moved: Moved | None = None,
) -> list[Point]:
    """Vary one thing and run plain and loop at each value.

    Raises EvaluationError when the data do not label evidence.
    """
    points = []
    skill = skill or Skill()
    for at, value in enumerate(AXES[axis] if values is None else values):
        noise, rounds, skilled = 0, max_rounds, skill
        if axis == "noise":
            noise = int(value)
        elif axis == "max_rounds":
            rounds = int(value)
        else:
            skilled = replace(skill, **{axis: value})
        points.append(_point(found, axis, value, skilled, noise, rounds, seed))
        if moved:
            moved(at + 1, f"{axis} {value:g}")
    return points


def _point(
    found: Dataset, axis: Axis, value: float, skill: Skill, noise: int, rounds: int, seed: int
) -> Point:
    noisy = with_noise(found, noise)
    plain, loop = (run(noisy, settings, skill, seed) for settings in _settings(rounds))
    spent = [[record["answer"]["spent"] for record in rows] for rows in (plain, loop)]
    calls = [fmean(s["calls"] for s in rows) for rows in spent]
    tokens = [fmean(s["input_tokens"] + s["output_tokens"] for s in rows) for rows in spent]
    return Point(
        axis,
        value,
        tuple(map(is_right, plain)),
        tuple(map(is_right, loop)),
        fmean(r["did_answer"] and not is_right(r) for r in plain),
        fmean(r["did_answer"] and not is_right(r) for r in loop),
        fmean(record["answer"]["rounds"] for record in loop),
        (calls[0], calls[1]),
        (tokens[0], tokens[1]),
    )


def _settings(max_rounds: int) -> tuple[Settings, Settings]:
    own: dict[str, Any] = {"structured": "text", "refine": "off"}
    loop = {"rate_usefulness": False, "remedies": ("search_again",), "max_rounds": max_rounds}
    return preset("plain", **own), preset("loop", **own, **loop)


def with_noise(found: Dataset, count: int) -> Dataset:
    """Only tasks with labelled evidence, each over its own documents and `count` of other tasks."""
    tasks = [task for task in found.tasks if task.evidence_ids and task.answerable]
    ids = sorted(found.documents)
    noisy = []
    for at, task in enumerate(tasks):
        own = task.document_ids or tuple(ids)
        start = at * 31 % max(1, len(ids))
        foreign = [id for id in [*ids[start:], *ids[:start]] if id not in own]
        step = max(1, len(foreign) // max(1, count))
        noisy.append(replace(task, document_ids=(*own, *foreign[::step][:count])))
    return replace(found, tasks=tuple(noisy))


def run(found: Dataset, settings: Settings, skill: Skill, seed: int = 0) -> list[Record]:
    """Run all tasks under simulated models."""
    model = SimulatedModel(world=_world(found), skill=skill, seed=seed)
    parts = {"judge": model, "writer": model, "reader": model}
    bench = Bench(found, {"simulated": Contender(settings)}, parts=parts)
    return list(run_bench(bench))


def _world(found: Dataset) -> World:
    everything = Task("", "", (), document_ids=tuple(found.documents))
    corpus = Corpus(Bench(found, {}))
    corpus.turn_to(everything)
    return world_of(found, corpus.now.passages())


def is_right(record: Record) -> float:
    """1 when the run ended with the right answer."""
    return float(record["did_answer"] and record["answer"]["text"].startswith(RIGHT[:14]))


def pays_from(points: Sequence[Point]) -> float | None:
    """The value from which on the loop surely beats plain; None when it never does."""
    for at, point in enumerate(points):
        if all(later.gain[1] > 0 for later in points[at:]):
            return point.value
    return None


def verdict(points: Sequence[Point]) -> str:
    """Where the loop begins, or stops, to pay, in one sentence."""
    axis = points[0].axis
    worse = [f"{p.value:g}" for p in points if p.gain[2] < 0]
    bad = f" It surely loses at {', '.join(worse)}." if worse else ""
    if axis in ("judge", "writer", "rewriter"):
        start = pays_from(points)
        if start is None:
            return f"The loop surely beats plain at no {axis} accuracy that was tried.{bad}"
        return f"The loop surely beats plain from a {axis} accuracy of {start:g} on.{bad}"
    best = max(points, key=lambda point: (sum(point.loop), -point.tokens[1]))
    return f"The loop is right most often at {axis} {best.value:g}.{bad}"


def table(points: Sequence[Point]) -> str:
    """The points as lines of text."""
    axis = points[0].axis
    lines = [
        f"{'':>10}{'right':>16}{'gain, 95 % interval':>24}{'wrong':>14}{'':>8}"
        f"{'calls':>14}{'tokens':>16}",
        f"{axis:>10}{'plain':>8}{'loop':>8}{'':>8}{'from':>8}{'to':>8}{'plain':>7}{'loop':>7}"
        f"{'rounds':>8}{'plain':>7}{'loop':>7}{'plain':>8}{'loop':>8}",
    ]
    for p in points:
        gain, low, high = p.gain
        lines.append(
            f"{p.value:>10g}{fmean(p.plain):>8.1%}{fmean(p.loop):>8.1%}"
            f"{100 * gain:>+8.1f}{100 * low:>+8.1f}{100 * high:>+8.1f}"
            f"{p.plain_wrong:>7.0%}{p.loop_wrong:>7.0%}{p.rounds:>8.2f}"
            f"{p.calls[0]:>7.1f}{p.calls[1]:>7.1f}{p.tokens[0]:>8,.0f}{p.tokens[1]:>8,.0f}"
        )
    return "\n".join(lines)


def plot(points: Sequence[Point], title: str, path: Path) -> None:
    """Draw accuracy of plain and loop over the axis. Needs matplotlib."""
    from .report_plots import COLOURS, new_figure

    figure = new_figure()
    axes = figure.subplots()
    values = [point.value for point in points]
    for at, name in enumerate(("plain", "loop")):
        right = [fmean(getattr(point, name)) for point in points]
        wrong = [getattr(point, f"{name}_wrong") for point in points]
        axes.plot(values, right, marker="os"[at], color=COLOURS[at], label=f"{name}, right")
        axes.plot(values, wrong, marker="os"[at], color=COLOURS[at], ls=":", label=f"{name}, wrong")
    axes.set_xlabel(f"{points[0].axis.replace('_', ' ')}")
    axes.set_ylabel("share of questions")
    axes.set_ylim(0, 1.02)
    axes.set_title(title)
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    figure.savefig(path)


def route_cost(found: Dataset, skill: Skill, k: int = 5, seed: int = 0) -> dict[str, float]:
    """What Self-Route costs relative to always reading everything: as predicted, and as counted.

    Predicted is l/L + (1 - a) (Li et al., 2024, section 3.3) from mean tokens l of answering from
    passages, L of reading whole, and the share a that passages settle. Counted are the tokens in of
    self_route by those of whole_document. They differ where long documents fall back more often.
    """
    own: dict[str, Any] = {"structured": "text", "refine": "off", "k": k}
    found = with_noise(found, 0)
    routed = run(found, preset("self_route", **own), skill, seed)
    whole = run(found, preset("whole_document", **own), skill, seed)
    passages = fmean(_tokens_in(record, "generate") for record in routed)
    documents = fmean(_tokens_in(record, "read_whole_document") for record in whole)
    settled = fmean("read_whole_document" not in record["path"] for record in routed)
    counted = fmean(record["answer"]["spent"]["input_tokens"] for record in routed)
    return {
        "answerable": settled,
        "predicted": passages / documents + (1 - settled),
        "counted": counted / fmean(record["answer"]["spent"]["input_tokens"] for record in whole),
    }


def _tokens_in(record: Record, node: str) -> int:
    cost = record["answer"]["spent"]["by_node"].get(node)
    return cost["input_tokens"] if cost else 0


def most_taken(found: Dataset, skill: Skill, max_rounds: int, seed: int = 0) -> dict[str, Any]:
    """The most that any question took, beside what `graph.limits.bounds` promises."""
    settings = _settings(max_rounds)[1]
    records = run(with_noise(found, 0), settings, skill, seed)
    promised = bounds(settings)
    return {
        "rounds": (max(r["answer"]["rounds"] for r in records), promised.rounds),
        "calls": (max(r["answer"]["spent"]["calls"] for r in records), promised.calls),
        "steps": (max(len(r["path"]) for r in records), promised.steps),
    }
