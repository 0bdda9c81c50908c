"""What the nodes share. All of it is JSON: strings, numbers, booleans, lists and objects.

`Question` is what a caller puts in, `State` what the nodes share; what comes out is in answer.py.
Each key of the state has one owner, named below; `restate_question` sets every key anew for each
question.
"""

from __future__ import annotations

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from ..nodes.writers.draft import Citation, Draft, Grounding, Usefulness
from ..stores.passage import Passage
from .answer import (
    Ahead,
    Answer,
    Decision,
    Grade,
    QueryRecord,
    Relevance,
    SelectionRecord,
    Spent,
    StoppedBy,
    Tier,
    WeighedDraft,
    WholeDocument,
    add_spent,
)


class Question(TypedDict, total=False):
    """What a caller puts in: a question, or messages whose last human one is the question."""

    question: str
    messages: Annotated[list[AnyMessage], add_messages]
    where: dict[str, Any]
    """Metadata filter for this question, on top of `Settings.where`."""
    flags: list[str]
    """What the caller knows of the request: "valued", "negative_feedback", ..."""


class State(Question, total=False):
    """What the nodes share while one question is answered. In brackets: the owner."""

    asked: str
    """The question in the user's own words [restate_question]."""
    last_step: int
    """The last step that LangGraph's recursion_limit allows this question [restate_question]."""
    remedies: list[str]
    """Remedies that the parts allow, in the order of the settings [restate_question]."""
    costs_calls: bool
    """True when a model takes part, so that a round costs calls [restate_question]."""
    max_rounds: int
    """Rewrites allowed; part of the state, so that it can be seen and raised [restate_question]."""
    tier: Tier
    """[restate_question; rewrite_query, when the question turns out to be hard]"""
    decision: Decision
    """[decide_retrieval]"""
    query: str
    """What is searched for now, the first of `searching` [restate_question, rewrite_query]."""
    searching: list[str]
    """All queries of this round [restate_question, rewrite_query]."""
    rounds: int
    """Rewrites done so far [rewrite_query]."""
    failure: str
    """The kind of the last failure [rewrite_query]."""
    found: list[Passage]
    """What the last search brought, best first [retrieve, search_elsewhere]."""
    queries: list[QueryRecord]
    """Every query so far [retrieve, search_elsewhere; grade_passages adds the verdict]."""
    stalled: bool
    """True when the last rewrite or search brought nothing new [rewrite_query, retrieve]."""
    asked_elsewhere: bool
    """[search_elsewhere]"""
    grades: list[Grade]
    """Verdicts on all passages graded so far [grade_passages]."""
    kept: list[Passage]
    """Passages that are used, from all rounds, best first [grade_passages; retrieve, ungraded]."""
    relevance: Relevance
    """The verdict on the last search [grade_passages]."""
    ahead: Ahead
    """The draft that was written while grading; empty when none was [grade_passages]."""
    why_not: str
    """Why the evidence does not suffice, in words [whoever finds that it does not]."""
    context: list[Passage]
    """The selected passages, as they go into the prompt [select_context, read_whole_document]."""
    selection: SelectionRecord
    """[select_context]"""
    whole: WholeDocument
    """[read_whole_document]"""
    draft: Draft
    """The newest draft [generate, read_whole_document, answer_directly]."""
    drafts: int
    """Drafts written from the present context [generate, select_context]."""
    drafted_from: list[str]
    """Ids of the kept passages that the present context was chosen from [select_context]."""
    grounding: list[Grounding]
    """[check_grounding]"""
    usefulness: Usefulness
    """[check_usefulness]"""
    best_draft: WeighedDraft
    """The best by support, then usefulness [weigh_draft]."""
    fault: str
    """What is wrong with the newest draft; empty when it is good [weigh_draft]."""
    shown: str
    """What was streamed to the reader so far; never taken back [whoever streams]."""
    shown_citations: list[Citation]
    """Citations of the draft that was streamed [generate, read_whole_document]."""
    spent: Annotated[Spent, add_spent]
    """[every node that asks]"""
    stopped_by: StoppedBy
    """[finish, refuse; a node that hits a limit]"""
    warnings: list[str]
    """[every node but check_usefulness, which runs beside another and says it in `usefulness`]"""
    answer: Answer
    """[finish]"""


class Output(TypedDict, total=False):
    """What `invoke` gives back."""

    answer: Answer
    messages: Annotated[list[AnyMessage], add_messages]
