"""What an installed ragloop looks like from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distribution, version
from importlib.resources import files
from pathlib import Path

import pytest

import ragloop

ROOT = Path(__file__).parents[1]
PARTS = ("graph", "nodes", "stores", "evals", "cli")
MODULES = sorted(
    ".".join(("ragloop", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for part in PARTS
    for path in (ROOT / part).rglob("*.py")
    if path.stem not in {"_facade", "__main__"}
)
WHEEL_VENV = os.environ.get("RAGLOOP_UNDER_TEST", "")
"""Set by CI to the environment that holds the built wheel."""


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], check=False, cwd=folder, capture_output=True, text=True
    )


@pytest.mark.parametrize("name", ["graph", "nodes", "stores", "evals", "cli", "tests", "notebooks"])
def test_no_folder_of_the_repository_is_importable_by_its_bare_name(
    name: str, tmp_path: Path
) -> None:
    done = run_python(f"import {name}", tmp_path)

    assert done.returncode == 1
    assert f"No module named '{name}'" in done.stderr


def test_each_module_can_be_the_first_one_imported(tmp_path: Path) -> None:
    """A circular import shows only when the wrong module comes first."""
    code = f"""
import sys, traceback
failed = False
for name in {MODULES!r}:
    for loaded in [one for one in sys.modules if one.split(".")[0] == "ragloop"]:
        del sys.modules[loaded]
    try:
        __import__(name)
    except ImportError:
        traceback.print_exc()
        failed = True
sys.exit(failed)
"""

    done = run_python(code, tmp_path)

    assert done.returncode == 0, done.stderr


def test_importing_ragloop_loads_nothing_heavy(tmp_path: Path) -> None:
    done = run_python("import ragloop, sys; print(*sys.modules)", tmp_path)

    loaded = set(done.stdout.split())
    assert "ragloop" in loaded
    assert loaded.isdisjoint({"langgraph", "langchain_core", "chromadb", "numpy", "pydantic"})


@pytest.mark.parametrize("name", ragloop.__all__)
def test_each_public_name_is_there_under_ragloop_itself(name: str) -> None:
    assert getattr(ragloop, name).__module__.startswith("ragloop.")


def test_a_misspelt_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="build_grpah"):
        _ = ragloop.build_grpah  # type: ignore[attr-defined]


def test_the_package_says_that_it_is_typed() -> None:
    assert files("ragloop").joinpath("py.typed").is_file()


def test_the_version_is_that_of_the_distribution() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("ragloop"), "--version"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert done.stdout == f"ragloop {version('ragloop')}\n"


def test_the_data_files_of_the_packages_are_installed() -> None:
    in_tree = {
        path.relative_to(ROOT).as_posix()
        for part in PARTS
        for path in (ROOT / part).rglob("*")
        if path.suffix in {".json", ".html", ".css", ".js"}
    }

    installed = {name for name in in_tree if files("ragloop").joinpath(name).is_file()}

    assert installed == in_tree


def test_langgraph_json_names_its_graphs_by_module() -> None:
    """A graph named by its file cannot import relatively, and the dev server would not start."""
    named = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]

    for graph in named.values():
        module, name = graph["path"].split(":")
        assert hasattr(getattr(import_module(module), name), "astream")


@pytest.mark.skipif(not WHEEL_VENV, reason="only where CI names the environment of the wheel")
def test_what_is_tested_is_the_wheel() -> None:
    home = Path(ragloop.__file__).resolve()

    assert home.is_relative_to(Path(WHEEL_VENV).resolve())
    assert not home.is_relative_to(ROOT)
    assert (distribution("ragloop").read_text("WHEEL") or "").startswith("Wheel-Version")
