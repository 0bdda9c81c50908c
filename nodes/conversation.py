"""Reading a conversation: the newest question, and what was said before it."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ..graph.state import State
from ..stores.errors import QuestionError
from ..stores.text import clean


def newest_question(state: State) -> tuple[str, list[str]]:
    """The question in the user's words, and the lines of the conversation before it.

    The last message counts when it is the user's; else the key `question` does, and without one
    the last message that is the user's. Raises QuestionError when there is nothing to answer.
    """
    messages: Sequence[AnyMessage] = state.get("messages") or []
    given, before = state.get("question") or "", messages
    own = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if own and (not given or own[-1] == len(messages) - 1):
        given, before = str(messages[own[-1]].text), messages[: own[-1]]
    asked = clean(given).strip()
    if not asked:
        raise QuestionError("The question is empty. Ask something.")
    return asked, lines_of(before)


def lines_of(messages: Sequence[AnyMessage]) -> list[str]:
    """A conversation as lines, `user: ...` and `assistant: ...`, oldest first."""
    return [
        f"{'user' if isinstance(message, HumanMessage) else 'assistant'}: {message.text}"
        for message in messages
        if isinstance(message, HumanMessage | AIMessage) and message.text
    ]
