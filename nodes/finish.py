"""Hand over the answer: the best draft, what became of its weak sentences, and the account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage

from ..graph.answer import Answer, Outcome, TokenRatio, WeighedDraft
from ..graph.limits import why_stopped
from ..graph.state import State
from .ahead import cost_of
from .run import Run
from .steps import Read, Steps
from .whole import wanted
from .writers.citing import standing
from .writers.conflicts import Conflict, note
from .writers.refusals import because, open_part
from .writers.repair import apply_policy, removed
from .writers.streaming import renumbered

NOTHING: Answer = {
    "citations": [],
    "uncited": [],
    "grounding": [],
    "usefulness": 0,
    "corrections": [],
    "conflicts": [],
    "missing": "",
    "refused_because": "",
}
"""What an answer without a draft has; every answer has every key."""


def finish(state: State, run: Run) -> Steps[State]:
    """Conclude the answer from the state. The best draft counts, not the last one."""
    ratio = yield from token_ratio(state, run)
    best = state["best_draft"]
    if not state["decision"].get("needs_sources", True):
        answer = without_sources(state)
    elif best and (not best["fault"] or best["support"] > 0 or best["fault"] == "unchecked"):
        answer = from_draft(state, best, run)
    else:
        answer = refused(state)
    answer = {**NOTHING, **answer, **account(state, run)}
    if run.settings.stream != "off":
        show(answer, state, run)
    answer["token_ratio"] = ratio
    answer["warnings"] = [*state["warnings"], *run.warnings]
    return {
        "answer": answer,
        "stopped_by": answer["stopped_by"],
        "messages": conversation(state, answer["text"], run),
        "where": {},  # a filter and flags are of one question, not of the thread
        "flags": [],
    }


def without_sources(state: State) -> Answer:
    """A reply that needed no source."""
    draft = state["draft"]
    outcome: Outcome = "direct" if draft["answerable"] else "refused"
    return {
        "text": draft["text"] or draft["missing"],
        "outcome": outcome,
        "route": "direct",
        "refused_because": "" if draft["answerable"] else because(draft),
    }


def from_draft(state: State, best: WeighedDraft, run: Run) -> Answer:
    """The draft, with its unsupported sentences removed or marked, as the settings say."""
    verdicts = [said["verdict"] for said in best["grounding"]]
    text, corrections = apply_policy(
        best["text"], verdicts, run.settings.unsupported, state["question"]
    )
    if not text:
        return refused(state)
    whole = not corrections and best["fault"] in ("", "another language")
    gone = removed(best["text"], verdicts, run.settings.unsupported)
    used = standing(best["text"], gone, best["citations"])
    conflicts: list[Conflict] = []
    if best["text"] == state["draft"]["text"] and best["route"] == "passages":
        known = state["selection"].get("conflicts", [])
        asked, context = state["question"], state["context"]
        text, used, conflicts = note(text, used, context, asked, known)
    if missing := _open(state):
        text = f"{text}\n\n{open_part(missing, state['question'])}"
    return {
        "text": text,
        "conflicts": [{**conflict} for conflict in conflicts],
        "outcome": "answered" if whole and not best["missing"] else "partial",
        "route": best["route"],
        "citations": used,
        "uncited": best["uncited"],
        "grounding": best["grounding"],
        "usefulness": best["usefulness"],
        "corrections": corrections,
        "missing": best["missing"] or ("" if whole else state["why_not"]),
    }


def _open(state: State) -> str:
    """What the best draft says is missing, unless its text says so."""
    best = state["best_draft"]
    return "" if best["missing"] in best["text"] else best["missing"]


def refused(state: State) -> Answer:
    """No draft is fit to be shown."""
    draft = state["draft"]
    return {
        "text": draft["text"] if not draft["answerable"] else "",
        "outcome": "refused",
        "route": "whole_document" if state["whole"] else "passages",
        "missing": draft["missing"] or state["why_not"],
        "refused_because": because(
            draft, stopped_by=state["stopped_by"], drafted=bool(state["best_draft"])
        ),
    }


def show(answer: Answer, state: State, run: Run) -> None:
    """Stream what the reader has not seen; the answer's text becomes what was shown, and all of it.

    Nothing shown is taken back: a better draft follows as a supplement, what was wrong as a
    correction.
    """
    shown = state["shown"]
    if not shown or answer["text"].startswith(shown):
        if rest := answer["text"][len(shown) :]:
            run.say(rest)
        return
    cited = state["shown_citations"]
    if answer["outcome"] == "refused":
        run.say(f"\n\n{answer['text']}", "correction")
    elif state["best_draft"]["text"] == shown:  # what was shown is the best there is, but weak
        open_ones = [open_part(missing, state["question"])] if (missing := _open(state)) else []
        for words in [*answer["corrections"], *open_ones]:
            run.say(f"\n\n{words}", "correction")
        answer["citations"] = []  # those of what was shown, which stay, are all there are
    else:
        offset = max((citation["marker"] for citation in cited), default=0)
        more, own = renumbered(answer["text"], answer["citations"], offset)
        answer["citations"] = own
        run.say(f"\n\n{more}", "supplement")
    answer["citations"] = [*cited, *answer["citations"]]
    answer["text"] = shown + run.said


def account(state: State, run: Run) -> Answer:
    """What was done, and why: the same for every outcome."""
    sources = [p.get("source") or p.get("title") or p["document_id"] for p in state["context"]]
    return {
        "question": state["question"],
        "sources": list(dict.fromkeys(sources)),
        "stopped_by": why_stopped(state, run.settings),
        "rounds": state["rounds"],
        "queries": state["queries"],
        "grades": state["grades"],
        "decision": state["decision"],
        "tier": state["tier"],
        "selection": state["selection"],
        "spent": {**state["spent"]},
        "ahead": cost_of(state["ahead"]),
        "over_window": bool(state["whole"].get("over_window")),
    }


def token_ratio(state: State, run: Run) -> Steps[TokenRatio]:
    """Tokens read relative to reading the whole documents: predicted l/L + (1 - a), and actual.

    l are the tokens of the selected context, L those of the documents read whole, or of the best
    passage's document when none was, and a is 1 for an answer from passages, so that the mean over
    many answers is the paper's formula (Self-Route, section 3.1). The actual ratio counts what
    models read, prompts and every draft included; without a model, the texts. None when no
    document can be read.
    """
    read_whole, passages = state["whole"].get("tokens", 0), state["selection"].get("tokens", 0)
    whole = 0 if state["whole"].get("over_window") else read_whole
    if not whole and run.engine.documents is not None and (passages or read_whole):
        documents = yield Read(wanted(state, run.settings)[:1])
        whole = sum(run.count_tokens(document["text"]) for document in documents)
    if not whole:
        return {"predicted": None, "actual": None}
    spent = state["spent"]["by_node"]
    read = sum(spent[n]["input_tokens"] for n in ("generate", "read_whole_document") if n in spent)
    return {
        "predicted": round(passages / whole + bool(read_whole), 4),
        "actual": round((read or passages + read_whole) / whole, 4),
    }


def conversation(state: State, text: str, run: Run) -> list[Any]:
    """The turn as messages, so that a follow-up can be understood; old ones are let go."""
    messages: Sequence[AnyMessage] = state.get("messages") or []
    new: list[AnyMessage | RemoveMessage] = []
    if not messages or not isinstance(messages[-1], HumanMessage):
        new.append(HumanMessage(state["asked"]))
    new.append(AIMessage(text))
    too_many = len(messages) + len(new) - max(2, run.settings.history_messages)
    gone = [RemoveMessage(id=m.id) for m in messages[: max(0, too_many)] if m.id]
    return [*gone, *new]
