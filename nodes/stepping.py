"""Turning a node's steps into a LangGraph node with a sync and an async side."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ..graph.answer import Cost, Spent
from ..graph.limits import bounds
from ..graph.settings import Settings
from ..graph.state import State
from ..stores.errors import ModelError, SettingsError
from . import hands
from .run import BESIDE_ANOTHER, FIRST_NODE, LAST_NODE, READER_GONE, Engine, NodeSteps, Run


class BothWays(Runnable[State, Any]):
    """A function of the state with a sync and an async side.

    LangGraph would run a sync function in a thread under `ainvoke`; a `RunnableLambda` takes twice
    the time of this and leaves a second entry in every trace.
    """

    def __init__(
        self, name: str, sync: Callable[[State], Any], awaited: Callable[[State], Awaitable[Any]]
    ) -> None:
        self.name = name
        self._sync, self._awaited = sync, awaited

    def invoke(self, input: State, config: RunnableConfig | None = None, **_: Any) -> Any:
        """Run it, blocking."""
        return self._sync(input)

    async def ainvoke(self, input: State, config: RunnableConfig | None = None, **_: Any) -> Any:
        """Run it on the event loop."""
        return await self._awaited(input)


def as_node(name: str, steps: NodeSteps, engine: Engine) -> BothWays:
    """Give a LangGraph node that runs the steps, natively in `invoke` and in `ainvoke`."""

    def start(state: State) -> Run:
        runtime = get_runtime(Settings)
        settings = engine.settings_of(runtime.context)
        _check_steps(name, state, settings)
        gone = get_config().get("configurable", {}).get(READER_GONE)
        return Run(name, engine, settings, state, runtime.stream_writer, gone)

    def run_sync(state: State) -> State:
        run, began = start(state), time.monotonic()
        todo = steps(state, run)
        try:
            request = next(todo)
            while True:
                try:
                    reply = hands.perform(request, run)
                except ModelError as error:  # a node that can go on without catches it
                    request = todo.throw(error)
                else:
                    request = todo.send(reply)
        except StopIteration as done:
            return _with_cost(done.value, run, began)
        except ModelError as error:
            return _with_cost(_broken(error, run), run, began)
        finally:
            for started in run.beside:
                started.cancel()

    async def run_async(state: State) -> State:
        run, began = start(state), time.monotonic()
        todo = steps(state, run)
        try:
            request = next(todo)
            while True:
                try:
                    reply = await hands.aperform(request, run)
                except ModelError as error:
                    request = todo.throw(error)
                else:
                    request = todo.send(reply)
        except StopIteration as done:
            return _with_cost(done.value, run, began)
        except ModelError as error:
            return _with_cost(_broken(error, run), run, began)
        finally:
            for started in run.beside:
                started.cancel()

    return BothWays(name, run_sync, run_async)


def _check_steps(node: str, state: State, settings: Settings) -> None:
    """Raise SettingsError where LangGraph would end the run after this node, with less to say."""
    if node in (FIRST_NODE, LAST_NODE) or _step() < state.get("last_step", _step() + 1):
        return
    raise SettingsError(
        f"The recursion_limit of this run allows no step after {node}. Under these settings a run "
        f"takes up to {bounds(settings).steps} steps: leave recursion_limit out, or lower "
        "Settings.max_rounds."
    )


def _step() -> int:
    """The number of LangGraph's present step; it goes on counting through a thread."""
    return int(get_config()["metadata"]["langgraph_step"])


def _broken(error: ModelError, run: Run) -> State:
    """End the run with what there is: every edge leads to the end from here."""
    if run.node == BESIDE_ANOTHER:
        return {"usefulness": {"rating": 0, "how": "none", "why": str(error)}}
    run.warn(str(error))
    return {"stopped_by": "model_error"}


def _with_cost(update: State, run: Run, began: float) -> State:
    """Add to a node's update what it cost, what it warned of, and the limit it ran into."""
    used = run.meter.used
    cost: Cost = {
        "calls": used.calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "seconds": round(time.monotonic() - began, 4),
    }
    account: Spent = {
        **cost,
        "by_node": {run.node: cost},
        "started": run.started,
        "waited": round(run.waited, 4),
    }
    account["seconds"] = round(time.time() - run.started - run.waited, 4)
    update = {**update, "spent": account}
    if run.node == FIRST_NODE:
        update["last_step"] = _step() + get_config().get("recursion_limit", 10_007) - 1
    if run.said:
        update["shown"] = run.state["shown"] + run.said
    if run.node == BESIDE_ANOTHER:  # one writer a key: the node beside it speaks for both
        return update
    earlier = [] if run.node == FIRST_NODE else run.state["warnings"]
    if run.warnings or run.node == FIRST_NODE:
        update["warnings"] = list(dict.fromkeys([*earlier, *run.warnings]))
    if run.meter.reached and "stopped_by" not in update:
        update["stopped_by"] = run.meter.reached
    return update
