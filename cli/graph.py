"""`ragloop graph`: the picture of the graph, and the most it can do under the settings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..graph.limits import bounds
from ..graph.settings import Settings
from ..stores.errors import RagloopError, SettingsError
from .options import with_settings
from .output import note, say, say_json

if TYPE_CHECKING:
    from langchain_core.runnables.graph import Graph

_BOUNDS = {
    "rounds": "rewrites with a new search",
    "searches": "searches, the first one included",
    "drafts": "drafts",
    "calls": "model calls, retries included (0 with the offline engine)",
    "tokens": "tokens in and out",
    "steps": "steps of the graph",
}


@with_settings
def graph(
    mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Print the graph as Mermaid text (the default).")
    ] = False,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Draw it; .svg works as well.")
    ] = None,
    show_bounds: Annotated[
        bool, typer.Option("--bounds", help="Print the most that these settings allow.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print nodes, edges and bounds.")] = False,
    *,
    settings: Settings,
) -> None:
    """Show the graph, and the most that the settings allow it to do."""
    if png is not None:
        if png.suffix not in {".png", ".svg"}:
            raise SettingsError(f"--png {png}: the name must end in .png or .svg")
        draw(picture(settings), png)
        note(f"Drawn: {png}")
    if as_json:
        say_json(_as_json(picture(settings), settings))
        return
    if mermaid or (png is None and not show_bounds):
        say(picture(settings).draw_mermaid().rstrip())
    if show_bounds:
        for name, most in asdict(bounds(settings)).items():
            say(f"{most:>9,}  {_BOUNDS.get(name, name)}")


def picture(settings: Settings) -> Graph:
    """Give the compiled graph's picture; its arrows carry the reasons."""
    from ..graph.build import Parts, build_graph
    from ..stores.memory import MemoryStore

    return build_graph(Parts(passages=MemoryStore()), settings).compile().get_graph()


def draw(shown: Graph, file: Path) -> None:
    """Draw the graph into a .png or .svg file, on this machine, by Graphviz.

    Raises RagloopError when Graphviz is not installed or the file cannot be written.
    """
    try:
        import pygraphviz
    except ImportError:
        raise RagloopError("Drawing needs Graphviz: pip install 'ragloop[draw]'") from None
    drawn = pygraphviz.AGraph(directed=True, bgcolor="white", nodesep=0.4, ranksep=0.6)
    drawn.node_attr.update(shape="box", style="rounded", fontname="sans-serif", fontsize=11)
    drawn.edge_attr.update(fontname="sans-serif", fontsize=9, color="#555555")
    for name in shown.nodes:
        drawn.add_node(name, label=name.strip("_").replace("_", " "))
    for edge in shown.edges:
        style = "dashed" if edge.conditional else "solid"
        drawn.add_edge(edge.source, edge.target, label=str(edge.data or ""), style=style)
    try:
        drawn.draw(str(file), prog="dot")
    except OSError as error:
        raise RagloopError(f"{file} cannot be written: {error.strerror or error}") from None


def _as_json(shown: Graph, settings: Settings) -> dict[str, Any]:
    edges = [{"from": edge.source, "to": edge.target, "reason": edge.data} for edge in shown.edges]
    return {"nodes": list(shown.nodes), "edges": edges, "bounds": asdict(bounds(settings))}
