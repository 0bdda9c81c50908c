"""Who may import whom: the table of the design, read from the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("graph", "nodes", "stores", "evals", "cli")
FILES = sorted(path for part in PARTS for path in (ROOT / part).rglob("*.py"))
FACADE = ROOT / "graph" / "_facade.py"

SHAPE = ("graph.state", "graph.answer", "graph.settings", "graph.limits", "graph.prompts")
"""The parts of graph/ that nodes build on."""
TOP = ("graph.adapters", "graph.events", "graph.studio", "evals", "cli")
"""What sits on top, and what nothing below may know of."""
SLOW = {"chromadb", "langchain_openai", "bm25s", "onnxruntime", "tokenizers", "sklearn", "scipy"}
SLOW |= {"matplotlib", "pypdf", "pygraphviz", "ray", "rouge_score", "uvicorn", "starlette"}
"""Libraries that are imported inside the function that needs them."""
SERVED = ("cli.web",)
"""Imported by `ragloop serve` when it runs, and by nothing else."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Yield what a file imports: our modules as `graph.state`, others by their full name."""
    home = list(path.relative_to(ROOT).parts[:-1])
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) - node.level + 1] + (node.module or "").split(".")
            module = ".".join(filter(None, base))
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                yield inner if exists(inner) else module


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def exists(module: str) -> bool:
    place = ROOT.joinpath(*module.split("."))
    return place.with_suffix(".py").is_file() or place.is_dir()


@cache
def ours(path: Path) -> set[str]:
    found = imported(path, ast.walk(tree_of(path)))
    return {name for name in found if name.split(".")[0] in PARTS}


def is_in(module: str, homes: tuple[str, ...]) -> bool:
    return any(module == home or module.startswith(home + ".") for home in homes)


def is_step(module: str) -> bool:
    """A step of the graph: a file straight in nodes/ that defines a function of its own name."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    if path.parent != ROOT / "nodes" or not path.is_file():
        return False
    return f"def {path.stem}(" in path.read_text("utf-8")


def below(part: str) -> list[object]:
    return [
        pytest.param(path, id=name_of(path)) for path in FILES if name_of(path).startswith(part)
    ]


@pytest.mark.parametrize("path", below("stores"))
def test_stores_import_nothing_of_ours(path: Path) -> None:
    assert all(is_in(name, ("stores",)) for name in ours(path))


@pytest.mark.parametrize("path", below("nodes"))
def test_nodes_import_stores_each_other_s_tools_and_the_shape_of_the_graph(path: Path) -> None:
    assert all(is_in(name, ("stores", "nodes", *SHAPE)) for name in ours(path))


@pytest.mark.parametrize("path", below("nodes"))
def test_a_node_never_imports_another_node(path: Path) -> None:
    steps = {name for name in ours(path) if is_step(name) and name != name_of(path)}

    assert not steps


@pytest.mark.parametrize("path", [path for path in FILES if path != FACADE], ids=name_of)
def test_nothing_below_knows_what_sits_on_top(path: Path) -> None:
    if is_in(name_of(path), TOP):
        pytest.skip("sits on top itself")

    assert not {name for name in ours(path) if is_in(name, TOP)}


@pytest.mark.parametrize("path", [path for path in FILES if path != FACADE], ids=name_of)
def test_inside_the_package_imports_are_relative(path: Path) -> None:
    found = imported(path, ast.walk(tree_of(path)))

    assert "ragloop" not in {name.split(".")[0] for name in found}


@pytest.mark.parametrize(
    "path", [path for path in FILES if not is_in(name_of(path), SERVED)], ids=name_of
)
def test_slow_libraries_are_imported_where_they_are_needed(path: Path) -> None:
    at_import = imported(path, iter(tree_of(path).body))

    assert SLOW.isdisjoint(name.split(".")[0] for name in at_import)


@pytest.mark.parametrize(
    "path", [path for path in FILES if not is_in(name_of(path), SERVED)], ids=name_of
)
def test_the_web_server_is_imported_where_it_is_needed(path: Path) -> None:
    tops = set(imported(path, iter(tree_of(path).body)))

    assert not {name for name in tops if is_in(name, SERVED)}
