"""Finding new queries: reading a model's proposal, and proposing without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..graph.state import Failure, QueryRecord
from ..stores.passage import Passage
from ..stores.text import content_terms, fold, has_cjk

MOST_QUERIES = 3
LONGEST_QUERY = 300
"""Characters; a rewriter that talks on has not written a query."""

_JOINS = re.compile(
    r",?\s+(?:and|or|versus|vs\.?|as well as|compared (?:to|with))\s+|[;；]|以及|和|与|还有|，"
)
_NAME = re.compile(r"\b[A-Z][\w'’-]+(?:\s+(?:of|the|de|la|von|van)?\s*[A-Z][\w'’-]+)*")


def new_queries(
    proposed: Sequence[object], tried: Sequence[QueryRecord], question: str
) -> list[str]:
    """The proposals that are queries and were not tried before, at most three."""
    seen = {_key(record["query"]) for record in tried} | {_key(question)}
    fresh: list[str] = []
    for proposal in proposed:
        query = " ".join(str(proposal or "").split()).strip("\"'`“”‘’")[:LONGEST_QUERY]
        if query and _key(query) not in seen:
            seen.add(_key(query))
            fresh.append(query)
    return fresh[:MOST_QUERIES]


def _key(query: str) -> str:
    return " ".join(re.findall(r"\w+", fold(query)))


def kind_of_failure(question: str, found: Sequence[Passage]) -> Failure:
    """A first guess without a model, from the shape of the question."""
    if re.search(r"\b(?:summar|overall|theme|mood|moral|in general)", question, re.I) or re.search(
        "总结|概括|主题|整体|全文", question
    ):
        return "implicit"
    if len(parts_of(question)) > 1:
        return "complex"
    return "multi-step" if len(content_terms(question)) > 6 else "vocabulary"


def parts_of(question: str) -> list[str]:
    """The question cut at its conjunctions; parts without a topic of their own are left out."""
    parts = [part.strip(" ?？。.") for part in _JOINS.split(question) if part]
    return [part for part in parts if len(content_terms(part)) >= 2]


def queries_offline(question: str, passages: Sequence[Passage]) -> list[str]:
    """New queries without a model: the names in what was found, then the question's parts.

    Pseudo-relevance feedback: what the best passages are about is often what the next hop asks
    for, so each of their titles and names that the question lacks is searched with the question.
    """
    queries = [f"{question} {name}" for name in new_names(question, passages)[:2]]
    parts = parts_of(question)
    return queries + (parts if len(parts) > 1 else [])


def new_names(question: str, passages: Sequence[Passage]) -> list[str]:
    """Titles and names of the best two passages that the question does not hold."""
    asked = set(content_terms(question))
    names: list[str] = []
    for passage in passages[:2]:
        text = passage["text"]
        here = [passage.get("title", ""), *([] if has_cjk(text) else _NAME.findall(text))]
        names += [n for n in here if n and not set(content_terms(n)) <= asked and n not in names]
    return names
