"""How well one compiled graph serves many questions at once: `python -m ragloop.evals.bench_graph`.

A model in this process takes 0.2 s a call, so a run's time is its three layers of calls. With 200
runs at once on one event loop the best possible ratio to one run's time is 1; above it is what the
graph's own work takes, on one core.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from ..graph.build import Parts, build_graph
from ..graph.settings import preset
from ..stores.memory import MemoryStore

QUESTION = "How deep is the well at Orsa?"
NOTES = (
    "The well at Orsa is 31 metres deep.",
    "The Dunn mill grinds rye on weekdays only.",
    "The Rask kiln cools for two days.",
)


class SlowModel(BaseChatModel):
    """Says yes to everything, after `seconds`."""

    seconds: float

    @property
    def _llm_type(self) -> str:
        return "slow"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        time.sleep(self.seconds)
        return _said(messages)

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return _said(messages)


def _said(messages: list[BaseMessage]) -> ChatResult:
    """A contented reply to any prompt of the loop."""
    prompt = messages[-1].text
    word = "5" if "5, 4, 3, 2 or 1" in prompt else "full" if "full, partial" in prompt else "yes"
    answer = "The well at Orsa is 31 metres deep. [1]"
    text = word if "one word" in prompt else answer
    return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


async def measure(runs: int, seconds: float) -> tuple[float, float]:
    """Seconds of one run, and of `runs` at once, on one graph that has been used before."""
    store = MemoryStore()
    store.add_documents([{"id": f"note{at}", "text": text} for at, text in enumerate(NOTES)])
    model = SlowModel(seconds=seconds)
    parts = Parts(passages=store, judge=model, writer=model, reader=model)
    app = build_graph(parts, preset("loop", structured="text")).compile()

    async def ask() -> str:
        answer = (await app.ainvoke({"question": QUESTION}))["answer"]
        return str(answer["outcome"])

    await ask()
    began = time.perf_counter()
    await ask()
    one = time.perf_counter() - began
    began = time.perf_counter()
    outcomes = await asyncio.gather(*(ask() for _ in range(runs)))
    many = time.perf_counter() - began
    assert set(outcomes) == {"answered"}, outcomes
    return one, many


def main() -> None:
    """Print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each model call")
    given = parser.parse_args()
    one, many = asyncio.run(measure(given.runs, given.seconds))
    sys.stdout.write(
        f"one run {one:.2f} s; {given.runs} at once {many:.2f} s; ratio {many / one:.2f}; "
        f"{1000 * (many - one) / given.runs:.1f} ms of own work a run\n"
    )


if __name__ == "__main__":
    main()
