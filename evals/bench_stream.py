"""How soon words come, and how long an answer takes: four ways of asking the same things.

    python -m ragloop.evals.bench_stream [SECONDS A CALL] [RUNS]

Every model call takes the same time, in this process, and there are five passages. So what is
measured is the shape of each way: which calls wait for which. The shape of the public tutorials
grades one passage after the other, writes, and makes its two checks one after the other.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from ..graph import prompts
from ..graph.build import Parts, build_graph
from ..graph.events import astream
from ..graph.settings import Settings, preset
from ..stores.passage import Passage

QUESTION = "When does the Brell ferry leave?"
TEXT = "The Brell ferry leaves Tarn pier at 07:40."
PASSAGES = 5
LAYERS = 3
"""Calls one after the other that an undisturbed loop cannot do without: grade, write, check."""
_PLAINLY: dict[str, Any] = {"structured": "text"}
"""Replies are words here, as the tutorials' are."""
_GOOD = {"generate": f"{TEXT} [1]", "check_grounding": "full", "check_usefulness": "5"}
_ASKED = {prompts.DEFAULTS[node].splitlines()[0]: node for node in _GOOD}


class SlowModel(BaseChatModel):
    """Says what a content judge and a writer would say, after so many seconds."""

    seconds: float = 0.1
    calls: int = 0
    model_name: str = "slow"

    @property
    def _llm_type(self) -> str:
        return "slow"

    def _said(self, messages: list[BaseMessage]) -> str:
        self.calls += 1
        return _GOOD.get(_ASKED.get(messages[0].text.splitlines()[0], ""), "yes")

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        time.sleep(self.seconds)
        message = AIMessage(self._said(messages))
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> ChatResult:
        await asyncio.sleep(self.seconds)
        message = AIMessage(self._said(messages))
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        await asyncio.sleep(self.seconds)
        yield ChatGenerationChunk(message=AIMessageChunk(content=self._said(messages)))
        last = AIMessageChunk(content="", response_metadata={"finish_reason": "stop"})
        yield ChatGenerationChunk(message=last)


class FivePassages:
    """A source that finds five passages at once."""

    def search(self, query: str, k: int, where: Any = None) -> list[Passage]:
        """Give them."""
        texts = [TEXT, *(f"Note {at} on the Brell ferry." for at in range(1, PASSAGES))]
        return [
            {"id": f"p{at}", "document_id": f"p{at}", "text": text, "start": 0, "end": len(text)}
            for at, text in enumerate(texts)
        ]

    async def asearch(self, query: str, k: int, where: Any = None) -> list[Passage]:
        """Give them."""
        return self.search(query, k, where)


@dataclass(frozen=True)
class Timing:
    """One way: seconds to the first word and to the whole answer, and its calls."""

    name: str
    first_word: float
    total: float
    calls: int


Ask = Callable[[], Awaitable[tuple[float, float]]]
"""Asks once; gives seconds to the first word, and in all."""


def loop(settings: Settings, model: SlowModel) -> Ask:
    """Ask the loop, live."""
    parts = Parts(passages=FivePassages(), judge=model, writer=model, reader=model)
    app = build_graph(parts, settings).compile()

    async def ask() -> tuple[float, float]:
        began, first = time.perf_counter(), 0.0
        async for event in astream(app, QUESTION):
            if event["event"] == "token" and not first:
                first = time.perf_counter() - began
        return first, time.perf_counter() - began

    return ask


class _Tutorial(TypedDict, total=False):
    kept: list[str]
    answer: str


def tutorial(model: SlowModel) -> Ask:
    """Ask a graph of the shape that the public tutorials have."""

    async def grade(state: _Tutorial) -> _Tutorial:
        found = FivePassages().search(QUESTION, PASSAGES)
        kept = [p["text"] for p in found if (await model.ainvoke(p["text"])).text == "yes"]
        return {"kept": kept}

    async def write(state: _Tutorial) -> _Tutorial:
        return {"answer": (await model.ainvoke("\n".join(state["kept"]))).text}

    async def check(state: _Tutorial) -> _Tutorial:
        await model.ainvoke(f"Is it grounded? {state['answer']}")
        await model.ainvoke(f"Does it answer? {state['answer']}")
        return {"answer": state["answer"]}

    graph = StateGraph(_Tutorial)
    steps = {"grade": grade, "write": write, "check": check}
    for (name, step), before in zip(steps.items(), [START, *steps], strict=False):
        graph.add_node(name, step)
        graph.add_edge(before, name)
    graph.add_edge("check", END)
    app = graph.compile()

    async def ask() -> tuple[float, float]:
        began, first = time.perf_counter(), 0.0
        async for update in app.astream({"kept": []}, stream_mode="updates"):
            if "write" in update:
                first = time.perf_counter() - began
        return first, time.perf_counter() - began

    return ask


def ways(model: SlowModel) -> dict[str, Ask]:
    """The four ways, by name."""
    return {
        "plain": loop(preset("plain", **_PLAINLY), model),
        "loop, live": loop(preset("loop", **_PLAINLY), model),
        "loop, speculating": loop(preset("loop", speculate=True, **_PLAINLY), model),
        "shape of the tutorials": tutorial(model),
    }


async def measure(seconds: float = 0.1, runs: int = 5) -> list[Timing]:
    """Time each way; the fastest of some runs, since only delays are added by a busy machine."""
    timings = []
    model = SlowModel(seconds=seconds)
    for name, ask in ways(model).items():
        await ask()  # finds out how the model takes a shape
        before = model.calls
        times = [await ask() for _ in range(runs)]
        calls = (model.calls - before) // runs
        timings.append(Timing(name, min(t[0] for t in times), min(t[1] for t in times), calls))
    return timings


def table(timings: list[Timing], seconds: float) -> str:
    """The timings side by side; ratios are to the shape of the tutorials, which is last."""
    theirs = timings[-1]
    lines = [
        f"{seconds:g} s a call, {PASSAGES} passages; in brackets: times faster than the tutorials",
        f"{'':24}{'first word':>18}{'whole answer':>18}{'calls':>7}",
    ]
    for one in timings:
        first = f"{one.first_word:.3f} s ({theirs.first_word / one.first_word:.1f})"
        total = f"{one.total:.3f} s ({theirs.total / one.total:.1f})"
        lines.append(f"{one.name:24}{first:>18}{total:>18}{one.calls:>7}")
    live = next(one for one in timings if one.name == "loop, live")
    path = live.total / (LAYERS * seconds)
    lines.append(f"The loop takes {path:.2f} times its own critical path of {LAYERS} calls.")
    return "\n".join(lines)


if __name__ == "__main__":
    a_call = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    sys.stdout.write(table(asyncio.run(measure(a_call, times)), a_call) + "\n")
