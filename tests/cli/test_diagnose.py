"""`ragloop diagnose` reads a bench and names symptom, cause and action."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragloop.evals.records import line_of

from ..evals.records_made import record
from .shell import command_in


def run_with(task: str, held: list[str], redundancy: float) -> Any:
    made = record(
        task,
        selection={"redundancy": redundancy, "fell_back": "", "tokens": 400},
        queries=[{"query": "q", "passage_ids": ["a#0", "b#0"], "round": 0, "verdict": "correct"}],
    )
    return {**made, "evidence_needed": ["a", "b"], "evidence_held": held}


def diagnosed(tmp_path: Path, records: list[Any]) -> dict[str, Any]:
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(line_of(one) for one in records), encoding="utf-8")
    found: dict[str, Any] = json.loads(command_in(tmp_path, "diagnose", file, "--json").stdout)
    return found


def test_what_was_found_and_did_not_get_in_is_a_symptom(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, [run_with(f"q{at}", ["a"], 0.0) for at in range(4)])

    assert found["figures"]["coverage_of_candidates"] == 1.0
    assert [one["symptom"] for one in found["findings"]] == [
        "key passages are found but stay outside the budget"
    ]


def test_repetition_is_a_symptom(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, [run_with(f"q{at}", ["a", "b"], 0.4) for at in range(4)])

    assert [one["cause"] for one in found["findings"]] == [
        "copies, overlaps or old versions pass as different passages"
    ]


def test_a_healthy_bench_shows_no_symptom(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, [run_with(f"q{at}", ["a", "b"], 0.0) for at in range(4)])

    assert found["findings"] == []
