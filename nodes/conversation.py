"""Reading a conversation: the newest question, what was said before, and what "it" stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ..graph.state import State
from ..stores.errors import QuestionError
from ..stores.text import clean, content_terms, has_cjk

_LEANS = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|one|ones|"
    r"there|then|former|latter|same|else|more)\b|"
    r"^(?:and|but|so|or|what about|how about|why|really)\b",
    re.IGNORECASE,
)
_LEANS_ZH = re.compile(
    r"[它他她]们?|这个|那个|这些|那些|该|其|前者|后者|上述|^(?:那|那么|还有|然后|为什么|呢)|呢[？?]?$"
)
_SUBJECT_WORDS = re.compile(
    r"\b(?:it|they|them|he|him|she|this|that|these|those|the same|the former|the latter)\b",
    re.IGNORECASE,
)
_OWNER_WORDS = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
_SUBJECT_ZH = re.compile(r"[它他她]们?|这个|那个|这些|那些|其|该|前者|后者")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w'-]*(?: (?:of |the |de )?[A-Z0-9][\w'-]*)*")
_ASKING = re.compile(
    r"^(?:(?:and|but|so)\s+)?(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|"
    r"can|could|will|would|should|has|have|tell me|give me|show me|explain)\b(?:\s+(?:much|many|"
    r"long|far|old|often|big|tall|about))?(?:\s+(?:is|are|was|were|do|does|did|can|has|have|the|a|an))*\s*",
    re.IGNORECASE,
)


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


def leans_on_history(asked: str) -> bool:
    """True when the words cannot be understood without what was said before."""
    if has_cjk(asked):
        return bool(_LEANS_ZH.search(asked)) or len(content_terms(asked)) < 2
    return bool(_LEANS.search(asked)) or len(content_terms(asked)) < 2


def restate_offline(asked: str, history: Sequence[str]) -> str:
    """Put the topic of the user's last question in place of "it" or "its", or behind the words."""
    topic = topic_of(history)
    if not topic or topic.casefold() in asked.casefold():
        return asked
    if has_cjk(asked):
        replaced = _SUBJECT_ZH.sub(lambda _: topic, asked, count=1)
        return replaced if replaced != asked else f"{topic}，{asked}"
    replaced = _OWNER_WORDS.sub(lambda _: f"{topic}'s", asked, count=1)
    if replaced == asked:
        replaced = _SUBJECT_WORDS.sub(lambda _: topic, asked, count=1)
    return replaced if replaced != asked else f"{asked} ({topic})"


def topic_of(history: Sequence[str]) -> str:
    """What the user asked about last: the names in it, else its words without the asking ones."""
    for line in reversed(history):
        speaker, _, text = line.partition(": ")
        if speaker != "user" or not content_terms(text):
            continue
        text = text.strip().rstrip("?？。.!！ ")
        if has_cjk(text):
            return re.split(r"的|是|有|在|什么|多少|怎么|如何|为什么|，", text)[0] or text
        if names := _NAME.findall(text):
            return str(max(names, key=len))
        return _ASKING.sub("", text)
    return ""
