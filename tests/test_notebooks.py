"""Every notebook runs from top to bottom, offline, and ships its outputs."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_CELLS = 15
_OF_A_MACHINE = re.compile(r"/(?:home|root|tmp|Users|work|usr|opt)/|[A-Z]:\\\\")


def cells(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return found


def test_the_six_notebooks_are_there() -> None:
    assert [file.stem for file in NOTEBOOKS] == [
        "bring_your_own", "first_question", "is_the_judge_any_good", "passages_or_whole_document",
        "spend_the_budget", "watch_the_loop",
    ]  # fmt: skip


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_short_and_keeps_outputs_that_name_no_machine(file: Path) -> None:
    found = cells(file)
    code = [cell for cell in found if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]

    assert len(found) <= MOST_CELLS
    assert all(cell["execution_count"] for cell in code), "run it and keep what it printed"
    assert outputs
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert not _OF_A_MACHINE.search(json.dumps(outputs))


@pytest.mark.slow
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    if "evals.pictures" in file.read_text(encoding="utf-8"):
        pytest.importorskip("pygraphviz")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "")
    notebook = nbformat.read(file, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the kernel's own libraries warn of each other
        client.execute()

    printed = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert printed
    assert not [output for output in printed if output["output_type"] == "error"]
