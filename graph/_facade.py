"""A retrieval loop that checks itself. The public names, imported on first use.

Built into the package as ragloop/__init__.py, so that `import ragloop` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragloop.graph.adapters import as_retriever, as_runnable, as_tool
    from ragloop.graph.build import Parts, build_graph
    from ragloop.graph.settings import Settings, preset
    from ragloop.nodes.context import select
    from ragloop.nodes.judges.offline import OfflineJudge
    from ragloop.stores.chroma import ChromaStore
    from ragloop.stores.errors import RagloopError
    from ragloop.stores.hybrid import HybridSearch
    from ragloop.stores.memory import MemoryStore

__all__ = [
    "ChromaStore",
    "HybridSearch",
    "MemoryStore",
    "OfflineJudge",
    "Parts",
    "RagloopError",
    "Settings",
    "as_retriever",
    "as_runnable",
    "as_tool",
    "build_graph",
    "preset",
    "select",
]

_HOME = {
    "ChromaStore": "ragloop.stores.chroma",
    "HybridSearch": "ragloop.stores.hybrid",
    "MemoryStore": "ragloop.stores.memory",
    "OfflineJudge": "ragloop.nodes.judges.offline",
    "Parts": "ragloop.graph.build",
    "RagloopError": "ragloop.stores.errors",
    "Settings": "ragloop.graph.settings",
    "as_retriever": "ragloop.graph.adapters",
    "as_runnable": "ragloop.graph.adapters",
    "as_tool": "ragloop.graph.adapters",
    "build_graph": "ragloop.graph.build",
    "preset": "ragloop.graph.settings",
    "select": "ragloop.nodes.context",
}

if not TYPE_CHECKING:  # hidden from type checkers, which then flag a misspelt name

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'ragloop' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
