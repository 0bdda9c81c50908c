"""A small store, a fresh state and a compiled graph, for tests of the loop."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ragloop.graph.build import Parts, build_graph
from ragloop.graph.limits import bounds
from ragloop.graph.settings import Settings, preset
from ragloop.graph.state import State
from ragloop.nodes.restate_question import fresh_state
from ragloop.nodes.run import Engine, Run
from ragloop.stores.memory import MemoryStore
from ragloop.stores.passage import Document, Passage

NOTES = {
    "tram": "The Ulm tram runs every ten minutes from six in the morning.",
    "kiln": "The Rask kiln is fired to 1240 degrees and cools for two days.",
    "well": "The well at Orsa is 31 metres deep.",
    "mill": "The Dunn mill grinds rye on weekdays only.",
}
QUESTION = "How deep is the well at Orsa?"


def store_of(texts: Mapping[str, str] | None = None) -> MemoryStore:
    """A store that holds one document a text."""
    store = MemoryStore()
    notes = NOTES if texts is None else texts
    store.add_documents([document(name, text) for name, text in notes.items()])
    return store


def document(name: str, text: str, **metadata: Any) -> Document:
    """A document that is called by its name everywhere."""
    return {"id": name, "text": text, "title": name, "source": name, "metadata": metadata}


def passage(name: str, text: str = "") -> Passage:
    """A passage that is a whole document."""
    text = text or f"Text of {name}."
    return {"id": name, "document_id": name, "text": text, "start": 0, "end": len(text)}


class OtherPassagesEachTime:
    """A source that brings two passages that nobody has seen before, at every search."""

    def __init__(self) -> None:
        self.searches: list[str] = []

    def search(self, query: str, k: int, where: Any = None) -> list[Passage]:
        self.searches.append(query)
        number = len(self.searches)
        return [passage(f"{number}a"), passage(f"{number}b")]

    async def asearch(self, query: str, k: int, where: Any = None) -> list[Passage]:
        return self.search(query, k, where)


def compiled(
    model: Any = None,
    settings: Settings | None = None,
    *,
    passages: Any = None,
    checkpointer: Any = None,
    **parts: Any,
) -> Any:
    """A graph over the four notes, with one model for every role, or none."""
    made = Parts(
        passages=store_of() if passages is None else passages,
        judge=model,
        writer=model,
        reader=model,
        **parts,
    )
    return build_graph(made, settings or Settings()).compile(checkpointer=checkpointer)


def run_of(settings: Settings | None = None, **parts: Any) -> Run:
    """What the first node gets beside the state."""
    settings = settings or Settings()
    engine = Engine(Parts(**{"passages": store_of(), **parts}), settings)
    return Run("restate_question", engine, settings, {}, lambda _: None)


def state_of(settings: Settings | None = None, **changes: Any) -> State:
    """The state as the first node leaves it, with some keys changed."""
    fresh = fresh_state(QUESTION, QUESTION, {}, run_of(settings))
    spent = {
        "calls": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "seconds": 0.0,
        "waited": 0.0,
        "by_node": {},
    }
    account = {**spent, "started": time.time(), **changes.pop("spent", {})}
    return {**fresh, "warnings": [], "spent": account, **changes}  # type: ignore[typeddict-item]


def trail(app: Any, given: Any, config: Any = None, **options: Any) -> list[str]:
    """The names of the nodes that ran, in order; two of one step are joined by `+`."""
    steps: dict[int, set[str]] = {}
    for event in app.stream(given, config, stream_mode="debug", **options):
        if event["type"] == "task":
            steps.setdefault(event["step"], set()).add(event["payload"]["name"])
    return ["+".join(sorted(names)) for _, names in sorted(steps.items())]


def within_bounds(answer: Mapping[str, Any], settings: Settings) -> bool:
    """True when a run kept to what the settings allow at most."""
    most = bounds(settings)
    spent = answer["spent"]
    return (
        spent["calls"] <= most.calls
        and spent["input_tokens"] + spent["output_tokens"] <= most.tokens
        and answer["rounds"] <= most.rounds
        and searches(answer["queries"]) <= most.searches
    )


def searches(queries: Sequence[Mapping[str, Any]]) -> int:
    """Searches that were made; the queries of one round are one search."""
    return len({(query["round"], query["where"]) for query in queries})


def offline(**changes: Any) -> Settings:
    """The loop as it ships, with some settings changed."""
    return preset("loop", **changes)
