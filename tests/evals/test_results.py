"""`make results`: its plan, its page and its marks, on the evaluation data where that is there."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from loopback import Loopback

from ragloop.evals.results import BEGIN, END, between_marks, main, plan
from ragloop.evals.results_page import Measured, Planned, verdicts
from ragloop.stores.errors import EvaluationError


def measured(name: str, gain: float, low: float, high: float) -> Measured:
    told = {"gains": {"loop": {"quality": [gain, low, high]}}}
    return Measured(Planned(name, "x.jsonl", ("plain", "loop")), "0", told)


def test_the_plan_compares_plain_with_the_loop_on_every_set() -> None:
    sets = plan()

    assert len(sets) >= 6
    assert all(one.presets[:2] == ("plain", "loop") for one in sets)


def test_a_set_that_is_not_planned_is_said() -> None:
    with pytest.raises(EvaluationError, match=r"'nope'.*multihop_qa"):
        plan(["nope"])


def test_a_set_without_its_evidence_is_a_set_of_its_own() -> None:
    [with_it] = plan(["rgb_en_fact"])
    [without] = plan(["rgb_en_fact-refuse"])

    assert (with_it.without_evidence, without.without_evidence) == (False, True)


def test_the_verdicts_are_honest_about_harm_and_chance() -> None:
    told = verdicts(
        [measured("A", 0.1, 0.05, 0.2), measured("B", -0.1, -0.2, -0.01), measured("C", 0, -1, 1)]
    )

    assert told == [
        "The loop is surely better than plain on: A.",
        "The loop is surely worse than plain on: B.",
        "No sure difference on: C.",
    ]


def test_only_what_is_between_the_marks_is_replaced() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    again = between_marks(between_marks(page, ["new"]), ["newer"])

    assert again == f"before\n{BEGIN}\nnewer\n{END}\nafter\n"


def test_a_page_without_marks_is_said() -> None:
    with pytest.raises(EvaluationError, match="lacks the marks"):
        between_marks("nothing here", ["new"])


def test_a_small_run_writes_the_page_and_goes_on_from_its_records(
    shared_data: Path, tmp_path: Path
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"# x\n{BEGIN}\n{END}\n", encoding="utf-8")
    page = tmp_path / "docs" / "results.md"
    records = tmp_path / "records"
    command = ["--data", str(shared_data), "--limit", "2", "--jobs", "1", "--sets", "multihop_qa"]
    command += ["--records", str(records), "--out", str(page), "--readme", str(readme)]

    main(command)
    first, ran = page.read_text(encoding="utf-8"), (records / "multihop_qa.jsonl").read_bytes()
    main(command)

    assert "| questions | 2 | 2 |" in first
    assert "multihop_qa.jsonl | `" in first
    assert page.read_text(encoding="utf-8") == first
    assert (records / "multihop_qa.jsonl").read_bytes() == ran
    assert readme.read_text(encoding="utf-8") == f"# x\n{BEGIN}\n{END}\n", "only for the whole plan"


def test_a_model_is_measured_the_same_way_and_the_page_says_which_and_when(
    shared_data: Path, tmp_path: Path
) -> None:
    page = tmp_path / "results-model.md"
    readme = tmp_path / "README.md"
    readme.write_text("untouched", encoding="utf-8")
    command = ["--data", str(shared_data), "--limit", "1", "--jobs", "1", "--sets", "multihop_qa"]
    command += ["--records", str(tmp_path), "--out", str(page), "--readme", str(readme)]
    with Loopback() as server:
        asked = ["--model", "some-model", "--base-url", server.url]
        main([*command, *asked, "--set", "k=2", "--set", "max_rounds=0"])
        calls = server.calls("some-model")

    told = page.read_text(encoding="utf-8")
    words = " ".join(told.split())
    assert f"a run of the model some-model on {date.today()}, with k=2, max_rounds=0." in words
    assert calls > 2
    assert "| model calls |" in told
    assert readme.read_text(encoding="utf-8") == "untouched"
