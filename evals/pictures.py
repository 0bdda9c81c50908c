"""The graph drawn on this machine, with the way of one run lit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..stores.errors import EvaluationError

if TYPE_CHECKING:
    from langchain_core.runnables.graph import Graph

LIT, DIM = "#c2571a", "#b9c0c7"


def steps_taken(path: Sequence[str], edges: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges of a run, from its nodes in the order in which they ended.

    Nodes that run at the same time stand one after the other in the path: each is reached from the
    last node before it that has an edge to it.
    """
    known = set(edges)
    nodes = ["__start__", *path, "__end__"]
    taken = set()
    for at, node in enumerate(nodes[1:], 1):
        before = next((n for n in reversed(nodes[:at]) if (n, node) in known), None)
        if before is not None:
            taken.add((before, node))
    return taken


def lit(app: Any, path: Sequence[str] = ()) -> str:
    """Draw a compiled graph as SVG, the nodes and edges of `path` lit; a record has such a path.

    Raises EvaluationError when Graphviz is not installed.
    """
    try:
        import pygraphviz
    except ImportError:
        raise EvaluationError("Drawing needs Graphviz: pip install 'ragloop[draw]'") from None
    shown: Graph = app.get_graph()
    taken = steps_taken(path, [(edge.source, edge.target) for edge in shown.edges])
    visited = {node for pair in taken for node in pair}
    drawn = pygraphviz.AGraph(directed=True, bgcolor="white", nodesep=0.35, ranksep=0.5)
    drawn.node_attr.update(shape="box", style="rounded", fontname="sans-serif", fontsize=11)
    drawn.edge_attr.update(fontname="sans-serif", fontsize=9)
    for name in shown.nodes:
        on = name in visited
        label = name.strip("_").replace("_", " ")
        if (times := list(path).count(name)) > 1:
            label += f" ×{times}"
        drawn.add_node(name, label=label, color=LIT if on else DIM, penwidth=2 if on else 1,
                       fontcolor="#000000" if on else "#7a828a")  # fmt: skip
    for edge in shown.edges:
        on = (edge.source, edge.target) in taken
        colour = LIT if on else DIM
        drawn.add_edge(edge.source, edge.target, label=str(edge.data or "") if on else "",
                       color=colour, fontcolor=colour, penwidth=2 if on else 0.8)  # fmt: skip
    svg: bytes = drawn.draw(format="svg", prog="dot")
    text = svg.decode("utf-8")
    return text[text.index("<svg") :]
