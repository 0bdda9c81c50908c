"""Grade what was found: each passage alone, then the search as a whole (CRAG, section 4.3)."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.settings import Settings
from ..graph.state import Grade, QueryRecord, Relevance, State
from ..stores.passage import Passage
from .judges import panel
from .judges.verdict import Verdict
from .run import Run
from .steps import Steps


def grade_passages(state: State, run: Run) -> Steps[State]:
    """Keep the passages that help, and say whether they suffice, and if not, why."""
    found = state["found"]
    verdicts = yield from panel.relevant(run, state["question"], found)
    relevance = verdict_on_search(verdicts, run.settings)
    kept = merged(state["kept"], relevant_ones(found, verdicts, relevance, run.settings))
    why_not = why_not_enough(relevance, found, verdicts)
    if relevance == "correct" and (run.settings.judge_sufficiency or not run.has_model("judge")):
        enough = yield from panel.suffices(run, state["question"], kept)
        if enough.label == "no":
            relevance = "ambiguous"
            why_not = f"missing: {'; '.join(enough.missing) or enough.why or 'a part'}"
    return {
        "relevance": relevance,
        "kept": kept,
        "grades": [*state["grades"], *grades_of(found, verdicts)],
        "queries": with_verdict(state["queries"], relevance),
        "why_not": why_not,
    }


def verdict_on_search(verdicts: Sequence[Verdict], settings: Settings) -> Relevance:
    """Any passage clearly good: correct. All clearly bad: incorrect. Else ambiguous.

    A verdict that could not be read never proves the search wrong.
    """
    scores = [strength(verdict) for verdict in verdicts]
    if any(score is not None and score >= settings.relevance_upper for score in scores):
        return "correct"
    if all(score is not None and score < settings.relevance_lower for score in scores):
        return "incorrect"
    return "ambiguous"


def strength(verdict: Verdict) -> float | None:
    """The soft score where there is one, else 1 for yes and 0 for no; None when unclear."""
    if verdict.unclear:
        return None
    if verdict.score is not None:
        return verdict.score
    return 1.0 if verdict.label == "yes" else 0.0


def relevant_ones(
    found: Sequence[Passage],
    verdicts: Sequence[Verdict],
    relevance: Relevance,
    settings: Settings,
) -> list[Passage]:
    """The passages to use, best first. Nothing is kept of a search that was wrong.

    When nothing is clearly good, what is neither good nor bad is all there is.
    """
    if relevance == "incorrect":
        return []
    floor = settings.relevance_upper if relevance == "correct" else settings.relevance_lower
    scored = [
        (score, at)
        for at, verdict in enumerate(verdicts)
        if (score := strength(verdict)) is not None and score >= floor
    ]
    if not scored:
        return [p for p, verdict in zip(found, verdicts, strict=True) if verdict.unclear]
    soft = any(verdict.score is not None for verdict in verdicts)
    order = sorted(scored, key=lambda pair: (-pair[0], pair[1])) if soft else scored
    return [found[at] for _, at in order]


def merged(earlier: Sequence[Passage], new: Sequence[Passage]) -> list[Passage]:
    """What earlier rounds kept and what this one adds, each passage once."""
    known = {passage["id"] for passage in earlier}
    return [*earlier, *(passage for passage in new if passage["id"] not in known)]


def grades_of(found: Sequence[Passage], verdicts: Sequence[Verdict]) -> list[Grade]:
    """The verdicts as the answer shows them."""
    return [
        {
            "passage_id": passage["id"],
            "label": verdict.label,
            "score": verdict.score,
            "how": verdict.how,
            "why": verdict.why,
        }
        for passage, verdict in zip(found, verdicts, strict=True)
    ]


def with_verdict(queries: Sequence[QueryRecord], relevance: Relevance) -> list[QueryRecord]:
    """Note the verdict on the queries that it is about: those not graded yet."""
    return [
        {**record, "verdict": relevance} if record["verdict"] == "not graded" else record
        for record in queries
    ]


def why_not_enough(
    relevance: Relevance, found: Sequence[Passage], verdicts: Sequence[Verdict]
) -> str:
    """In words, for the rewriter and the reader: why the search does not suffice."""
    if relevance == "correct":
        return ""
    if not found:
        return "nothing was found"
    if relevance == "ambiguous":
        return "no passage clearly answers the question"
    return f"none of the {len(verdicts)} passages found helps to answer the question"
