"""A person in the loop: what a question means, and whether a dear step may be taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..stores.passage import Document
from .followups import leans_on_history
from .run import Run
from .steps import AskPerson, Steps
from .writers.language import say, spoken

_YES = {
    "yes",
    "y",
    "ok",
    "okay",
    "true",
    "approve",
    "approved",
    "是",
    "是的",
    "好",
    "好的",
    "可以",
    "同意",
}


def clarified(run: Run, asked: str, history: Sequence[str]) -> Steps[str]:
    """The question, with what a person says it refers to where it refers to nothing said before.

    A reply that is a question of its own replaces it.
    """
    if not run.settings.ask_when_ambiguous or history or not leans_on_history(asked):
        return asked
    message = say("clarify", spoken(asked), question=asked)
    said: Any = yield AskPerson("clarify", message, {"question": asked})
    reply = _text(said)
    if not reply:
        run.warn(f"{run.node}: nobody said what the question refers to.")
        return asked
    return reply if reply.endswith(("?", "\uff1f")) else f"{asked} ({reply})"


def approved(run: Run, question: str, documents: Sequence[Document], tokens: int) -> Steps[bool]:
    """Whether a model may read these whole documents; only a yes is one."""
    most = run.settings.approve_above_tokens
    if most is None or tokens <= most:
        return True
    message = say("approve", spoken(question), count=len(documents), tokens=tokens)
    ids = [document["id"] for document in documents]
    reply = yield AskPerson("approve", message, {"documents": ids, "tokens": tokens})
    if reply is None:
        run.warn(f"{run.node}: nobody could be asked to approve {tokens} tokens; not read.")
    return reply is True or _text(reply).strip(" .!\u3002\uff01").lower() in _YES


def _text(reply: Any) -> str:
    return reply.strip() if isinstance(reply, str) else ""
