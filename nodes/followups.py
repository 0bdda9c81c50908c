"""Follow-up questions without a model: which are ones, and what "it" stands for.

Words are only put in a pronoun's place when they are a name. Anything longer is set behind the
question in brackets, where a search finds it and a reader is not misled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..stores.text import content_terms, has_cjk

_PERSON = re.compile(r"\b(?:he|him|she)\b|\b(?:his|her)\b", re.IGNORECASE)
_OWNER = re.compile(r"\b(?:its|their|his|her)\b(?= \w)", re.IGNORECASE)
_THING = re.compile(
    r"\b(?:they|them|he|him|she|her|the same|the former|the latter)\b|"
    r"(?<!got )\bit\b|"
    r"(?<!say )(?<!said )(?<!heard )(?<!know )(?<!think )(?<!mean )"
    r"\b(?:this|that|these|those)\b(?= ?[?.!,]| ?$| (?:is|are|was|were|does|do|did|has|have|work|"
    r"mean|cost|happen)\b)",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:its|they|them|theirs?|he|him|his|she|hers?|former|latter)\b|"
    r"\bit\b(?! (?:is|was) \w+ (?:to|that)\b)|"
    r"(?<!say )(?<!said )(?<!heard )(?<!know )(?<!think )(?<!mean )\b(?:this|that|these|those)\b|"
    r"\b(?:the same|anything else|something else|what else|who else|any others?|more details|"
    r"that one|this one|which one|the other)\b|"
    r"^(?:and|but|so|or|what about|how about)\b|^(?:why|really|when|where|who|how)\W*$",
    re.IGNORECASE,
)
_DEFINES = re.compile(r"^(?:what|who) (?:is|are|was|were) |^define ", re.IGNORECASE)
_LEANS_ZH = re.compile(
    r"[它他她]们?|这个|那个|这些|那些|(?<!应)该(?=[\u4e00-\u9fff])|(?<!尤)其(?![中他实次余])|前者|后者|"
    r"上述|^(?:那|还有|然后|为什么|呢)|呢[？?]?$"
)
_SUBJECT_ZH = re.compile(
    r"[它他她]们?|这个|那个|这些|那些|(?<!尤)其(?![中他实次余])|(?<!应)该|前者|后者"
)
_DEFINES_ZH = re.compile(r"(?:是什么|什么是|是谁|定义)")
_NAME = re.compile(r"\b[A-Z][\w'-]*[\w](?: (?:of |the |de )?[A-Z0-9][\w'-]*)*")
_OPENING = (
    "What Which Who Whom Whose When Where Why How Is Are Was Were Do Does Did Can Could Will Would "
    "Should Has Have The A An In On At It He She They This That Tell Give Show Explain Please And "
    "But So If I'm I've There Yes No Thanks OK Okay Hi Hello My"
)
_OPENERS = frozenset(_OPENING.split())
_ASKING = re.compile(
    r"^(?:(?:and|but|so|please)\s+)?(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|"
    r"do|does|did|can|could|will|would|should|has|have|tell me|give me|show me|explain)\b"
    r"(?:\s+(?:much|many|long|far|old|often|big|tall|about|is|are|was|were|do|does|did|can|has|have|"
    r"you|i|we|the|a|an)\b)*\s*",
    re.IGNORECASE,
)
_CUT_ZH = re.compile(r"的|是|有|在|什么|多少|怎么|如何|为什么|请问|，|,")
NAME_WORDS = 5
"""A longer topic is no name, and takes no pronoun's place."""


def leans_on_history(asked: str) -> bool:
    """True when the words cannot be understood without what was said before."""
    if has_cjk(asked):
        short = len(content_terms(asked)) < 2 and not _DEFINES_ZH.search(asked)
        return short or bool(_LEANS_ZH.search(asked))
    short = len(content_terms(asked)) < 2 and not _DEFINES.match(asked)
    return short or bool(_LEANS.search(asked))


def restate_offline(asked: str, history: Sequence[str]) -> str:
    """Put the topic of the conversation in a pronoun's place, or behind the words in brackets.

    `history` are lines `user: ...` and `assistant: ...`, oldest first.
    """
    topic = topic_of(asked, history)
    if not topic or topic.casefold() in asked.casefold():
        return asked
    if has_cjk(asked):
        replaced = _SUBJECT_ZH.sub(lambda _: topic, asked, count=1)
        return replaced if replaced != asked else f"{topic}，{asked}"
    if is_name(topic):
        replaced = _OWNER.sub(lambda _: f"{topic}'s", asked, count=1)
        if replaced == asked:
            replaced = _THING.sub(lambda _: topic, asked, count=1)
        if replaced != asked:
            return replaced
    return f"{asked} ({topic})"


def is_name(topic: str) -> bool:
    """True for a few words that begin with a capital, a figure or a CJK character."""
    first = topic[:1]
    return len(topic.split()) <= NAME_WORDS and not first.islower()


def topic_of(asked: str, history: Sequence[str]) -> str:
    """What the conversation is about: a name from it, newest first, else the last topic words.

    "He" and "she" are most often the person whom the last reply named; everything else is what
    the user asked about.
    """
    said = [line.partition(": ")[::2] for line in history]
    users = [text.strip() for speaker, text in reversed(said) if speaker == "user"]
    replies = [text.strip() for speaker, text in reversed(said) if speaker != "user"]
    if _PERSON.search(asked):
        known = set(names_of(users[0])) if users else set()
        person = [n for n in names_of(replies[0][:300]) if n not in known] if replies else []
        if person:
            return person[0]
    for text in users:
        if has_cjk(text):
            topic = _CUT_ZH.split(text.rstrip("?？。!！ "))[0].strip()
            if topic and content_terms(topic):
                return topic
        elif names := names_of(text):
            return max(names, key=len)
    rest = [_ASKING.sub("", text).strip(" ?.!") for text in users]
    return next((words for words in rest if content_terms(words)), "")


def names_of(text: str) -> list[str]:
    """Names in an English text, in order, each once.

    A lone word that opens a sentence has its capital from there, and is no name.
    """
    found: list[str] = []
    for match in _NAME.finditer(text):
        words = match.group().split()
        opens = not text[: match.start()].strip() or text[: match.start()].rstrip()[-1] in ".!?:"
        while words and words[0] in _OPENERS:
            words, opens = words[1:], False
        if words and not (opens and len(words) == 1 and words[0][1:].islower()):
            found.append(" ".join(words).removesuffix("'s"))
    return list(dict.fromkeys(found))
