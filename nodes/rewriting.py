"""Finding new queries: reading a model's proposal, and proposing without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..graph.answer import Failure, QueryRecord
from ..stores.passage import Passage
from ..stores.text import content_terms, fold, has_cjk
from .judges.rarity import rarity
from .names import leads_from, left_open
from .synonyms import reworded

MOST_QUERIES = 4
LONGEST_QUERY = 300
"""Characters; a rewriter that talks on has not written a query."""
HOPS = 3
"""Passages whose names are followed in one round."""

_JOINS = re.compile(
    r",?\s+(?:and|or|versus|vs\.?|as well as|than|while|compared (?:to|with))\s+|[;；]|"
    r"以及|和|与|还是|还有|或者|，"
)
_BROAD = re.compile(
    r"\b(?:what (?:did|does|do|was|were|is|are) .{0,60}\b(?:think|thought|say|feel|discuss|opinion|"
    r"views?|attitude|suggest)|opinions?|views? (?:of|on)|discussions? (?:of|on|about)|in general|"
    r"advantages|pros and cons|overview)\b",
    re.IGNORECASE,
)
_BROAD_ZH = re.compile("怎么看|看法|观点|意见|讨论了|优缺点|利弊|概况|有哪些方面")
_WHOLE = re.compile(
    r"\b(?:summar\w+|overall|themes?|mood|morals?|throughout|main (?:idea|point)s?|whole (?:text|"
    r"document|book|meeting|story))\b",
    re.IGNORECASE,
)
_WHOLE_ZH = re.compile("总结|概括|主题|整体|全文|全书|中心思想|主旨")


def new_queries(
    proposed: Sequence[object], tried: Sequence[QueryRecord], question: str
) -> list[str]:
    """The proposals that are queries and were not tried before, at most four."""
    seen = {_key(record["query"]) for record in tried} | {_key(question)}
    fresh: list[str] = []
    for proposal in proposed:
        query = " ".join(str(proposal or "").split()).strip("\"'`“”‘’")[:LONGEST_QUERY]
        if _key(query) and _key(query) not in seen:
            seen.add(_key(query))
            fresh.append(query)
    return fresh[:MOST_QUERIES]


def _key(query: str) -> str:
    return " ".join(re.findall(r"\w+", fold(query)))


def kind_of_failure(question: str, kept: Sequence[Passage]) -> Failure:
    """The kind of failure without a model: the shape of the question, and whether a part was found.

    The kinds are those of Self-Route (section 5): what needs a whole text, what is broad, what has
    several parts, what needs one thing to find the next; and words that the documents do not use.
    """
    if _WHOLE.search(question) or _WHOLE_ZH.search(question):
        return "implicit"
    if _BROAD.search(question) or _BROAD_ZH.search(question):
        return "general"
    if len(parts_of(question)) > 1:
        return "complex"
    return "multi-step" if kept else "vocabulary"


def parts_of(question: str) -> list[str]:
    """The question cut at its conjunctions and comparisons; parts without a topic are left out."""
    parts = [part.strip(" ?？。.,") for part in _JOINS.split(question) if part]
    names = [part for part in parts if content_terms(part)]
    return names if all(len(content_terms(part)) >= 2 for part in names[:1]) else []


def queries_offline(
    failure: Failure, question: str, kept: Sequence[Passage], found: Sequence[Passage]
) -> list[str]:
    """New queries without a model, those that the kind of failure asks for first.

    `kept` and `found`, best first. Hops follow what was found; parts are searched each by itself;
    a broad question is widened; other words are tried where nothing was found.
    """
    best = list({passage["id"]: passage for passage in [*kept, *found]}.values())
    parts = parts_of(question)
    hops = [hop for passage in best[:HOPS] if (hop := _hop(question, passage))]
    ways = {
        "complex": [*parts[:2], *hops, *parts[2:]],
        "general": [*_widened(question, best), *hops],
        "vocabulary": [*reworded(question), *_widened(question, best), *hops],
    }
    return ways.get(failure, [*hops, *parts, *reworded(question)])


def _hop(question: str, passage: Passage) -> str:
    """What is still open, asked of the names that a passage brings in."""
    names = leads_from(question, passage)
    return f"{left_open(question, passage)} {' '.join(names)}".strip() if names else ""


def _widened(question: str, found: Sequence[Passage]) -> list[str]:
    """The bare topic words, and those words with the telling words of what was found.

    Pseudo-relevance feedback (Rocchio): a word counts by the passages it is in and its rarity.
    """
    topic = list(dict.fromkeys(_topic_words(question)))
    asked = set(content_terms(question))
    counts: Counter[str] = Counter()
    for passage in found[:HOPS]:
        counts.update({*_topic_words(f"{passage.get('title', '')}\n{passage['text']}")})
    telling = sorted(
        (word for word in counts if not set(content_terms(word)) & asked),
        key=lambda word: (-counts[word] * rarity(word), word),
    )
    glue = "" if has_cjk(question) else " "
    bare = glue.join(topic)
    return [bare, f"{bare} {' '.join(telling[:5])}"] if telling else [bare]


def _topic_words(text: str) -> list[str]:
    """Words as they stand, less those without a topic; Chinese in pairs of characters."""
    if has_cjk(text):
        return [term for term in content_terms(text) if len(term) > 1]
    return [word for word in re.findall(r"\w[\w'’-]*", text) if content_terms(word)]
