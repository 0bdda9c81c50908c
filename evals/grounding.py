"""Measure answers one can check: which sentences are named as not borne out, and who gets answered.

    python -m ragloop.evals.grounding --data DIR [--limit 60] [--sets cmrc_zh rgb_en_fact]
    python -m ragloop.evals.grounding --data DIR --model NAME --base-url URL    counterfactual, too

Prints, for the offline judge: how many injected wrong sentences are named (and how many right ones
are); precision and recall of named sentences where the data label sentences; and the 2x2 of should
and did through the whole loop. With a model: how often it follows a source that contradicts what
is well known, with and without "and from nothing else" in its prompt.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..graph.build import Parts, build_graph
from ..graph.settings import preset
from ..nodes.judges.offline import OfflineJudge
from ..nodes.judges.panel import cross_check
from ..nodes.writers.units import units
from ..stores.memory import MemoryStore
from .datasets import read_rows
from .loop_cases import SETS, tables
from .scores import contains, over_parts
from .writer_cases import passage

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


def labelled(rows: Iterable[Row], judge: OfflineJudge) -> Named:
    """Rows with labels of sentences: FaithBench, and UHGEval by the words marked as wrong."""
    found = Named()
    for row in rows:
        for sentence, bad in _sentences(row):
            found.add(is_named(judge, sentence, row["context"]), bad)
    return found


def _sentences(row: Row) -> Iterator[tuple[str, bool]]:
    if row.get("sentences"):
        yield from ((each["text"], each["label"] == "ungrounded") for each in row["sentences"])
    elif row.get("bad_keywords"):
        wrong = [each["keyword"] for each in row["bad_keywords"]]
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


def counterfactual(
    rows: Iterable[Row], *, only_sources: bool, name: str = "", base_url: str = "", **parts: Any
) -> Followed:
    """Ask over counterfactual passages only, with the switch `only_sources` on or off."""
    found = Followed()
    settings = preset(
        "plain", only_sources=only_sources, model=name or None, base_url=base_url or None
    )
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--limit", type=int, default=60, help="questions a set")
    parser.add_argument("--model", default="", help="a chat model for the counterfactual rows")
    parser.add_argument("--base-url", default="", help="where the model is served")
    given = parser.parse_args(arguments)
    out, judge = sys.stdout.write, OfflineJudge()
    out(f"{'sentences':34} {'named of bad':>14} {'named of good':>14} precision recall\n")
    for language in ("en", "zh"):
        rows = rows_of(given.data, f"groundedness_{language}")
        found = {"labelled": labelled(rows, judge), **injected(rows, judge)}
        for kind, named in found.items():
            bad, good = f"{named.named_bad}/{named.bad}", f"{named.named_good}/{named.good}"
            out(f"{language + ', ' + kind:34} {bad:>14} {good:>14} ")
            out(f"{named.precision:9.3f} {named.recall:6.3f}\n")
    out(f"\n{'set':14} {'preset':6} {'answered':>9} {'refused':>9} balanced  score\n")
    for name, contender, table in tables(given.data, given.sets, given.limit, ("plain", "loop")):
        did, no = f"{table.answered}/{table.should}", f"{table.refused}/{table.should_not}"
        out(f"{name:14} {contender:6} {did:>9} {no:>9} {table.balanced:8.3f} {table.score:6.3f}\n")
    if given.model:
        rows = rows_of(given.data, "rgb_en_fact") + rows_of(given.data, "rgb_zh_fact")
        for switch in (True, False):
            told = counterfactual(rows[: given.limit], only_sources=switch, name=given.model,
                                  base_url=given.base_url)  # fmt: skip
            out(f"only_sources {switch!s:5}: {told.source} of {told.questions} follow the source, "
                f"{told.memory} say what no source says\n")  # fmt: skip


if __name__ == "__main__":
    main()
