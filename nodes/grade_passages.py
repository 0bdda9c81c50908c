"""Grade what was found: each passage alone, then the search as a whole (CRAG, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..graph.answer import Grade, QueryRecord, Relevance
from ..graph.settings import Settings
from ..graph.state import State
from ..stores.passage import Passage, scored
from . import ahead
from .hops import LEADS_ON, NEAR, STEP, Worth, one_holds_it, worths
from .judges import panel
from .judges.verdict import Verdict
from .run import Run
from .steps import Steps


def grade_passages(state: State, run: Run) -> Steps[State]:
    """Keep the passages that help, and say whether they suffice, and if not, why."""
    question, found = state["question"], state["found"]
    guess = yield from ahead.start(state, run)
    verdicts = yield from panel.relevant(run, question, found)
    grades = [*state["grades"], *grades_of(found, verdicts)]
    worth = worths(question, merged(state["kept"], found), scores_of(grades))
    if not run.has_model("judge"):
        verdicts = with_leads(question, found, verdicts, worth, run.settings)
    relevance = verdict_on_search(verdicts, run.settings)
    if not found and state["kept"]:
        relevance = "ambiguous"  # a round that adds nothing does not make the others wrong
    kept = merged(state["kept"], relevant_ones(found, verdicts, relevance, run.settings))
    why_not = why_not_enough(relevance, found, verdicts)
    if relevance == "correct" and (lacking := (yield from what_lacks(question, kept, run))):
        relevance, why_not = "ambiguous", lacking
    if run.engine.parts.reranker is None:
        kept = by_worth(kept, worth)
    update: State = {
        "relevance": relevance,
        "kept": kept,
        "grades": [*state["grades"], *grades_of(found, verdicts)],
        "queries": with_verdict(state["queries"], relevance),
        "why_not": why_not,
    }
    if guess is not None:
        update["ahead"] = yield from ahead.settle(guess, update, run, state["question"])
        if run.said:
            update["shown_citations"] = update["ahead"]["draft"]["citations"]
    return update


def what_lacks(question: str, kept: Sequence[Passage], run: Run) -> Steps[str]:
    """What the kept passages lack, in words; empty when they suffice, or when nobody asks.

    Without a model it costs nothing, so it is always asked; and where no single passage holds what
    the question is about, one passage that helps is not taken for the whole evidence.
    """
    if not run.settings.judge_sufficiency and run.has_model("judge"):
        return ""
    enough = yield from panel.suffices(run, question, kept)
    if enough.label == "no":
        return f"missing: {'; '.join(enough.missing) or enough.why or 'a part'}"
    if not run.has_model("judge") and not one_holds_it(question, kept):
        return "no single passage holds all that is asked about"
    return ""


def with_leads(
    question: str,
    found: Sequence[Passage],
    verdicts: Sequence[Verdict],
    worth: Mapping[str, Worth],
    settings: Settings,
) -> list[Verdict]:
    """Let in what does not resemble the question, but may be a step towards its answer.

    Only where no single passage holds what is asked about, and another search was not plainly
    wrong: what the question or a good passage names, and what is near to the floor. It counts as
    doubtful, so it never makes a search correct.
    """
    least = settings.relevance_lower
    if one_holds_it(question, found) or verdict_on_search(verdicts, settings) == "incorrect":
        near = least
    else:
        near = least * NEAR
    return [
        replace(verdict, score=least, why=f"a step towards the answer; {verdict.why}")
        if (_is_step(worth[passage["id"]]) or (verdict.score or 0.0) >= near)
        and (verdict.score or 0.0) < least
        else verdict
        for passage, verdict in zip(found, verdicts, strict=True)
    ]


def _is_step(worth: Worth) -> bool:
    return worth.lead >= LEADS_ON or worth.total >= STEP


def by_worth(kept: Sequence[Passage], worth: Mapping[str, Worth]) -> list[Passage]:
    """The kept passages of all rounds on one scale, best first.

    Scores of different searches cannot be compared, so worth takes their place; a reranker's can,
    and stay.
    """
    scored_now = [scored(p, round(worth[p["id"]].total, 6), "rerank") for p in kept]
    return sorted(scored_now, key=lambda passage: (-passage["score"], passage["id"]))


def scores_of(grades: Sequence[Grade]) -> dict[str, float]:
    """Grades as numbers by passage id, the newest counting."""
    worth = {"yes": 1.0, "no": 0.0}
    return {
        grade["passage_id"]: worth.get(grade["label"], 0.5)
        if grade["score"] is None
        else grade["score"]
        for grade in grades
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

    What could not be judged is kept only when nothing else is left.
    """
    if relevance == "incorrect":
        return []
    sure = [
        (score, at)
        for at, verdict in enumerate(verdicts)
        if (score := strength(verdict)) is not None and score >= settings.relevance_lower
    ]
    if not sure:
        return [p for p, verdict in zip(found, verdicts, strict=True) if verdict.unclear]
    soft = any(verdict.score is not None for verdict in verdicts)
    order = sorted(sure, key=lambda pair: (-pair[0], pair[1])) if soft else sure
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
