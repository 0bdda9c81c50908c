"""`ragloop sweep` prints a row a value and says in words what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .shell import command_in

NOTES = {
    "mill": ("Dunn Mill", "Dunn Mill was built by Ida Rask, who lived in Orsa.", True),
    "rask": ("Ida Rask", "Ida Rask was born in 1881 near the pier of Tarn.", True),
    "well": ("Orsa", "Orsa has a well that is 31 metres deep.", False),
    "lamp": ("Lamp", "The lamp of the pier runs on 12 volts.", False),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two questions of two steps, with their evidence labelled."""
    paragraphs = [
        {"pid": id, "title": title, "text": text, "supporting": needed}
        for id, (title, text, needed) in NOTES.items()
    ]
    asked = ["When was the builder of Dunn Mill born?", "Where was the builder of Dunn Mill born?"]
    rows = [
        {"id": f"q{at}", "question": one, "answer": "1881", "paragraphs": paragraphs}
        for at, one in enumerate(asked)
    ]
    file = tmp_path / "steps.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return file


def swept(data: Path, *arguments: str) -> dict[str, Any]:
    done = command_in(data.parent, "sweep", *arguments, "--data", data, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_sweep_of_rounds_runs_the_loop_for_each_value(data: Path) -> None:
    found = swept(data, "rounds", "--tokens", "60")

    assert [point["name"] for point in found["points"]] == [f"max_rounds {n}" for n in range(4)]
    assert found["points"][1]["coverage"] >= found["points"][0]["coverage"]
    assert "is enough" in found["verdict"][0]


@pytest.mark.parametrize("what", ["threshold", "layers", "budget"])
def test_a_sweep_ends_with_a_verdict_in_words(data: Path, what: str) -> None:
    found = swept(data, what)

    assert len(found["points"]) >= 4
    assert all(verdict.endswith(".") for verdict in found["verdict"])


def test_data_without_labelled_evidence_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "plain.jsonl"
    file.write_text('{"question": "Who?", "answer": "Ida Rask"}', encoding="utf-8")

    done = command_in(tmp_path, "sweep", "rounds", "--data", file)

    assert done.returncode == 1
    assert "names no evidence" in done.stderr
