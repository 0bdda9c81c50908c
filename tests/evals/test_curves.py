"""Sweeps on cases with known answers, and what they conclude."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragloop.evals.budget_cases import load_cases, with_copies
from ragloop.evals.curves import Point, plot, sweep, table, verdict
from ragloop.stores.errors import EvaluationError


def paragraph(pid: int, title: str, text: str, supporting: bool = True) -> dict[str, object]:
    return {"pid": pid, "title": title, "text": text, "supporting": supporting}


ROWS = [
    {
        "id": f"q{at}",
        "source": "own",
        "question": f"Who runs the {name} ferry, and when was the {name} pier built?",
        "paragraphs": [
            paragraph(0, f"{name} ferry", f"Lim runs the {name} ferry."),
            paragraph(1, f"{name} pier", f"The {name} pier is of 1901."),
            paragraph(2, "Tea", "Vell tea is brewed at 80 degrees.", supporting=False),
        ],
    }
    for at, name in enumerate(["Brell", "Tarn", "Osk"])
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path


def point(name: str, *coverage: float, x: float = 0.0) -> Point:
    return Point(name, x, list(coverage), 100.0, 0.0, 0.0)


def test_the_whole_budget_holds_all_the_evidence(data: Path, tmp_path: Path) -> None:
    points = sweep("budget", load_cases(data))
    plot(points, "own", tmp_path / "curve.png")

    assert points[-1].mean == points[-1].complete == 1.0
    assert "budget 100%" in table(points)
    assert (tmp_path / "curve.png").stat().st_size > 1000


def test_a_copy_proves_what_its_original_proves(data: Path) -> None:
    [case, *_] = load_cases(data)
    copied = with_copies(case)

    again = [c for c in copied.candidates if c["id"].endswith("again1")]
    assert len(copied.candidates) == len(case.candidates) + 4
    assert copied.covered(again) == 1.0
    assert copied.covered([c | {"text": ""} for c in again]) == 0.0


@pytest.mark.parametrize(
    ("what", "points", "says"),
    [
        ("lambda", [point("lambda 0.6", 0.5), point("lambda 0.9", 0.505)], "do not use MMR"),
        ("lambda", [point("lambda 0.6", 0.7), point("lambda 0.9", 0.5)], "Lambda 0.6 is best"),
        ("layers", [point("none", 0.5, 0.5), point("+ literal", 0.5, 0.5)], "leave it out"),
        ("layers", [point("none", 0.5, 0.5), point("+ literal", 0.9, 0.9)], "keep it"),
        ("k", [point("k 3", 0.5), point("k 5", 0.8), point("k 10", 0.805)], "k 5 is enough"),
    ],
)
def test_a_verdict_follows_from_the_figures(what: str, points: list[Point], says: str) -> None:
    assert says in verdict(what, points)[0]  # type: ignore[arg-type]


def test_a_file_without_labelled_evidence_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"question": "q"}', encoding="utf-8")

    with pytest.raises(EvaluationError, match=r"other\.jsonl has none of the fields"):
        load_cases(path)
