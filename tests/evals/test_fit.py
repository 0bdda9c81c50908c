"""Fitting the offline judge."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ragloop.evals import fit
from ragloop.evals.datasets import Labelled
from ragloop.evals.fit_rows import Case
from ragloop.nodes.judges.logistic import FOLDER, Logistic


def case(value: float, truth: bool, group: str, source: str = "one") -> Case:
    row = Labelled(id=group, label="yes" if truth else "no", group=group, source=source)
    return Case(
        row, {"good": value, "noise": sum(map(ord, group)) % 7 / 7, "overlap": value}, truth, 1.0
    )


def cases(count: int = 200) -> list[Case]:
    chance = random.Random(0)
    values = [(chance.random(), chance.random()) for _ in range(count)]
    return [
        case(value, value + 0.2 * other > 0.6, f"group {i}", "one" if i % 2 else "two")
        for i, (value, other) in enumerate(values)
    ]


def test_a_feature_that_tells_yes_from_no_gets_the_weight() -> None:
    model = fit.fit(cases(), ["good", "noise"])

    assert model.weights["good"] > 1
    assert abs(model.weights["noise"]) < model.weights["good"] / 4


def test_the_fitted_threshold_lies_at_a_score_of_one_half() -> None:
    model = Logistic(bias=0.0, weights={"good": 1.0}, threshold=0.8)

    assert model.score({"good": 1.386294}) == pytest.approx(0.5, abs=1e-4)


def test_held_out_figures_come_from_models_that_did_not_see_the_part() -> None:
    turned = [case(1 - c.values["good"], c.truth, c.row.group, "three") for c in cases()[:40]]
    rows = [*cases(), *turned]

    seen = fit.held_out(rows, ["good"], lambda c: c.row.source)

    wrong = [seen[at] >= 0.5 for at, c in enumerate(rows) if c.row.source == "three"]
    right = [c.truth for c in turned]
    assert sum(w == r for w, r in zip(wrong, right, strict=True)) < 20


def test_rows_whose_terms_forbid_it_are_never_fitted_on() -> None:
    assert not case(1.0, True, "g", "RGB/zh_fact").fits
    assert not case(1.0, True, "g", "FaithBench").fits
    assert case(1.0, True, "g", "HotpotQA").fits


@pytest.mark.slow
def test_the_command_makes_the_files_that_ship(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit.main(["--data", str(shared_data), "--out", str(tmp_path)])

    report = json.loads(capsys.readouterr().out)
    made = json.loads((tmp_path / "offline.json").read_text(encoding="utf-8"))
    shipped = json.loads((FOLDER / "offline.json").read_text(encoding="utf-8"))
    assert (tmp_path / "rarity.json").read_text() == (FOLDER / "rarity.json").read_text()
    for name in ("relevant_en", "relevant_zh", "supported_en", "supported_zh"):
        assert made[name]["weights"] == pytest.approx(shipped[name]["weights"], abs=0.01)
        best, plain = (report[name][k] for k in ("question-disjoint", "overlap, question-disjoint"))
        assert best["balanced_accuracy"] > plain["balanced_accuracy"]
