"""The words ragloop adds of its own, in the question's language. Quotes are never translated."""

from __future__ import annotations

import re
from typing import Literal

from ...stores.text import has_cjk
from . import markers

Language = Literal["en", "zh"]

PHRASES: dict[str, dict[Language, str]] = {
    "yes": {"en": "Yes: ", "zh": "是的："},
    "no": {"en": "No: ", "zh": "不是："},
    "choice": {"en": "{option}: ", "zh": "{option}："},
    "heading": {"en": "{title}: ", "zh": "{title}："},
    "other_language": {"en": "The source says: ", "zh": "来源写道："},
    "missing_terms": {
        "en": "The sources that were found say nothing about {terms}.",
        "zh": "找到的来源没有提到{terms}。",
    },
    "missing_answer": {
        "en": "The sources that were found touch on the topic but do not answer: {question}",
        "zh": "找到的来源涉及这一话题，但没有回答：{question}",
    },
    "missing_all": {
        "en": "No source was found.",
        "zh": "没有找到任何来源。",
    },
    "missing_part": {
        "en": "The sources leave this part open: {part}",
        "zh": "来源没有回答这一部分：{part}",
    },
    "too_long": {
        "en": "The sentences that answer do not fit into the {tokens} tokens of an answer.",
        "zh": "能回答问题的句子超过了答案的 {tokens} 个词元上限。",
    },
    "quote": {"en": "“{words}”", "zh": "“{words}”"},
    "and": {"en": ", ", "zh": "、"},
    "refusal": {
        "en": "The sources do not answer this question.",
        "zh": "来源没有回答这个问题。",
    },
    "refusal_failed": {
        "en": "This question could not be answered because a model did not reply as it should.",
        "zh": "模型没有正常回复，因此无法回答这个问题。",
    },
    "missing": {"en": "Missing: {missing}", "zh": "缺少：{missing}"},
    "searched": {"en": "Searched for: {queries}.", "zh": "搜索过：{queries}。"},
    "more_queries": {"en": " and {count} more", "zh": "等，另有 {count} 个"},
    "not_searched": {"en": "Nothing was searched.", "zh": "没有进行搜索。"},
    "help_nothing_found": {
        "en": "Adding documents on this topic would help.",
        "zh": "补充这方面的文档会有帮助。",
    },
    "help_open": {
        "en": "A document that says this, or a narrower question, would help.",
        "zh": "补充写明这一点的文档，或把问题问得更具体，会有帮助。",
    },
    "help_failed": {
        "en": "Asking again later, or another model, would help.",
        "zh": "稍后再问，或换一个模型，会有帮助。",
    },
    "clarify": {
        "en": "What does “{question}” refer to? Name it, or ask the whole question again.",
        "zh": "“{question}”指的是什么？请说明，或重新完整地提问。",
    },
    "approve": {
        "en": "Read {count} whole documents, about {tokens} tokens? Reply yes or no.",
        "zh": "要通读 {count} 篇完整文档（约 {tokens} 个词元）吗？请回答“是”或“否”。",
    },
    "not_approved": {
        "en": "Reading the whole documents was not approved.",
        "zh": "未获准通读完整文档。",
    },
    "mark": {"en": " (not borne out by the sources)", "zh": "（来源不支持）"},
    "mark_partly": {"en": " (only partly borne out)", "zh": "（来源只部分支持）"},
    "removed": {
        "en": "Removed, not borne out by the sources: {words}",
        "zh": "已删除，来源不支持：{words}",
    },
    "marked": {
        "en": "Marked, not borne out by the sources: {words}",
        "zh": "已标注，来源不支持：{words}",
    },
    "again_in": {
        "en": "\nThis is attempt {attempt}. Write the answer in English.",
        "zh": "\n这是第 {attempt} 次作答。请用中文回答。",
    },
    "disagree": {
        "en": "The sources disagree: {first} [{a}], but {second} [{b}].",
        "zh": "来源说法不一：{first}[{a}]，而{second}[{b}]。",
    },
    "newer": {"en": "The newer source is [{n}] ({when}).", "zh": "较新的来源是[{n}]（{when}）。"},
}


_WORD = re.compile(r"[A-Za-z0-9][\w.'’+#-]*")


def spoken(text: str) -> Language:
    """The language to answer in: `zh` when there are at least as many CJK signs as Latin words.

    Kinder to short Chinese questions full of product names than a count of letters is.
    """
    signs = sum(1 for char in text if has_cjk(char))
    return "zh" if signs and signs >= len(_WORD.findall(text)) else "en"


_QUOTED = re.compile("“[^”]*”|「[^」]*」|`[^`]*`")
_PROSE = 5
"""Words in lower case, or twice as many CJK signs, that make a text more than a name or a term."""


_LANGUAGE_ASKED = re.compile(
    r"\b(?:chinese|mandarin|english|translat\w+)\b|[中英]文|[汉英]语|翻译", re.IGNORECASE
)


def in_another_language(text: str, question: str) -> bool:
    """Whether an answer is in the other of the two languages than its question.

    Quotes, names and terms may be: what counts is the prose around them. A question that names a
    language may ask for it.
    """
    if _LANGUAGE_ASKED.search(question):
        return False
    prose = markers.strip(_QUOTED.sub(" ", text))
    signs = sum(1 for char in prose if has_cjk(char))
    if spoken(question) == "zh":
        return not signs and len(re.findall(r"(?<!\w)[a-z]+(?!\w)", prose)) >= _PROSE
    english = _WORD.search(question) is not None
    return english and signs >= 2 * _PROSE and spoken(prose) == "zh"


def say(phrase: str, language: Language, **words: object) -> str:
    """One of the phrases, filled in."""
    return PHRASES[phrase][language].format(**words)
