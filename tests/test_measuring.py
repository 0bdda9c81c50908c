"""docs/measuring.md keeps its word: three commands lead from nothing to a report."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest

from ragloop.evals.datasets import load
from ragloop.evals.health import FIGURES
from ragloop.evals.ledger import read_prices

from .cli.shell import command_in

PAGE = (Path(__file__).parent.parent / "docs" / "measuring.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    """The first fenced block of a kind."""
    found = re.search(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group(1)


@pytest.fixture
def own_data(tmp_path: Path) -> Path:
    """Twenty questions about a folder of ten files; every fifth has no answer."""
    folder = tmp_path / "documents"
    folder.mkdir()
    rows = []
    for at in range(10):
        ferry, painter = f"Brell{at}", f"Ida Morrow{at}"
        text = f"The {ferry} ferry leaves Tarn pier at 0{at}:40. Its deck was painted by {painter}."
        file = folder / f"{ferry}.txt"
        file.write_text(text, encoding="utf-8")
        when, who = (
            f"When does the {ferry} ferry leave Tarn pier?",
            f"Who painted its {ferry} deck?",
        )
        rows.append([when, f"0{at}:40", "times", file.name])
        rows.append([who, painter, "people", file.name])
        if at % 5 == 0:
            rows[-1] = [f"What does the {ferry} museum cost?", "", "prices", ""]
    with (tmp_path / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["question", "answer", "kind", "evidence"], *rows])
    return tmp_path


def test_three_commands_lead_from_nothing_to_a_report(own_data: Path) -> None:
    pytest.importorskip("matplotlib")
    commands = block("sh").splitlines()

    ended = [command_in(own_data, *shlex.split(line)[1:]) for line in commands]

    assert len(commands) == 3
    assert [done.returncode for done in ended] == [0, 0, 0], [done.stderr for done in ended]
    assert "20" in ended[0].stdout
    assert "trigger rate" in ended[1].stdout
    page = (own_data / ".ragloop-bench" / "questions.html").read_text(encoding="utf-8")
    assert "20 questions, 40 runs: plain, loop." in page
    assert "Worth switching on?" in page


def test_the_csv_that_is_shown_is_read_as_it_says(tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_text(block("csv"), encoding="utf-8")

    tasks = load(file).tasks

    assert [task.answerable for task in tasks] == [True, True, False]
    assert [task.kind for task in tasks] == ["times", "people", "prices"]
    assert tasks[0].evidence_ids == ("ferry.txt",)


def test_the_price_table_that_is_shown_can_be_used(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(block("json"), encoding="utf-8")

    assert read_prices(file).nodes["read_whole_document"] == (2.5, 10.0)


def test_the_healthy_ranges_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| ([\w -]+) \| [^|]+ \| (\w+ \d+) % \|", PAGE, re.MULTILINE))

    assert rows == {figure.name: figure.healthy.removesuffix("%") for figure in FIGURES}
