"""`ragloop bench` from the command line: figures, killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .shell import COMMAND, command_in, environment, one_line


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Twenty-four questions about the folder of four documents; a third have no answer."""
    asked = [
        {"question": "When does the Brell ferry leave Tarn pier?", "answer": "07:40"},
        {"question": "How many volts does the Osk lamp run on?", "answer": "12 volts"},
        {"question": "Who wrote the Mord symphony?", "answer": ""},
    ]
    rows = [{"id": f"{at}-{n}", **row} for at in range(8) for n, row in enumerate(asked)]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_figures_as_json(tmp_path: Path, docs: Path, questions: Path) -> None:
    done = command_in(
        tmp_path, "bench", "--data", questions, "--docs", docs, "--limit", "6", "--json"
    )

    told = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert list(told["presets"]) == ["plain", "loop"]
    assert told["presets"]["loop"]["questions"] == 6
    assert sum(told["presets"]["loop"]["abstention"].values()) == 6
    assert told["gains"]["loop"]["quality"][0] >= 0
    assert Path(tmp_path, told["records"]).exists()


def test_baselines_and_the_histogram_in_words(tmp_path: Path, docs: Path, questions: Path) -> None:
    names = "loop,oracle,random,never-search"

    done = command_in(
        tmp_path, "bench", "--data", questions, "--docs", docs, "--limit", "3", "--presets", names
    )

    assert done.returncode == 0, done.stderr
    for word in ("always-passages", "always-whole", "oracle", "random", "never-search"):
        assert word in done.stdout
    assert "within 10 points" in done.stdout


def test_a_second_start_runs_nothing_again(tmp_path: Path, docs: Path, questions: Path) -> None:
    command = ("bench", "--data", questions, "--docs", docs, "--limit", "3", "--json")
    first = command_in(tmp_path, *command)
    written = (tmp_path / ".ragloop-bench" / "questions.jsonl").read_bytes()

    again = command_in(tmp_path, *command)

    assert again.stdout == first.stdout
    assert (tmp_path / ".ragloop-bench" / "questions.jsonl").read_bytes() == written
    assert "0 are left" in again.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "killed"])
def test_a_run_that_was_stopped_goes_on_where_it_was(
    tmp_path: Path, docs: Path, questions: Path, how: signal.Signals
) -> None:
    file = tmp_path / "runs.jsonl"
    command = ["bench", "--data", str(questions), "--docs", str(docs), "--out", str(file)]
    with subprocess.Popen(
        [COMMAND, *command],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        while process.poll() is None and (not file.exists() or file.read_bytes().count(b"\n") < 3):
            time.sleep(0.01)
        os.kill(process.pid, how)
        process.wait(timeout=30)
    kept = file.read_bytes()
    assert 3 <= kept.count(b"\n") < 48, "it was stopped on the way"

    done = command_in(tmp_path, *command, "--json")

    told = json.loads(done.stdout)
    whole = kept[: kept.rfind(b"\n") + 1]
    assert file.read_bytes().startswith(whole)
    assert file.read_bytes().count(b"\n") == 48
    assert [p["questions"] for p in told["presets"].values()] == [24, 24]


def test_questions_without_documents_say_what_is_missing(tmp_path: Path, questions: Path) -> None:
    done = command_in(tmp_path, "bench", "--data", questions)

    assert done.returncode == 1
    assert "--docs" in one_line(done.stderr)


def test_an_unknown_preset_is_one_line(tmp_path: Path, docs: Path, questions: Path) -> None:
    done = command_in(
        tmp_path, "bench", "--data", questions, "--docs", docs, "--presets", "plain,loopy"
    )

    assert done.returncode == 2
    assert "loopy" in one_line(done.stderr)
