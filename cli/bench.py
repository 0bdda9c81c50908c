"""`ragloop bench`: presets over a data set, resumable, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..graph.settings import Settings, preset
from ..stores.errors import EvaluationError
from .options import with_settings
from .output import note, say, say_json
from .progress import steady_progress

if TYPE_CHECKING:
    from ..evals.datasets import Dataset
    from ..evals.records import Record
    from ..evals.runs import Bench

RayOption = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Run on a Ray cluster; local starts one here."),
]


@with_settings
def bench(
    *,
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="Questions with answers.")],
    docs: Annotated[
        Path | None,
        typer.Option("--docs", metavar="PATH", help="The documents that your questions are about."),
    ] = None,
    presets: Annotated[
        str,
        typer.Option(
            "--presets",
            metavar="NAMES",
            help="Presets with commas between; also always-passages, always-whole, never-search, "
            "oracle, random.",
        ),
    ] = "plain,loop",
    refuse: Annotated[
        bool,
        typer.Option("--without-evidence", help="Take the evidence away: a refusal is right then."),
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Run N questions only.")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            metavar="TOKENS",
            min=0,
            help="Ceiling of the context, in words x 1.35; the loop then reads nothing whole.",
        ),
    ] = None,
    embeddings: Annotated[
        str,
        typer.Option("--embeddings", metavar="NAME", help="hashing, minilm, multilingual, ..."),
    ] = "hashing",
    ray: RayOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Records file; a second start goes on with it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    settings: Settings,
) -> None:
    """Run presets over a data set and compare them on the same questions.

    Every run is a line of the records file, so Ctrl-C loses nothing: start again to go on.
    """
    from ..evals.contenders import PICKED, contenders, picked
    from ..evals.corpus import with_documents, without_evidence
    from ..evals.datasets import load
    from ..evals.evidence import words_as_tokens
    from ..evals.runs import Bench
    from ..stores.embeddings import embeddings_named

    found = load(data, limit)
    if docs is not None:
        found = with_documents(found, docs)
    _check(found, data)
    if refuse:
        found = without_evidence(found)
    names = [name.strip() for name in presets.split(",") if name.strip()]
    made = Bench(
        found,
        contenders(names, _changes(settings), budget),
        count_tokens=None if budget is None else words_as_tokens,
        embeddings=embeddings_named(embeddings, base_url=settings.base_url),
    )
    name = f"{found.name}-refuse" if refuse else found.name
    file = out or Path(".ragloop-bench") / f"{name}.jsonl"
    records = _run_all(made, file, ray)
    for name in PICKED:
        if name in names:
            records += picked(name, records)
    _tell(records, names, file, as_json)


def _check(found: Dataset, data: Path) -> None:
    """Raise EvaluationError for what cannot be run."""
    if not found.tasks:
        raise EvaluationError(f"{data} holds rows for a judge; use: ragloop calibrate.")
    if not found.documents:
        raise EvaluationError(f"{data} brings no documents: give the folder with --docs PATH.")


def _run_all(made: Bench, file: Path, ray: str | None) -> list[Record]:
    """Run what is left, with a word on how far it is."""
    from ..evals.records import read_records
    from ..evals.runs import run_to_file

    done = read_records(file)
    left = len(made.todo(done))
    if counted := len(made.counted(done)):
        note(f"{counted} runs are in {file}; {left} are left.")
    with steady_progress(left) as moved:
        return run_to_file(made, file, moved, ray)


def _changes(settings: Settings) -> dict[str, Any]:
    """What the command line changes; each preset is changed by it."""
    loop = preset("loop").model_dump()
    return {key: value for key, value in settings.model_dump().items() if value != loop[key]}


def _tell(records: Sequence[Record], names: Sequence[str], file: Path, as_json: bool) -> None:
    from ..evals.summary import summarise

    first = names[0]
    told = summarise(sorted(records, key=lambda record: record["preset"] != first))
    if as_json:
        say_json({**told, "records": str(file)})
        return
    from rich.console import Console

    from .tables import figures_table, gains_lines, histogram_lines

    Console().print(figures_table(told))
    for line in [*gains_lines(told), *histogram_lines(told)]:
        say(line)
    note(f"Records: {file}")
    note(f"As a page: ragloop report {file}")
