"""The graph: its nodes, its edges, and which reason leads where."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import set_config_context
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import Checkpointer

from ..nodes.answer_directly import answer_directly
from ..nodes.check_grounding import check_grounding
from ..nodes.check_usefulness import check_usefulness
from ..nodes.decide_retrieval import decide_retrieval
from ..nodes.finish import finish
from ..nodes.generate import generate
from ..nodes.grade_passages import grade_passages
from ..nodes.parts import Parts
from ..nodes.read_whole_document import read_whole_document
from ..nodes.refuse import refuse
from ..nodes.restate_question import restate_question
from ..nodes.retrieve import retrieve
from ..nodes.rewrite_query import rewrite_query
from ..nodes.run import Engine
from ..nodes.search_elsewhere import search_elsewhere
from ..nodes.select_context import select_context
from ..nodes.stepping import as_node
from ..nodes.weigh_draft import weigh_draft
from . import edges
from .limits import bounds
from .settings import Settings
from .state import Output, Question, State
from .threads import for_both_ways

__all__ = ["Parts", "build_graph", "recursion_limit"]

NODES = {
    "restate_question": restate_question,
    "decide_retrieval": decide_retrieval,
    "answer_directly": answer_directly,
    "retrieve": retrieve,
    "grade_passages": grade_passages,
    "rewrite_query": rewrite_query,
    "search_elsewhere": search_elsewhere,
    "select_context": select_context,
    "generate": generate,
    "read_whole_document": read_whole_document,
    "check_grounding": check_grounding,
    "check_usefulness": check_usefulness,
    "weigh_draft": weigh_draft,
    "refuse": refuse,
    "finish": finish,
}

REMEDIES: dict[Hashable, str] = {
    "search again": "rewrite_query",
    "elsewhere": "search_elsewhere",
    "read it all": "read_whole_document",
    "give up": "refuse",
}
CHECKS: dict[Hashable, str] = {
    "drafted": "check_grounding",
    "rate it": "check_usefulness",
    "unchecked": "weigh_draft",
}
ARROWS: dict[str, tuple[Callable[..., Any], dict[Hashable, str]]] = {
    "decide_retrieval": (
        edges.route_after_decision,
        {
            "common knowledge": "answer_directly",
            "needs sources": "retrieve",
            "read it all": "read_whole_document",
            "give up": "refuse",
        },
    ),
    "retrieve": (
        edges.route_after_retrieval,
        {"trusted": "select_context", "doubtful": "grade_passages"},
    ),
    "grade_passages": (edges.route_after_grading, {"usable": "select_context", **REMEDIES}),
    "rewrite_query": (
        edges.route_after_rewriting,
        {**REMEDIES, "search again": "retrieve", "usable": "select_context"},
    ),
    "generate": (edges.route_after_generation, {**CHECKS, **REMEDIES}),
    "read_whole_document": (edges.route_after_reading, {**CHECKS, "give up": "refuse"}),
    "weigh_draft": (
        edges.route_after_weighing,
        {"good enough": "finish", "write again": "generate", **REMEDIES},
    ),
}
"""From each node that chooses: the edge, and the node that each of its reasons leads to."""


def build_graph(
    parts: Parts, settings: Settings | None = None, *, studio: bool = False
) -> StateGraph[State, Settings, Question, Output]:
    """Give the graph, uncompiled: `build_graph(parts).compile(checkpointer=...)`.

    Settings given here are the graph's own; a run changes them with `context={"k": 3}`. With
    `studio` the graph has no output schema: a narrow one hides what the inner nodes do.
    """
    engine = Engine(parts, settings or Settings())
    graph = Loop(
        State,
        context_schema=Settings,
        input_schema=Question,
        output_schema=State if studio else Output,
    )
    for name, steps in NODES.items():
        graph.add_node(name, as_node(name, steps, engine), defer=name == "weigh_draft")
    graph.add_edge(START, "restate_question")
    graph.add_edge("restate_question", "decide_retrieval")
    graph.add_edge("search_elsewhere", "grade_passages")
    graph.add_edge("select_context", "generate")
    graph.add_edge("check_grounding", "weigh_draft")
    graph.add_edge("check_usefulness", "weigh_draft")
    graph.add_edge("answer_directly", "finish")
    graph.add_edge("refuse", "finish")
    graph.add_edge("finish", END)
    for node, (edge, reasons) in ARROWS.items():
        graph.add_conditional_edges(node, _WithSettings(edge, engine), reasons)
    return graph


class Loop(StateGraph[State, Settings, Question, Output]):
    """The graph, which also lets sync checkpointers serve async runs."""

    def compile(
        self, checkpointer: Checkpointer = None, **how: Any
    ) -> CompiledStateGraph[State, Settings, Question, Output]:
        """Do what `StateGraph.compile` does."""
        return super().compile(for_both_ways(checkpointer), **how)


def recursion_limit(settings: Settings) -> int:
    """The second net: no run under these settings takes more steps than this."""
    return bounds(settings).steps + 1


class _WithSettings(Runnable[State, Any]):
    """An edge that gets the settings of the run; the name stays, since the picture shows it.

    It has an async side of its own: LangGraph would run a plain function in a thread.
    """

    def __init__(self, edge: Callable[..., Any], engine: Engine) -> None:
        self.name = edge.__name__
        self._edge, self._engine = edge, engine

    def invoke(self, input: State, config: RunnableConfig | None = None, **_: Any) -> Any:
        """Give the reason."""
        with set_config_context(config or {}) as context:
            # No runtime: the state is being edited by hand, outside a run.
            runtime: Runtime[Settings] | None = context.run(get_runtime, Settings)
        return self._edge(input, self._engine.settings_of(runtime.context if runtime else None))

    async def ainvoke(self, input: State, config: RunnableConfig | None = None, **_: Any) -> Any:
        """Give the reason, which nobody has to wait for."""
        return self.invoke(input, config)
