"""A run told as a story: each step, why it came to what it did, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .output import counted

Update = Mapping[str, Any]
"""What a node wrote into the state."""


def tell(node: str, update: Update) -> str:
    """Say in one line what a step did, for what reason, and at what cost."""
    told = " ".join(_TELLERS[node](update).split()) if node in _TELLERS else ""
    stopped = update.get("stopped_by")
    limit = f"stopped by {stopped}" if stopped and stopped != "done" else ""
    parts = [node, told, limit, _cost(node, update)]
    return "  ".join(part for part in parts if part)


def _cost(node: str, update: Update) -> str:
    cost = update.get("spent", {}).get("by_node", {}).get(node)
    if not cost or not (cost["calls"] or cost["seconds"]):
        return ""
    tokens = f", {cost['input_tokens']} + {cost['output_tokens']} tokens" if cost["calls"] else ""
    return f"[{counted(cost['calls'], 'call')}{tokens}, {cost['seconds']:.3f} s]"


def _restate(update: Update) -> str:
    question = update.get("question", "")
    tier = update.get("tier", {})
    changed = "" if question == update.get("asked", question) else f"reads: {question!r}; "
    return f"{changed}tier {tier.get('level')} ({tier.get('why')})"


def _decide(update: Update) -> str:
    decision = update.get("decision", {})
    verdict = "needs sources" if decision.get("needs_sources") else "needs no sources"
    return f"{verdict}: {decision.get('reason') or decision.get('rule')}"


def _search(update: Update) -> str:
    queries = update.get("queries", [])
    last = max((query.get("round", 0) for query in queries), default=0)
    asked = [query["query"] for query in queries if query.get("round", 0) == last]
    return f"{_quoted(asked)} brought {counted(len(update.get('found', [])), 'passage')}"


def _grade(update: Update) -> str:
    labels = Counter(grade["label"] for grade in update.get("grades", []))
    counts = ", ".join(f"{number} {label}" for label, number in labels.items())
    why = f": {update['why_not']}" if update.get("why_not") else ""
    return f"{counts or 'nothing'} so far; the search was {update.get('relevance')}{why}"


def _rewrite(update: Update) -> str:
    if not update.get("searching"):
        return "found no new query"
    failure = update.get("failure")
    return f"{_quoted(update['searching'])}" + (f" (failure: {failure})" if failure else "")


def _select(update: Update) -> str:
    selection = update.get("selection", {})
    dropped = Counter(item["why"] for item in selection.get("dropped", []))
    left_out = ", ".join(f"{number} {why}" for why, number in dropped.items())
    passages = counted(len(update.get("context", [])), "passage")
    chosen = f"{passages}, {counted(selection.get('tokens', 0), 'token')}"
    return f"{chosen} by {selection.get('selector')}" + (
        f"; left out: {left_out}" if dropped else ""
    )


def _draft(update: Update) -> str:
    draft = update.get("draft")
    if not draft:
        return ""
    if not draft["answerable"]:
        return f"cannot answer from this: {draft['missing'] or 'the sources do not say'}"
    citations = counted(len(draft["citations"]), "citation")
    return f"a draft of {len(draft['text'])} characters, {citations}"


def _ground(update: Update) -> str:
    verdicts = Counter(item["verdict"] for item in update.get("grounding", []))
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    return f"support of the sentences: {counts or 'not judged'}"


def _rate(update: Update) -> str:
    usefulness = update.get("usefulness", {})
    rating = usefulness.get("rating")
    return f"{rating} of 5" if rating else f"not rated: {usefulness.get('why')}"


def _weigh(update: Update) -> str:
    fault = update.get("fault")
    return f"{fault}: {update.get('why_not', '')}".rstrip(": ") if fault else "good"


def _finish(update: Update) -> str:
    return str(update.get("answer", {}).get("outcome"))


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(repr(text) for text in texts)


_TELLERS: dict[str, Callable[[Update], str]] = {
    "restate_question": _restate,
    "decide_retrieval": _decide,
    "retrieve": _search,
    "search_elsewhere": _search,
    "grade_passages": _grade,
    "rewrite_query": _rewrite,
    "select_context": _select,
    "answer_directly": _draft,
    "generate": _draft,
    "read_whole_document": _draft,
    "check_grounding": _ground,
    "check_usefulness": _rate,
    "weigh_draft": _weigh,
    "finish": _finish,
}
