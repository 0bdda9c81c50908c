"""Labelled data in one shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragloop.evals.datasets import load
from ragloop.evals.pairs import rows_for
from ragloop.stores.errors import EvaluationError


def written(folder: Path, *rows: dict[str, Any], name: str = "rows.jsonl") -> Path:
    file = folder / name
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_text("".join(lines), encoding="utf-8")
    return file


PAIR = {"question": "Who wrote Emma?", "passage": "Jane Austen wrote Emma.", "label": "yes"}
EVERY_FILE = [
    ("clapnq", "qa", 285, 285),
    ("cmrc_zh_questions", "qa", 383, 193),
    ("dureader_zh", "qa", 50, 231),
    ("groundedness_en", "support", 1079, 0),
    ("groundedness_zh", "support", 252, 0),
    ("longdoc_qa", "qa", 374, 82),
    ("mtrag_tasks", "qa", 266, 574),
    ("multihop_qa", "qa", 160, 2083),
    ("multihoprag_queries", "qa", 228, 252),
    ("relevance_pairs", "relevance", 1031, 0),
    ("retrieve_decision", "retrieve", 615, 0),
    ("rgb_en_fact", "qa", 53, 505),
    ("rgb_zh_fact", "qa", 50, 459),
    ("rgb_zh_int", "qa", 50, 827),
    ("rgb_zh_refine", "qa", 151, 2271),
]


@pytest.mark.parametrize(("name", "kind", "rows", "documents"), EVERY_FILE)
def test_every_schema_of_the_evaluation_data_is_read(
    shared_data: Path, name: str, kind: str, rows: int, documents: int
) -> None:
    found = load(shared_data / f"{name}.jsonl")

    assert (found.kind, len(found), len(found.documents)) == (kind, rows, documents)


def test_evidence_ids_of_tasks_are_documents(shared_data: Path) -> None:
    for name in ("multihop_qa", "rgb_zh_int", "multihoprag_queries", "cmrc_zh_questions"):
        found = load(shared_data / f"{name}.jsonl")

        assert all(id in found.documents for task in found.tasks for id in task.evidence_ids)


def test_a_users_own_file_is_read(tmp_path: Path) -> None:
    found = load(written(tmp_path, PAIR, {**PAIR, "question": "谁写了《爱玛》？", "label": "否"}))

    assert found.kind == "relevance"
    assert [(row.label, row.language) for row in found.rows] == [("yes", "en"), ("no", "zh")]


def test_a_csv_with_line_ends_in_cells_is_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    text = 'sentence,evidence,label\n"It is tall.","It is\ntall.",full\nNo.,"[""a"", ""b""]",none\n'
    file.write_text("\ufeff" + text, encoding="utf-8")

    found = load(file)

    assert [row.texts for row in found.rows] == [("It is\ntall.",), ("a", "b")]
    assert [row.label for row in found.rows] == ["full", "none"]


def test_a_limit_is_spread_over_the_file(tmp_path: Path) -> None:
    rows = [{**PAIR, "question": f"Question {i}?"} for i in range(10)]

    found = load(written(tmp_path, *rows), limit=5)

    assert [row.question for row in found.rows] == [f"Question {i}?" for i in (0, 2, 4, 6, 8)]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({**PAIR, "label": "maybe"}, "line 2: 'label' is 'maybe', but must be one of yes, no"),
        ({**PAIR, "passage": " "}, "line 2: 'passage' must be a text that is not blank"),
        ({"question": "Who?", "label": "yes"}, "line 2: lacks 'passage'"),
        ({**PAIR, "question": 3}, "line 2: 'question' must be a text"),
    ],
)
def test_a_broken_row_is_named_with_its_line(
    tmp_path: Path, row: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(EvaluationError, match=complaint):
        load(written(tmp_path, PAIR, row))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "holds no rows"),
        (b"{not json}\n", "line 1: not JSON"),
        (b"[1, 2]\n", "line 1: must be a JSON object"),
        (b'{"a": 1}\n', "fits no schema"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_file_that_is_no_data_set_is_refused(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(content)

    with pytest.raises(EvaluationError, match=complaint):
        load(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="cannot be read"):
        load(tmp_path / "nothing.jsonl")


def test_relevance_pairs_are_put_together_from_tasks(shared_data: Path) -> None:
    rows = rows_for("relevance", load(shared_data / "multihop_qa.jsonl", limit=20))

    labels = [row.label for row in rows]
    assert labels.count("yes") == labels.count("no") == 40


def test_taking_evidence_away_makes_passages_insufficient(shared_data: Path) -> None:
    rows = rows_for("suffices", load(shared_data / "multihop_qa.jsonl", limit=5))

    for whole, less in zip(rows[::2], rows[1::2], strict=True):
        assert (whole.label, less.label) == ("yes", "no")
        assert len(set(whole.texts) - set(less.texts)) == 1


def test_rows_that_say_nothing_about_a_judge_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="say nothing about the support judge"):
        rows_for("support", load(written(tmp_path, PAIR)))
