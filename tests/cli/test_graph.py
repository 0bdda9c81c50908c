"""Pictures of the graph and its bounds, made on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ragloop.cli.graph import draw, picture
from ragloop.graph.build import ARROWS, NODES
from ragloop.graph.limits import bounds
from ragloop.graph.settings import Settings, preset
from ragloop.stores.errors import RagloopError

from .shell import command_in, one_line

pytest.importorskip("pygraphviz", reason="drawing is the extra `draw`")


def test_mermaid_text_names_each_node_and_each_reason(tmp_path: Path) -> None:
    done = command_in(tmp_path, "graph")

    assert done.returncode == 0
    assert all(f"\t{name}({name}" in done.stdout for name in NODES)
    assert all(reason in done.stdout for _, reasons in ARROWS.values() for reason in reasons)


def test_an_svg_holds_each_node_and_each_reason(tmp_path: Path) -> None:
    file = tmp_path / "graph.svg"

    draw(picture(Settings()), file)

    shown = " ".join(ElementTree.parse(file).getroot().itertext())
    assert all(name.replace("_", " ") in shown for name in NODES)
    assert all(reason in shown for _, reasons in ARROWS.values() for reason in reasons)


def test_png_is_written_and_stdout_stays_empty(tmp_path: Path) -> None:
    done = command_in(tmp_path, "graph", "--png", "graph.png")

    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_another_kind_of_file_is_wrong_use(tmp_path: Path) -> None:
    done = command_in(tmp_path, "graph", "--png", "graph.pdf")

    assert done.returncode == 2
    assert "graph.pdf" in one_line(done.stderr)


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RagloopError, match="cannot be written"):
        draw(picture(Settings()), tmp_path / "missing" / "graph.svg")


def test_json_holds_the_nodes_the_reasons_and_the_bounds(tmp_path: Path) -> None:
    done = command_in(tmp_path, "graph", "--json", "--preset", "crag", "--max-rounds", "3")

    shown = json.loads(done.stdout)
    assert set(NODES) < set(shown["nodes"])
    assert {"from": "retrieve", "to": "grade_passages", "reason": "doubtful"} in shown["edges"]
    assert shown["bounds"] == asdict(bounds(preset("crag", max_rounds=3)))


def test_bounds_are_a_line_each(tmp_path: Path) -> None:
    done = command_in(tmp_path, "graph", "--bounds", "--max-rounds", "3")

    numbers = {line.split("  ")[-1]: line.split()[0] for line in done.stdout.splitlines()}
    assert numbers["rewrites with a new search"] == "3"
    assert len(numbers) == len(asdict(bounds(Settings())))
