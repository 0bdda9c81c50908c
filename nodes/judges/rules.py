"""Questions that need no sources, settled by rules before any model is asked.

Precision first: a question for a fact must never be caught. A rule says what it saw, so that the
answer can say why nothing was searched. The words that they look for stand in `rule_words.py`.
All rules together take well under a millisecond; the work grows with the length of the question
only, and just its beginning is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from ...stores.text import fold, has_cjk
from . import rule_words as words

_LONGEST = 2000
"""Characters of a question that the rules read."""
_GAP = re.compile(r"[\s,.!?~。！？，、:;：；)('\"“”…-]*")


_ASKS_ZH = re.compile("什么|哪|谁|吗|多少|为何|怎么")


@dataclass(frozen=True)
class Seen:
    """A question as the rules see it."""

    text: str
    """Folded, without space around it, cut to the part that is read."""
    core: str
    """The text after polite openings ("could you please", 请帮我)."""
    size: int
    """Words, for Chinese half the characters."""

    def has(self, phrases: tuple[str, ...], within: int | None = None) -> bool:
        """True when one of the phrases occurs, as whole words in English."""
        return _pattern(phrases).search(self.text[:within]) is not None

    def opens_with(self, phrases: tuple[str, ...]) -> bool:
        """True when the core begins with one of the phrases."""
        return _pattern(phrases).match(self.core) is not None


@dataclass(frozen=True)
class Rule:
    """One readable rule: `id` for programs and records, `why` for people."""

    id: str
    why: str
    holds: Callable[[Seen], bool]


@lru_cache(maxsize=128)
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the phrases; those in Latin letters at word boundaries."""
    parts = [
        re.escape(p) if has_cjk(p) or not p[0].isalnum() else rf"(?<!\w){re.escape(p)}(?![^\W_]|\+)"
        for p in phrases
    ]
    return re.compile("|".join(parts))


def _made_of(text: str, *phrases: tuple[str, ...]) -> str:
    """What is left of the text when the phrases at its beginning are taken off, one by one."""
    pattern = _pattern(tuple(sorted({p for some in phrases for p in some}, key=len, reverse=True)))
    at = 0
    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        found = pattern.match(text, at)
        if not found or found.end() == at:
            return text[at:]
        at = found.end()


def _see(question: str) -> Seen:
    text = fold(question[:_LONGEST]).replace("’", "'").strip()
    size = len(text) // 2 if has_cjk(text) else len(text.split())
    return Seen(text, _made_of(text, words.POLITE), size)


def _only(core: tuple[str, ...]) -> Callable[[Seen], bool]:
    """A short message of nothing but these phrases, at least one of them, and fillers."""

    def holds(seen: Seen) -> bool:
        return seen.size <= 14 and seen.has(core) and not _made_of(seen.text, core, words.FILLER)

    return holds


def _about_the_assistant(seen: Seen) -> bool:
    if has_cjk(seen.text):
        return seen.size <= 9 and seen.has(words.SELF_ZH)
    found = list(_pattern(words.SELF).finditer(seen.text))
    if not found or seen.size > 14 or "\n" in seen.text:
        return False
    return not _made_of(seen.text[found[-1].end() :], words.SELF_END, words.FILLER)


def _arithmetic(seen: Seen) -> bool:
    rest = _made_of(seen.text, words.POLITE, words.ADD)
    while rest and (number := re.match(r"[\d\s.,()+*/×÷^=%-]+", rest)):
        rest = _made_of(rest[number.end() :], words.ADD)
    return not rest and len(re.findall(r"\d+", seen.text)) >= 2 and not _date_like(seen.text)


def _date_like(text: str) -> bool:
    return re.fullmatch(r"\s*\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?\s*", text) is not None


def _throw(seen: Seen) -> bool:
    short = seen.size <= 14 and not seen.has(words.CHANCE)
    return short and seen.has(words.THROWS) and seen.has(words.THROWN)


def _made_up(seen: Seen) -> bool:
    opens = seen.opens_with(words.WRITE) and seen.has(words.WRITTEN, within=90)
    if has_cjk(seen.text) and not opens:
        asked = _pattern(words.WRITE).search(seen.core[:40]) is not None
        led = seen.core.startswith(("为", "用", "以", "针对", "根据", "按照", "使用"))
        opens = asked and led and seen.has(words.WRITTEN, within=60)
    if _ASKS_ZH.search(seen.text[:90]):
        return False
    jokes = seen.size <= 12 and seen.has(("joke", "jokes", "riddle", "something funny", "笑话"))
    return (opens or jokes) and not seen.has(words.FACTS, within=90)


def _text_given(seen: Seen) -> bool:
    """The order comes first, then the text: after a colon, a line end or an opening quote."""
    given = re.search(r"[:：\n\"“「]\s*", seen.text)
    zh = has_cjk(seen.text)
    if given is None or given.start() > (60 if zh else 260):
        return zh and seen.opens_with(("将下文", "将以下", "为以下", "把下面", "将下面"))
    rest = seen.text[given.end() :]
    order = seen.text[: given.start()]
    owns = _pattern(words.OWN_TEXT).search(order) is not None
    named = _pattern(words.WORK).search(order) if zh else seen.opens_with(words.WORK)
    if _ASKS_ZH.search(order) or (len(rest) < 60 and _ASKS_ZH.search(rest)):
        return False
    long_enough = len(rest) >= (4 if zh else 12)
    asks = _pattern(words.FACTS).search(order) is not None
    contract = "contract" in order or "details" in order
    return long_enough and bool(named) and (owns or zh) and not asks and not contract


def _about_words(seen: Seen) -> bool:
    if has_cjk(seen.text):
        return seen.size <= 16 and seen.has(words.SPELL_ZH) and seen.has(words.TONGUES)
    says = seen.has(words.SPELL) or (seen.has(("translate", "say")) and seen.has(words.TONGUES))
    return seen.size <= 12 and says and not seen.has(("who", "when", "where", "did", "says"))


def _code(seen: Seen) -> bool:
    if "```" in seen.text:
        return not seen.has(words.FACTS, within=200)
    near = seen.core[:80]
    wanted = _pattern(words.CODE).search(near) is not None
    return seen.opens_with(words.CODE_VERBS) and wanted and not seen.has(words.FACTS, within=200)


def _sum_in_a_story(seen: Seen) -> bool:
    zh = has_cjk(seen.text)
    figures = re.findall(r"(?<![\d.])\d+(?:[.,]\d+)?", seen.text)
    years = [f for f in figures if re.fullmatch(r"(?:1[5-9]|20)\d\d", f)]
    counted = len(set(_pattern(words.SUM_WORDS).findall(seen.text)))
    enough = len(figures) - len(years) >= (2 if zh else 3)
    told = bool(re.search(r"[.，,。]", seen.text)) and counted >= (2 if zh else 3)
    return enough and told and not years and seen.has(words.SUM_ASK) and seen.size <= 200


RULES = (
    Rule("greeting", "it is a greeting", _only(words.GREETING)),
    Rule("thanks", "it thanks, agrees or takes leave", _only(words.THANKS)),
    Rule("about the assistant", "it is about the assistant itself", _about_the_assistant),
    Rule("arithmetic", "it is a sum", _arithmetic),
    Rule("dice or coin", "it asks for a random throw", _throw),
    Rule("text given", "the text to work on is in the message itself", _text_given),
    Rule("code", "it asks for code to be written", _code),
    Rule("made up", "it asks for something made up", _made_up),
    Rule("words", "it asks how a word is said or spelt", _about_words),
    Rule("sum in a story", "it is a sum whose figures are all given", _sum_in_a_story),
)


def match(question: str) -> Rule | None:
    """The first rule that settles the question without sources, or None: then sources decide."""
    seen = _see(question)
    if not seen.text:
        return None
    return next((rule for rule in RULES if rule.holds(seen)), None)


def ids() -> Iterable[str]:
    """Ids of all rules, as answers and records name them."""
    return (rule.id for rule in RULES)


def works_on_answer(question: str) -> bool:
    """True for a short wish to have the last answer put another way: shorter, in Chinese, again."""
    seen = _see(question)
    return seen.size <= 10 and not _made_of(seen.text, words.POLITE, words.AGAIN, words.FILLER)
