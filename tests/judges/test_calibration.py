"""The file that `ragloop calibrate` writes and Settings reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragloop.nodes.judges.calibration import read_calibration, write_entry
from ragloop.nodes.judges.verdict import Verdict
from ragloop.stores.errors import SettingsError

ENTRY: dict[str, Any] = {"agreement": 0.7, "bar": 0.8, "rows": 40, "threshold": {"en": 0.6}}


def test_entries_of_several_judges_live_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    write_entry(file, "relevance", None, ENTRY)
    write_entry(file, "relevance", "small", {**ENTRY, "agreement": 0.9})
    write_entry(file, "support", None, {**ENTRY, "band": [0.2, 0.7]})

    found = read_calibration(file)

    assert found.entry("relevance")["agreement"] == 0.7
    assert found.entry("relevance", "small")["agreement"] == 0.9
    assert found.band("support") == (0.2, 0.7)
    assert found.band("relevance") is None


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
