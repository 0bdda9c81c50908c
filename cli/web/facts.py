"""What the page shows of a step: facts and verdicts, which it puts into words of two languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...nodes.writers import markers
from ...nodes.writers.draft import Citation
from ...stores.passage import Passage

Update = Mapping[str, Any]
"""What a node wrote into the state."""


class Path:
    """The way of one run through the graph: each step with the reason on the arrow to it."""

    def __init__(self, arrows: Mapping[tuple[str, str], str]) -> None:
        self._arrows = arrows
        self._steps: list[str] = []
        self._titles: dict[str, str] = {}

    def step(self, node: str, update: Update) -> dict[str, Any]:
        """Give the page's event for a step."""
        came_from = [past for past in reversed(self._steps) if (past, node) in self._arrows]
        self._steps.append(node)
        if "found" in update:
            self._titles = {passage["id"]: _title(passage) for passage in update["found"]}
        cost = update.get("spent", {}).get("by_node", {}).get(node, {})
        return {
            "event": "step",
            "node": node,
            "reason": self._arrows[came_from[0], node] if came_from else "",
            "facts": facts(node, update),
            "verdicts": self._verdicts(node, update),
            "calls": cost.get("calls", 0),
            "tokens": cost.get("input_tokens", 0) + cost.get("output_tokens", 0),
            "seconds": cost.get("seconds", 0.0),
        }

    def _verdicts(self, node: str, update: Update) -> list[dict[str, str]]:
        if node == "grade_passages" and "grades" in update:
            graded = {grade["passage_id"]: grade for grade in update["grades"]}
            return [
                _verdict(graded[at]["label"], title, graded[at]["why"])
                for at, title in self._titles.items()
                if at in graded
            ]
        sentences = update.get("grounding", []) if node == "check_grounding" else []
        return [_verdict(one["verdict"], one["sentence"], one.get("why", "")) for one in sentences]


def _title(passage: Passage) -> str:
    return passage.get("section") or passage.get("title") or passage["document_id"]


def _verdict(label: str, text: str, why: str) -> dict[str, str]:
    return {"label": label, "text": text, "why": why}


def facts(node: str, update: Update) -> dict[str, Any]:
    """What a step found out, as numbers and texts."""
    told = _OF_NODE[node](update) if node in _OF_NODE else {}
    if (stopped := update.get("stopped_by", "done")) != "done":
        told["stopped_by"] = stopped
    return told


def _decision(update: Update) -> dict[str, Any]:
    decision = update.get("decision", {})
    return {"why": decision.get("reason") or decision.get("rule", "")}


def _search(update: Update) -> dict[str, Any]:
    queries = update.get("queries", [])
    now = max((query["round"] for query in queries), default=0)
    asked = [query["query"] for query in queries if query["round"] == now]
    return {"queries": asked, "passages": len(update.get("found", []))}


def _grades(update: Update) -> dict[str, Any]:
    return {name: update[key] for name, key in _GRADED if key in update}


def _rewrite(update: Update) -> dict[str, Any]:
    return {"queries": update.get("searching", []), "failure": update.get("failure", "")}


def _selection(update: Update) -> dict[str, Any]:
    tokens = update.get("selection", {}).get("tokens", 0)
    return {"passages": len(update.get("context", [])), "context_tokens": tokens}


def _draft(update: Update) -> dict[str, Any]:
    draft = update.get("draft")
    if not draft:
        return {}
    cited = len(draft["citations"])
    return {"answerable": draft["answerable"], "citations": cited, "why": draft["missing"]}


def _rating(update: Update) -> dict[str, Any]:
    return {"rating": update.get("usefulness", {}).get("rating", 0)}


def _weight(update: Update) -> dict[str, Any]:
    return {"fault": update["fault"]} if "fault" in update else {}


def _outcome(update: Update) -> dict[str, Any]:
    return {"outcome": update["answer"]["outcome"]}


_GRADED = (("relevance", "relevance"), ("why", "why_not"))
_OF_NODE: dict[str, Callable[[Update], dict[str, Any]]] = {
    "decide_retrieval": _decision,
    "retrieve": _search,
    "search_elsewhere": _search,
    "grade_passages": _grades,
    "rewrite_query": _rewrite,
    "select_context": _selection,
    "answer_directly": _draft,
    "generate": _draft,
    "read_whole_document": _draft,
    "check_usefulness": _rating,
    "weigh_draft": _weight,
    "finish": _outcome,
}


def arrows(graph: Any) -> dict[tuple[str, str], str]:
    """The arrows of a compiled graph with the reasons on them."""
    return {(edge.source, edge.target): edge.data or "" for edge in graph.get_graph().edges}


def pieces(text: str, citations: Sequence[Citation]) -> list[str | dict[str, Any]]:
    """A text cut at its markers: strings, and `{"marker": "[1]", "numbers": [1]}`."""
    known = {citation["marker"] for citation in citations}
    cut: list[str | dict[str, Any]] = []
    at = 0
    for marker in markers.find(text):
        if numbers := [number for number in marker.numbers if number in known]:
            shown = text[marker.start : marker.end]
            cut += [text[at : marker.start], {"marker": shown, "numbers": numbers}]
            at = marker.end
    return [piece for piece in [*cut, text[at:]] if piece]


def shown_parts(
    shown: Iterable[tuple[str, str]], citations: Sequence[Citation]
) -> list[dict[str, Any]]:
    """What the reader has seen, by kind, cut at the markers."""
    joined: list[tuple[str, str]] = []
    for kind, text in shown:
        if joined and joined[-1][0] == kind == "token":
            joined[-1] = (kind, joined[-1][1] + text)
        else:
            joined.append((kind, text))
    return [{"kind": kind, "pieces": pieces(text, citations)} for kind, text in joined]
