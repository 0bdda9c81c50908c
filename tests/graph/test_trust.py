"""A judge that was never measured is named in the answer, or nothing starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback import Loopback

from ragloop import HybridSearch, MemoryStore, Parts, build_graph, preset
from ragloop.stores.errors import SettingsError


def ask(server: Loopback, **changes: object) -> dict:
    store = MemoryStore()
    store.add_documents([{"id": "lamp", "text": "The Orsa lamp runs on 12 volts."}])
    settings = preset("loop", model="judge", base_url=server.url, **changes)
    app = build_graph(Parts(passages=HybridSearch(store)), settings).compile()
    return app.invoke({"question": "On how many volts does the Orsa lamp run?"})["answer"]


def measured(path: Path, agreement: float) -> str:
    entry = {"agreement": agreement, "bar": 0.8, "rows": 40}
    judges = {"relevance": {"judge": entry}, "support": {"judge": entry}}
    path.write_text(json.dumps({"version": 1, "judges": judges}), encoding="utf-8")
    return str(path)


def test_a_judge_that_was_never_measured_leaves_a_warning() -> None:
    with Loopback() as server:
        answer = ask(server)

    assert any("never measured" in warning for warning in answer["warnings"])


def test_a_judge_below_its_bar_leaves_a_warning_with_its_figure(tmp_path: Path) -> None:
    with Loopback() as server:
        answer = ask(server, calibration=measured(tmp_path / "c.json", 0.6))

    assert any("60%" in warning for warning in answer["warnings"])


def test_a_measured_judge_above_its_bar_is_trusted(tmp_path: Path) -> None:
    with Loopback() as server:
        answer = ask(server, calibration=measured(tmp_path / "c.json", 0.9))

    assert not any("alibrat" in warning for warning in answer["warnings"])


def test_nothing_is_asked_when_a_calibrated_judge_is_required(tmp_path: Path) -> None:
    with Loopback() as server:
        with pytest.raises(SettingsError, match="ragloop calibrate relevance"):
            ask(server, require_calibrated=True)

        assert server.calls() == 0
