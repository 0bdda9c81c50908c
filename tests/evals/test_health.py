"""Health figures against records that were counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragloop.evals.health import FEWEST, Reading, endings, failures, health
from ragloop.evals.records import Record

from ..cli.shell import command_in, one_line
from .records_made import query, record, write_records


def reading(records: list[Record], figure: str, kind: str = "all") -> Reading:
    return next(r for r in health(records) if (r["figure"], r["kind"]) == (figure, kind))


def looped(*verdicts: str, stopped_by: str = "done", failure: str = "vocabulary") -> Record:
    """A run with one search a round, and the verdict on each."""
    queries = [query(v, at, failure if at else "") for at, v in enumerate(verdicts)]
    return record(queries=queries, rounds=len(verdicts) - 1, stopped_by=stopped_by)


def test_the_trigger_rate_looks_at_first_searches_that_were_graded() -> None:
    records = [
        looped("incorrect", "correct"),
        looped("correct"),
        looped("ambiguous", "incorrect"),
        looped("correct"),
        looped("not graded"),
    ]

    found = reading(records, "trigger rate")

    assert (found["value"], found["of"]) == (0.25, 4)


def test_second_round_success_counts_each_round_after_the_first_search() -> None:
    records = [looped("incorrect", "incorrect", "correct"), looped("incorrect", "ambiguous")]

    found = reading(records, "second-round success")

    assert (found["value"], found["of"]) == (pytest.approx(2 / 3, abs=1e-4), 3)


def test_a_round_of_several_queries_counts_once() -> None:
    queries = [query("incorrect"), query("incorrect", 1), query("correct", 1)]

    found = reading([record(queries=queries, rounds=1)], "second-round success")

    assert (found["value"], found["of"]) == (1.0, 1)


def test_an_answer_is_intercepted_when_a_sentence_fell_or_the_draft_went_back() -> None:
    full = [{"sentence": "It is so.", "verdict": "full", "passage_ids": []}]
    cut = [*full, {"sentence": "It is blue.", "verdict": "none", "passage_ids": []}]
    back = ("generate", "check_grounding", "weigh_draft", "rewrite_query", "refuse", "finish")
    good = ("generate", "check_grounding", "weigh_draft", "finish")
    records = [
        record(grounding=full, path=good),
        record(grounding=cut, path=good),
        record(path=back, did=False),
        record(),
    ]

    found = reading(records, "interception rate")

    assert (found["value"], found["of"]) == (pytest.approx(2 / 3, abs=1e-4), 3)


def test_the_cap_share_is_one_of_the_runs_that_looped() -> None:
    records = [
        looped("incorrect", "incorrect", stopped_by="max_rounds"),
        looped("incorrect", "correct"),
        looped("incorrect", stopped_by="deadline"),
        record(stopped_by="max_rounds"),  # a preset without rounds: it cannot run idle
    ]

    found = reading(records, "share ended at a cap")

    assert (found["value"], found["of"]) == (pytest.approx(2 / 3, abs=1e-4), 3)


@pytest.mark.parametrize(
    ("verdicts", "figure", "word"),
    [
        pytest.param(("incorrect", "correct"), "trigger rate", "corpus", id="bad search"),
        pytest.param(("incorrect", "incorrect"), "second-round success", "refuse", id="no use"),
        pytest.param(("correct",), "trigger rate", "healthy", id="good search"),
    ],
)
def test_a_figure_out_of_range_says_what_to_do(
    verdicts: tuple[str, ...], figure: str, word: str
) -> None:
    found = reading([looped(*verdicts)] * FEWEST, figure)

    assert word in found["verdict"]


def test_few_cases_are_no_verdict() -> None:
    found = reading([looped("incorrect", "incorrect")] * (FEWEST - 1), "trigger rate")

    assert found["verdict"] == "too few cases"


def test_kinds_of_question_are_read_apart() -> None:
    bad, good = looped("incorrect", "incorrect"), looped("correct")
    records: list[Record] = [{**bad, "kind": "dates"}, {**good, "kind": "names"}]

    shares = {kind: reading(records, "trigger rate", kind)["value"] for kind in ("dates", "names")}

    assert shares == {"dates": 1.0, "names": 0.0}


def test_endings_and_failures_are_counted() -> None:
    records = [
        looped("incorrect", "correct"),
        looped("incorrect", "incorrect", stopped_by="max_rounds", failure="implicit"),
        looped("incorrect", "correct", failure="implicit"),
    ]

    assert endings(records) == {"done": 2, "max_rounds": 1}
    assert failures(records) == {"implicit": 2, "vocabulary": 1}


def test_the_command_reads_a_file_and_one_preset_of_it(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    bad = looped("incorrect", "incorrect", stopped_by="max_rounds")
    loops = [{**bad, "preset": "loop", "task_id": str(at)} for at in range(FEWEST)]
    write_records(file, [record(), *loops])

    done = command_in(tmp_path, "health", file, "--preset", "loop")

    assert done.returncode == 0, done.stderr
    assert "trigger rate" in done.stdout
    assert f"How runs ended: max_rounds {FEWEST}" in done.stdout


def test_a_file_without_records_is_one_line(tmp_path: Path) -> None:
    done = command_in(tmp_path, "health", "nothing.jsonl")

    assert done.returncode == 1
    assert "ragloop bench" in one_line(done.stderr)
