"""Every measured number that the docs print, measured again: `make results`.

    python -m ragloop.evals.results [--data DIR] [--limit N] [--sets NAMES] [--model NAME ...]
    python -m ragloop.evals.results --model NAME --base-url URL --limit 20 --set k=5 --out FILE

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
from datetime import date
from functools import partial
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ..graph.settings import read_change
from ..stores.embeddings import embeddings_named
from ..stores.errors import EvaluationError, RagloopError
from .contenders import contenders
from .corpus import without_evidence
from .datasets import load
from .results_page import Measured, Planned, compact, full, gained, judges, verdicts
from .runs import Bench, run_to_file
from .summary import summarise

BEGIN, END = "<!-- results -->", "<!-- /results -->"


def plan(names: Sequence[str] = ()) -> list[Planned]:
    """The sets of `results.toml`, or those of them that are named (see `name_of`).

    Raises EvaluationError for a name that is not among them.
    """
    text = files(__package__).joinpath("results.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["sets"]
    planned = [Planned(**{**row, "presets": tuple(row["presets"])}) for row in rows]
    known = {name_of(one) for one in planned}
    for name in names:
        if name not in known:
            raise EvaluationError(
                f"There is no set {name!r}. There are: {', '.join(sorted(known))}"
            )
    return [one for one in planned if not names or name_of(one) in names]


def name_of(planned: Planned) -> str:
    """The name of a set: its file's, and `-refuse` behind it where the evidence is taken away."""
    return Path(planned.file).stem + ("-refuse" if planned.without_evidence else "")


def measure(
    planned: Planned, data: Path, records: Path, limit: int | None, changes: dict[str, Any]
) -> Measured:
    """Run what is not in the records yet, and sum up."""
    limits = [n for n in (planned.limit, limit) if n is not None]
    found = load(data / planned.file, min(limits, default=None))
    sha256 = found.sha256
    if planned.without_evidence:
        found = without_evidence(found)
    bench = Bench(
        found, contenders(planned.presets, changes), embeddings=embeddings_named("hashing")
    )
    rows = run_to_file(bench, records / f"{name_of(planned)}.jsonl")
    order = {name: at for at, name in enumerate(planned.presets)}
    rows.sort(key=lambda record: order[record["preset"]])
    return Measured(planned, sha256, summarise(rows))


def measure_all(
    planned: Sequence[Planned], run: Callable[[Planned], Measured], jobs: int
) -> Iterable[Measured]:
    """Measure sets in processes of their own, as many at once as there are jobs."""
    if jobs <= 1:
        yield from map(run, planned)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, planned)


JUDGED = [
    "Balanced accuracy of the offline judges on rows that they were not fitted on: with questions",
    "held out, with whole sources held out, and word overlap alone, fitted the same way with",
    "questions held out (`python -m ragloop.evals.fit --data DIR`):",
    "",
]


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
    parser.add_argument(
        "--sets", default="", help="names of sets, with commas: rgb_en_fact,rgb_en_fact-refuse"
    )
    parser.add_argument("--jobs", type=int, default=2, help="sets measured at once")
    parser.add_argument("--out", type=Path, default=Path("docs/results.md"))
    parser.add_argument("--readme", type=Path, help="a page with the marks; README.md by default")
    parser.add_argument("--model", help="a chat model for all roles; none: the offline engine")
    parser.add_argument("--base-url", help="its server")
    parser.add_argument(
        "--set", action="append", default=[], dest="changes", metavar="NAME=VALUE",
        help="any setting, for every preset; may be given again",
    )  # fmt: skip
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
    changes |= dict(read_change(change) for change in asked.changes)
    run = partial(
        measure, data=asked.data, records=asked.records, limit=asked.limit, changes=changes
    )
    measured = []
    for one in measure_all(plan(names), run, asked.jobs):
        measured.append(one)
        sys.stderr.write(f"{one.planned.name}: {gained(one.told, 'loop')}\n")
    engine = f"the model {asked.model} on {date.today()}" if asked.model else "the offline engine"
    if asked.changes:
        engine += f", with {', '.join(asked.changes)}"
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(full(measured, engine), encoding="utf-8")
    readme = asked.readme or Path("README.md")
    if not (names or asked.model or asked.changes or asked.limit):
        lines = ["", *compact(measured), "", *verdicts(measured), "", *JUDGED, *judges(), ""]
        text = between_marks(readme.read_text(encoding="utf-8"), lines)
        readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except RagloopError as error:
        sys.exit(f"Error: {error}")
