"""`ragloop compare` over two files of records."""

from __future__ import annotations

import json
from pathlib import Path

from ..evals.records_made import record, write_records
from .shell import command_in, one_line


def test_what_was_gained_and_which_questions_changed(tmp_path: Path) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    write_records(before, [record("a", quality=0.0), record("b"), record("c")])
    write_records(after, [record("a"), record("b", quality=0.5), record("c"), record("d")])

    told = json.loads(command_in(tmp_path, "compare", before, after, "--json").stdout)
    done = command_in(tmp_path, "compare", before, after)

    assert told["gains"]["plain"]["quality"][0] == round(0.5 / 3, 4)
    assert [row["question"] for row in told["changed"]["plain"]["better"]] == ["What is a?"]
    assert "1 questions got better, 1 worse" in done.stdout
    assert "worse, 1.00 to 0.50: What is b?" in done.stdout


def test_files_that_share_nothing_are_one_line(tmp_path: Path) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    write_records(before, [record("a")])
    write_records(after, [record("a", "loop")])

    done = command_in(tmp_path, "compare", before, after)

    assert done.returncode == 1
    assert "no preset in common" in one_line(done.stderr)
