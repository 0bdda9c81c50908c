"""The model writer: drafts from passages or whole documents, answerable or not as a typed field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...graph import prompts
from ...stores.passage import Document, Passage
from ..context.formatting import format_context
from ..judges import panel
from ..judges.faults import TOO_LONG
from ..judges.fence import fence
from ..judges.replies import Written
from ..steps import Ask, Reply, Steps
from . import markers
from .asked import wanted
from .citing import resolve, uncited
from .draft import Draft
from .evidence import in_context
from .holds import holds
from .ranking import keep_best
from .streaming import SettledWords
from .units import units

if TYPE_CHECKING:
    from ..run import Run


VARIED = 0.7
"""Least temperature of several drafts: at 0 they would all be the same."""


def write(run: Run, question: str, passages: Sequence[Passage], feedback: str = "") -> Steps[Draft]:
    """Write `Settings.candidates` drafts at once and keep the best (see `ranking.keep_best`).

    Markers are positions in `passages`.
    """
    drafts = yield from _drafts(run, question, passages, feedback)
    draft = yield from keep_best(run, question, passages, drafts)
    for warning in draft["warnings"]:
        run.warn(warning)
    return draft


def _drafts(
    run: Run, question: str, passages: Sequence[Passage], feedback: str
) -> Steps[list[Draft]]:
    count = run.settings.candidates
    live = _filter(run, len(passages)) if count == 1 else None
    shown = list(passages)
    while True:
        replies: list[Reply] = yield Ask(
            run.node,
            "writer",
            (_prompt(run, question, shown, feedback),) * count,
            Written,
            text_field="answer",
            max_tokens=run.settings.answer_tokens,
            least_temperature=VARIED if count > 1 else 0.0,
            stream=live is not None,
        )
        if len(shown) < 2 or not all(TOO_LONG.search(reply.error) for reply in replies):
            return [draft_of(run, reply, passages, question) for reply in replies]
        shown = shown[: len(shown) // 2]
        run.warn(
            f"{run.node}: {replies[0].error}: cut to the best {len(shown)} passages. "
            "Set Settings.context_window to what the model takes."
        )


def _prompt(run: Run, question: str, passages: Sequence[Passage], feedback: str) -> str:
    return prompts.fill(
        _template(run, run.settings.generate_prompt),
        passages=format_context(passages),
        question=fence("question", question),
        feedback=feedback,
    )


def read(run: Run, question: str, documents: Sequence[Document]) -> Steps[Draft]:
    """Answer from whole documents (or the parts that fit); markers are positions among them.

    The documents stand before the question, so that a provider's prefix cache serves every
    question on the same documents.
    """
    shown = "\n".join(
        fence("document", document["text"], id=at, title=document.get("title"))
        for at, document in enumerate(documents, 1)
    )
    prompt = prompts.fill(
        _template(run, run.settings.read_whole_document_prompt),
        documents=shown,
        question=fence("question", question),
    )
    live = _filter(run, len(documents))
    replies: list[Reply] = yield Ask(
        run.node,
        "reader",
        (prompt,),
        Written,
        text_field="answer",
        max_tokens=run.settings.answer_tokens,
        stream=live is not None,
    )
    draft = draft_of(run, replies[0], [as_passage(one) for one in documents], question)
    for warning in draft["warnings"]:
        run.warn(warning)
    return draft


def as_passage(document: Document) -> Passage:
    """A whole document, or the part of one that was read, as one passage."""
    start = int((document.get("metadata") or {}).get("part_start", 0))
    passage: Passage = {
        "id": document["id"],
        "document_id": document["id"],
        "text": document["text"],
        "start": start,
        "end": start + len(document["text"]),
        "metadata": document.get("metadata") or {},
    }
    for key in ("title", "source", "version", "date"):
        if document.get(key):
            passage[key] = document[key]
    return passage


def asked_of(run: Run, question: str, passages: Sequence[Passage], *, stream: bool) -> Ask:
    """What the writer is asked for one draft, the first from these passages."""
    return Ask(
        "generate",
        "writer",
        (_prompt(run, question, passages, ""),),
        Written,
        text_field="answer",
        max_tokens=run.settings.answer_tokens,
        stream=stream,
    )


def draft_of(run: Run, reply: Reply, passages: Sequence[Passage], question: str = "") -> Draft:
    """Conclude a draft from a reply: what a model did not finish is never taken for an answer."""
    text = str(reply.fields.get("answer") or "").strip()
    answerable = bool(reply.fields.get("answerable", bool(text))) and bool(text)
    missing = said_missing(str(reply.fields.get("missing") or ""))
    if reply.finish != "stop":
        why = reply.error or f"the reply was {reply.finish}"
        run.warn(f"{run.node}: {why}")
        shown = resolve(run.said, passages, question=question)[1]  # its markers lead somewhere
        return {**not_answerable(why), "finish": reply.finish, "citations": shown}
    if not answerable and (missing or not _in_the_passages(run, text, passages, question)):
        return not_answerable(missing or text)
    text, citations, warnings = resolve(text, passages, question=question)
    if not answerable:
        warnings = [*warnings, f"{run.node}: {SAID_NO}"]
    if run.said:  # the reader has the beginning already
        text = text if text.startswith(run.said) else run.said
        run.say(text[len(run.said) :])
    return {
        "text": text,
        "answerable": True,
        "missing": missing,
        "citations": citations,
        "uncited": uncited(text, passages, citations),
        "warnings": warnings,
    }


SAID_NO = (
    "the model said that the sources do not answer, and answered all the same; the answer is kept, "
    "since every sentence of it was found in them"
)


def _in_the_passages(run: Run, text: str, passages: Sequence[Passage], question: str) -> bool:
    """Whether a text is of use and every sentence of it in the passages, by the offline judge.

    Small models put the right answer beside `answerable: false`.
    """
    said = [in_context(unit, question) for unit in units(text)]
    found = panel.supported_offline(run, said, [passages] * len(said))
    if not said or any(verdict.label != "full" for verdict in found):
        return False
    words = markers.strip(text)  # a marker's number is no figure of the answer
    if holds(wanted(question), words, question) is False:
        return False
    rating = run.judge.useful(question, words).label
    return rating.isdigit() and int(rating) >= run.settings.useful_from


_NOTHING = {"", "no", "none", "nothing", "null", "n/a", "na", "-", "无", "没有", "不缺", "无缺失"}


def said_missing(words: str) -> str:
    """What a model says is missing; empty when it says that nothing is."""
    return "" if words.strip(" .。!\"'").lower() in _NOTHING else words.strip()


def not_answerable(missing: str) -> Draft:
    """A draft that says: these sources do not answer the question."""
    return {
        "text": "",
        "answerable": False,
        "missing": missing,
        "citations": [],
        "uncited": [],
        "warnings": [],
    }


def _filter(run: Run, known: int) -> SettledWords | None:
    """What streamed words go through, or None when this draft is not streamed."""
    if not run.streams_live:
        return None
    run.on_token = live = SettledWords(known, run.say)
    return live


def _template(run: Run, template: str) -> str:
    if run.settings.only_sources:
        return template
    return template.replace(prompts.ONLY_THE_SOURCES, "")
