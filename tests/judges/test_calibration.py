"""The file that `ragloop calibrate` writes and Settings reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback
from scripted import ScriptedModel
from small_graph import QUESTION, passage, run_of

from ragloop.graph.settings import Settings
from ragloop.nodes import hands
from ragloop.nodes.judges import panel
from ragloop.nodes.judges.calibration import read_calibration, write_entry
from ragloop.nodes.judges.verdict import Verdict
from ragloop.nodes.run import Run
from ragloop.nodes.steps import Steps
from ragloop.stores.errors import SettingsError


def answered(steps: Steps[Any], run: Run) -> Any:
    """What a judge concludes when all that it asks is answered by the run's model."""
    reply: Any = None
    while True:
        try:
            reply = hands.perform(steps.send(reply), run)
        except StopIteration as end:
            return end.value


ENTRY: dict[str, Any] = {"agreement": 0.7, "bar": 0.8, "rows": 40, "threshold": {"en": 0.6}}


def test_entries_of_several_judges_live_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    write_entry(file, "relevance", None, ENTRY)
    write_entry(file, "relevance", "small", {**ENTRY, "agreement": 0.9})
    write_entry(file, "support", "small", {**ENTRY, "band": [0.2, 0.7]})

    found = read_calibration(file)

    assert found.entry("relevance")["agreement"] == 0.7
    assert found.entry("relevance", "small")["agreement"] == 0.9
    assert found.band("support", "small") == (0.2, 0.7)
    assert found.band("support", "another") is None
    assert found.band("relevance", "small") is None


def test_a_judge_below_its_bar_or_never_measured_is_named(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    write_entry(file, "relevance", None, ENTRY)
    write_entry(file, "support", None, {**ENTRY, "agreement": 0.85})

    found = read_calibration(file)

    assert "70%" in found.below_bar("relevance")
    assert "never measured" in found.below_bar("useful")
    assert found.below_bar("support") == ""


def test_a_fitted_threshold_replaces_one_half_for_soft_scores_only(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    write_entry(file, "relevance", None, ENTRY)
    found = read_calibration(file)

    soft = found.apply("relevance", Verdict("yes", 0.55, "offline"))
    hard = found.apply("relevance", Verdict("yes", None, "label"))
    chinese = found.apply("relevance", Verdict("yes", 0.55, "offline"), language="zh")

    assert (soft.label, hard.label, chinese.label) == ("no", "yes", "yes")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 9, "judges": {}}', "\x00"])
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(SettingsError, match="Calibrate again"):
        read_calibration(file)


@pytest.mark.parametrize(("model", "asks"), [("small", 0), ("another", 2)])
def test_the_cascade_asks_a_model_in_the_band_fitted_for_it(
    model: str, asks: int, tmp_path: Path
) -> None:
    file = tmp_path / "calibration.json"
    write_entry(file, "relevance", "small", {**ENTRY, "band": [1.0, 0.0]})  # never
    write_entry(file, "relevance", "another", {**ENTRY, "band": [0.0, 1.0]})  # always
    with Loopback() as server:
        chosen = Settings(
            judge_model=model, base_url=server.url, cascade=True, calibration=str(file)
        )
        run = run_of(chosen)
        answered(panel.relevant(run, QUESTION, [passage("a"), passage("b")]), run)

        assert server.calls() == asks


@pytest.mark.parametrize("given", [True, False])
def test_worked_examples_stand_before_what_is_judged(given: bool) -> None:
    model = ScriptedModel()
    run = run_of(Settings(worked_examples=given), judge=model)

    answered(panel.relevant(run, QUESTION, [passage("a")]), run)
    answered(panel.supported(run, [("", "It is deep.")], [[passage("a")]]), run)

    (_, relevance), (_, support) = model.asked
    assert ("白塔寺" in relevance, "museum" in support) == (given, given)
    assert relevance.rindex(QUESTION) > relevance.find("白塔寺")
