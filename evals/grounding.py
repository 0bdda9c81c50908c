"""Measure answers one can check: which sentences are named as not borne out, and who gets answered.

    python -m ragloop.evals.grounding --data DIR [--limit 60] [--sets cmrc_zh rgb_en_fact]
    python -m ragloop.evals.grounding --data DIR --model NAME --base-url URL [--set NAME=VALUE]

Prints, for the offline judge: how many injected wrong sentences are named (and how many right ones
are); precision and recall of named sentences where the data label sentences; and the 2x2 of should
and did through the whole loop. With a model, only what the model does: the labelled sentences that
it names (`--limit` rows, half of them Chinese), and how often it follows a source that contradicts
what is well known, with and without "and from nothing else" in its prompt.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..graph.build import Parts, build_graph
from ..graph.settings import Settings, preset, read_change
from ..nodes.judges.offline import OfflineJudge
from ..nodes.judges.panel import cross_check
from ..nodes.writers.units import units
from ..stores.memory import MemoryStore
from .asking import ask_model, model_run
from .datasets import Labelled, read_rows
from .loop_cases import SETS, tables
from .scores import contains, over_parts
from .writer_cases import passage

if TYPE_CHECKING:
    from ..nodes.run import Run

Row = dict[str, Any]
_FIGURE = re.compile(r"\d+")


@dataclass
class Named:
    """Sentences named as not borne out, against those that are not."""

    named_bad: int = 0
    bad: int = 0
    named_good: int = 0
    good: int = 0

    def add(self, named: bool, bad: bool) -> None:
        """Count one sentence."""
        self.bad += bad
        self.good += not bad
        self.named_bad += named and bad
        self.named_good += named and not bad

    @property
    def recall(self) -> float:
        """Share of the bad sentences that are named."""
        return self.named_bad / max(1, self.bad)

    @property
    def precision(self) -> float:
        """Share of the named sentences that are bad."""
        return self.named_bad / max(1, self.named_bad + self.named_good)


def rows_of(folder: Path, name: str) -> list[Row]:
    """The rows of a file in the data folder."""
    return [row for _, row in read_rows(folder / f"{name}.jsonl")]


def is_named(judge: OfflineJudge, sentence: str, evidence: Sequence[str]) -> bool:
    """Whether the judge, or the code's cross-check, says that a sentence is not borne out."""
    shown = [passage(str(at), text) for at, text in enumerate(evidence)]
    return cross_check(judge.supported(sentence, shown), sentence, shown).label == "none"


def with_sentences(rows: Sequence[Row], limit: int | None = None) -> list[Row]:
    """Rows whose sentences are known to be right or wrong, at most `limit`, evenly spread.

    FaithBench labels them; UHGEval marks the wrong words, and what it calls grounded is right.
    """
    marked = {row["source"] for row in rows if row.get("sentences") or row.get("bad_keywords")}
    known = [row for row in rows if row["source"] in marked and any(_sentences(row))]
    count = len(known) if limit is None else min(limit, len(known))
    return [known[at * len(known) // count] for at in range(count)]


def labelled(rows: Sequence[Row], judge: OfflineJudge) -> Named:
    """Sentences with labels, named or not by the offline judge."""
    found = Named()
    for row in with_sentences(rows):
        for sentence, bad in _sentences(row):
            found.add(is_named(judge, sentence, row["context"]), bad)
    return found


def labelled_by_model(rows: Iterable[Row], run: Run) -> Named:
    """The same, named or not by a model, asked as the graph asks it."""
    asked, wrong = [], []
    for row in rows:
        for sentence, bad in _sentences(row):
            asked.append(Labelled(row["id"], "", texts=tuple(row["context"]), sentence=sentence))
            wrong.append(bad)
    found = Named()
    for verdict, bad in zip(ask_model("support", asked, run), wrong, strict=True):
        found.add(verdict.label == "none", bad)
    return found


def _sentences(row: Row) -> Iterator[tuple[str, bool]]:
    if row.get("sentences"):
        yield from ((each["text"], each["label"] == "ungrounded") for each in row["sentences"])
        return
    wrong = [each["keyword"] for each in row.get("bad_keywords") or ()]
    if wrong or row["label"] == "grounded":
        for unit in units(row["answer"]):
            yield unit.text, any(word in unit.text for word in wrong)


def injected(rows: Sequence[Row], judge: OfflineJudge) -> dict[str, Named]:
    """Sentences put into grounded answers: with a figure changed, or from the answer before.

    The right sentences beside them say how often a right one is named.
    """
    grounded = [row for row in rows if row["label"] == "grounded" and row["tier"] == "clean"]
    found = {"figure changed": Named(), "from another answer": Named()}
    for row, other in zip(grounded, [*grounded[1:], *grounded[:1]], strict=True):
        said = [unit.text for unit in units(row["answer"])]
        for sentence in said:
            named = is_named(judge, sentence, row["context"])
            for tally in found.values():
                tally.add(named, False)
            changed = _FIGURE.sub(lambda figure: str(int(figure.group()) + 7), sentence, count=1)
            if changed != sentence:
                found["figure changed"].add(is_named(judge, changed, row["context"]), True)
        if other["context"] != row["context"]:
            for unit in units(other["answer"])[:1]:
                named = is_named(judge, unit.text, row["context"])
                found["from another answer"].add(named, True)
    return found


@dataclass
class Followed:
    """What a model answered from passages in which the well-known answer was replaced."""

    questions: int = 0
    source: int = 0
    """Answers that give what the source says."""
    memory: int = 0
    """Answers that give what is well known, which no source says."""


def counterfactual(rows: Iterable[Row], settings: Settings, **parts: Any) -> Followed:
    """Ask over counterfactual passages only."""
    found = Followed()
    for row in rows:
        store = MemoryStore()
        store.add_documents(
            {"id": str(at), "text": text} for at, text in enumerate(row["counterfactual"])
        )
        app = build_graph(Parts(passages=store, **parts), settings).compile()
        text = app.invoke({"question": row["question"]})["answer"]["text"]
        found.questions += 1
        found.source += over_parts(contains, text, _parts(row["fake_answers"])) == 1.0
        found.memory += over_parts(contains, text, _parts(row["answers"])) == 1.0
    return found


def _parts(answers: Sequence[Any]) -> list[list[str]]:
    return [[part] if isinstance(part, str) else list(part) for part in answers]


def told(kind: str, named: Named) -> str:
    """A line of the table of sentences."""
    bad, good = f"{named.named_bad}/{named.bad}", f"{named.named_good}/{named.good}"
    return f"{kind:34} {bad:>14} {good:>14} {named.precision:9.3f} {named.recall:6.3f}\n"


HEAD = f"{'sentences':34} {'named of bad':>14} {'named of good':>14} precision recall\n"


def offline_figures(data: Path, sets: Sequence[str], limit: int) -> Iterator[str]:
    """The lines of both tables, for the offline engine."""
    judge = OfflineJudge()
    yield HEAD
    for language in ("en", "zh"):
        rows = rows_of(data, f"groundedness_{language}")
        found = {"labelled": labelled(rows, judge), **injected(rows, judge)}
        yield from (told(f"{language}, {kind}", named) for kind, named in found.items())
    yield f"\n{'set':14} {'preset':6} {'answered':>9} {'refused':>9} balanced  score\n"
    for name, contender, table in tables(data, sets, limit, ("plain", "loop")):
        did, no = f"{table.answered}/{table.should}", f"{table.refused}/{table.should_not}"
        yield f"{name:14} {contender:6} {did:>9} {no:>9} {table.balanced:8.3f} {table.score:6.3f}\n"


def model_figures(data: Path, settings: Settings, limit: int) -> Iterator[str]:
    """The lines for a model: half of the rows are English, half Chinese."""
    run = model_run("support", settings, fixed=True)
    half = limit // 2
    yield HEAD
    for language in ("en", "zh"):
        rows = with_sentences(rows_of(data, f"groundedness_{language}"), half)
        began, calls = time.monotonic(), run.meter.used.calls
        for kind, named in (
            ("model", labelled_by_model(rows, run)),
            ("offline judge", labelled(rows, OfflineJudge())),
        ):
            yield told(f"{language}, labelled, {kind}", named)
        yield f"{run.meter.used.calls - calls} calls, {time.monotonic() - began:.0f} s\n"
    rows = [*rows_of(data, "rgb_en_fact")[:half], *rows_of(data, "rgb_zh_fact")[:half]]
    for switch in (True, False):
        found = counterfactual(rows, settings.changed(only_sources=switch))
        yield (
            f"only_sources {switch!s:5}: {found.source} of {found.questions} follow the source, "
            f"{found.memory} say what no source says\n"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--limit", type=int, default=60, help="questions or rows a set")
    parser.add_argument("--model", help="measure this chat model, not the offline engine")
    parser.add_argument("--base-url", help="where the model is served")
    parser.add_argument("--set", action="append", default=[], dest="changes", metavar="NAME=VALUE")
    given = parser.parse_args(arguments)
    if given.model:
        changes = {"model": given.model, "base_url": given.base_url}
        changes |= dict(read_change(change) for change in given.changes)
        lines = model_figures(given.data, preset("plain", **changes), given.limit)
    else:
        lines = offline_figures(given.data, given.sets, given.limit)
    for line in lines:
        sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
