"""Every measured number that the docs print, measured again: `make results`.

    python -m ragloop.evals.results [--data DIR] [--limit N] [--sets NAMES] [--model NAME ...]

What is run stands in `results.toml`. It writes `docs/results.md` and the table between the marks
`<!-- results -->` and `<!-- /results -->` of the README. Each run is a line in a records file under
`--records`; started again, it goes on from there.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ..stores.embeddings import embeddings_named
from ..stores.errors import EvaluationError, RagloopError
from .contenders import contenders
from .datasets import load
from .runs import Bench, run_to_file
from .statistics import RESAMPLES
from .summary import summarise

BEGIN, END = "<!-- results -->", "<!-- /results -->"
VERSIONS = ("ragloop", "langgraph", "langchain-core", "bm25s", "numpy", "rouge-score")


@dataclass(frozen=True)
class Planned:
    """A set of questions to be measured."""

    name: str
    file: str
    presets: tuple[str, ...]
    limit: int | None = None
    evidence: bool = False
    """True where all of the labelled evidence is needed, so that its coverage means something."""


@dataclass(frozen=True)
class Measured:
    """What came out for a set."""

    planned: Planned
    sha256: str
    told: dict[str, Any]
    """As `summary.summarise` gives it."""


def plan(names: Sequence[str] = ()) -> list[Planned]:
    """The sets of `results.toml`, or those of them whose file is named.

    Raises EvaluationError for a name that is not among them.
    """
    text = files(__package__).joinpath("results.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["sets"]
    known = {Path(row["file"]).stem: Planned(**{**row, "presets": tuple(row["presets"])})
             for row in rows}  # fmt: skip
    for name in names:
        if name not in known:
            raise EvaluationError(f"There is no set {name!r}. There are: {', '.join(known)}")
    return [one for name, one in known.items() if not names or name in names]


def measure(
    planned: Planned, data: Path, records: Path, limit: int | None, changes: dict[str, Any]
) -> Measured:
    """Run what is not in the records yet, and sum up."""
    limits = [n for n in (planned.limit, limit) if n is not None]
    found = load(data / planned.file, min(limits, default=None))
    bench = Bench(
        found, contenders(planned.presets, changes), embeddings=embeddings_named("hashing")
    )
    rows = run_to_file(bench, records / f"{found.name}.jsonl")
    order = {name: at for at, name in enumerate(planned.presets)}
    rows.sort(key=lambda record: order[record["preset"]])
    return Measured(planned, found.sha256, summarise(rows))


def measure_all(
    planned: Sequence[Planned], run: Callable[[Planned], Measured], jobs: int
) -> Iterable[Measured]:
    """Measure sets in processes of their own, as many at once as there are jobs."""
    if jobs <= 1:
        yield from map(run, planned)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, planned)


def compact(measured: Iterable[Measured]) -> list[str]:
    """The table of the README: a row a set, the first preset against the loop."""
    lines = [
        "| questions | plain | loop | loop − plain | all evidence in context |",
        "|---|---|---|---|---|",
    ]
    for one in measured:
        told = one.told["presets"]
        plain, loop = told[one.planned.presets[0]], told["loop"]
        evidence = ""
        if one.planned.evidence:
            evidence = " → ".join(f"{f['evidence_coverage_all']:.1%}" for f in (plain, loop))
        lines.append(
            f"| {one.planned.name} ({plain['questions']}) | {plain['quality']:.1%} "
            f"| {loop['quality']:.1%} | {_gain(one.told, 'loop')} | {evidence} |"
        )
    return lines


def _gain(told: dict[str, Any], preset: str) -> str:
    gain, low, high = (100 * value for value in told["gains"][preset]["quality"])
    return f"{gain:+.1f} ({low:+.1f} to {high:+.1f})"


def verdicts(measured: Iterable[Measured]) -> list[str]:
    """Where the loop surely helps, where it surely harms, and where nothing can be said."""
    sorted_out: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for one in measured:
        _, low, high = one.told["gains"]["loop"]["quality"]
        where = "better" if low > 0 else "worse" if high < 0 else "open"
        sorted_out[where].append(one.planned.name)
    say = {
        "better": "The loop is surely better than plain on: {}.",
        "worse": "The loop is surely worse than plain on: {}.",
        "open": "No sure difference on: {}.",
    }
    return [say[key].format("; ".join(names)) for key, names in sorted_out.items() if names]


def full(measured: Sequence[Measured], engine: str) -> str:
    """The page docs/results.md."""
    versions = ", ".join(f"{name} {version(name)}" for name in VERSIONS)
    parts = [
        "# Results",
        "",
        f"Written by `make results`; every number comes from a run of {engine}.",
        "Quality is 1 for a right answer or a right refusal: accuracy for yes or no, *contains*",
        "for short answers, ROUGE-L for long ones. In brackets are 95 % bootstrap intervals",
        f"({RESAMPLES:,} resamples, seed 0); differences are paired, question by question, in",
        "points.",
        "",
        *compact(measured),
        "",
        *verdicts(measured),
        "",
    ]
    for one in measured:
        parts += [*_set(one), ""]
    hashes = [f"| {one.planned.file} | `{one.sha256[:16]}` |" for one in measured]
    parts += ["## Data and versions", "", "| file | SHA-256 begins with |", "|---|---|", *hashes]
    python = ".".join(map(str, sys.version_info[:3]))
    return "\n".join([*parts, "", f"{versions}, Python {python}.", ""])


ROWS = (
    ("quality", "quality"),
    ("exact match", "exact_match"),
    ("F1", "f1"),
    ("contains", "contains"),
    ("yes or no right", "accuracy"),
    ("ROUGE-L", "rouge_l"),
    ("all evidence in context", "evidence_coverage_all"),
    ("settled by passages", "answerable_share"),
)
AMOUNTS = (
    ("tokens / whole document, predicted", "token_ratio_predicted"),
    ("tokens / whole document, actual", "token_ratio_actual"),
    ("context tokens", "context_tokens"),
    ("rounds", "rounds"),
    ("model calls", "calls"),
    ("tokens in", "input_tokens"),
    ("seconds", "seconds"),
)


def _set(one: Measured) -> list[str]:
    told = one.told["presets"]
    lines = [f"## {one.planned.name}", "", "| | " + " | ".join(told) + " |"]
    lines.append("|---" * (len(told) + 1) + "|")

    def row(words: str, cells: Sequence[str]) -> None:
        if any(cells):
            lines.append(f"| {words} | {' | '.join(cells)} |")

    row("questions", [str(figures["questions"]) for figures in told.values()])
    for words, key in ROWS:
        if key != "evidence_coverage_all" or one.planned.evidence:
            row(words, [_share(figures, key) for figures in told.values()])
    gains = [_gain(one.told, name) if name in one.told["gains"] else "" for name in told]
    row(f"quality − {one.told['compared_with']}", gains)
    row("answered, of those with an answer", [_of(f, "should", "did") for f in told.values()])
    row("refused, of those without", [_of(f, "should_not", "refused") for f in told.values()])
    for words, key in AMOUNTS:
        if any(figures.get(key) for figures in told.values()):
            row(words, [_amount(figures.get(key)) for figures in told.values()])
    if found := one.told.get("histogram"):
        lines += [
            "",
            f"{found['passages']} and {found['whole']} score the same on {found['equal']:.0%} of "
            f"the questions, and within 10 points of each other on {found['within_10']:.0%}.",
        ]
    return lines


def _share(figures: dict[str, Any], key: str) -> str:
    if key not in figures:
        return ""
    low, high = figures[f"{key}_interval"]
    return f"{figures[key]:.1%} ({low:.0%} to {high:.0%})"


def _of(figures: dict[str, Any], should: str, did: str) -> str:
    table = figures["abstention"]
    every = table[f"{should}_did"] + table[f"{should}_refused"]
    return f"{table[f'{should}_{did}']} of {every}" if every else ""


def _amount(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def between_marks(page: str, lines: Sequence[str]) -> str:
    """The page with new lines between the two marks. Raises EvaluationError without them."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise EvaluationError(f"The README lacks the marks {BEGIN} and {END}.")
    return "\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"])


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make results", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the data sets")
    parser.add_argument("--records", type=Path, default=Path(".ragloop-bench/results"))
    parser.add_argument("--limit", type=int, help="at most so many questions a set")
    parser.add_argument("--sets", default="", help="names of files without .jsonl, with commas")
    parser.add_argument("--jobs", type=int, default=2, help="sets measured at once")
    parser.add_argument("--out", type=Path, default=Path("docs/results.md"))
    parser.add_argument("--readme", type=Path, help="a page with the marks; README.md by default")
    parser.add_argument("--model", help="a chat model for all roles; none: the offline engine")
    parser.add_argument("--base-url", help="its server")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> None:
    """Measure, and write the page and the table."""
    asked = _arguments(given)
    if not asked.data.is_dir():
        raise EvaluationError(
            f"There is no folder {asked.data}: give the data sets with --data DIR."
        )
    names = [name.strip() for name in asked.sets.split(",") if name.strip()]
    given_model = {"model": asked.model, "base_url": asked.base_url}
    changes = {key: value for key, value in given_model.items() if value}
    run = partial(
        measure, data=asked.data, records=asked.records, limit=asked.limit, changes=changes
    )
    measured = []
    for one in measure_all(plan(names), run, asked.jobs):
        measured.append(one)
        sys.stderr.write(f"{one.planned.name}: {_gain(one.told, 'loop')}\n")
    engine = f"the model {asked.model}" if asked.model else "the offline engine"
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(full(measured, engine), encoding="utf-8")
    readme = asked.readme or Path("README.md")
    if not names and not asked.model:
        lines = ["", *compact(measured), "", *verdicts(measured), ""]
        text = between_marks(readme.read_text(encoding="utf-8"), lines)
        readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except RagloopError as error:
        sys.exit(f"Error: {error}")
