"""How far a chat model can be trusted as a judge: as asked, with worked examples, with a threshold.

    python -m ragloop.evals.model_judges --data DIR --model NAME --base-url URL [--rows 100]

Asks the relevance and the support judge about labelled rows, half English and half Chinese where
the data allow, once as the prompts are and once with `worked_examples`. Prints for each what the
model said, what a fitted threshold makes of its token probabilities (cross-fitted), the offline
judge on the same rows, and what the cascade would save.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from ..graph.settings import Settings, make_settings, read_change
from .datasets import Dataset, Labelled, load
from .judges import calibrate, rows_of

SEED = 7


def sample(judge: str, data: Path, count: int) -> Dataset:
    """The rows that a judge is asked about: about `count`, the same ones each time.

    Relevance: evenly spread over the pairs. Support: rows of the tier `clean`, as many of each
    label and language, drawn by lot.
    """
    if judge == "relevance":
        pairs = load(data / "relevance_pairs.jsonl")
        return replace(pairs, rows=tuple(rows_of(judge, pairs, count)))
    drawn: list[Labelled] = []
    for language in ("en", "zh"):
        found = load(data / f"groundedness_{language}.jsonl")
        rows = [row for row in found.rows if row.tier == "clean"]
        Random(SEED).shuffle(rows)
        for label in ("full", "none"):
            drawn += [row for row in rows if row.label == label][: count // 4]
    return replace(found, name="groundedness, clean", rows=tuple(drawn))


def measured(judge: str, found: Dataset, settings: Settings) -> Iterator[dict[str, Any]]:
    """The figures of `ragloop calibrate` without and with worked examples."""
    for examples in (False, True):
        changed = settings.changed(worked_examples=examples)
        figures = calibrate(judge, found, settings=changed).figures
        yield {**figures, "worked_examples": examples}


HEAD = (
    "| judge | worked examples | as said | recall yes / no | with a threshold | AUC "
    "| offline judge | calls saved, points lost | seconds |\n|---|---|---|---|---|---|---|---|---|"
)


def line(figures: dict[str, Any]) -> str:
    """One row of the table; agreement is balanced over yes and no."""
    said = figures.get("as_said", figures)
    recall = " / ".join(f"{said['recall'].get(name, 0):.2f}" for name in ("yes", "no"))
    cascade = figures["cascade"]
    curve = "" if figures["auc"] is None else f"{figures['auc']:.2f}"
    cells = (
        figures["judge"],
        "yes" if figures["worked_examples"] else "no",
        f"{said['balanced_accuracy']:.2f}",
        recall,
        f"{figures['balanced_accuracy']:.2f}" if "threshold" in figures else "",
        curve,
        f"{figures['offline']['balanced_accuracy']:.2f}",
        f"{cascade.get('saved', 0):.0%}, {100 * cascade.get('loss', 0):.0f}",
        f"{figures['seconds']:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def main(given: Sequence[str] | None = None) -> None:
    """Read the command line, ask, and print the table row by row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--model", required=True, help="a chat model")
    parser.add_argument("--base-url", help="where it is served")
    parser.add_argument("--rows", type=int, default=100, help="rows for each judge")
    parser.add_argument("--set", action="append", default=[], dest="changes", metavar="NAME=VALUE")
    asked = parser.parse_args(given)
    changes = dict(read_change(change) for change in asked.changes)
    settings = make_settings({"model": asked.model, "base_url": asked.base_url, **changes})
    sys.stdout.write(f"{HEAD}\n")
    for judge in ("relevance", "support"):
        for figures in measured(judge, sample(judge, asked.data, asked.rows), settings):
            sys.stdout.write(f"{line(figures)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
