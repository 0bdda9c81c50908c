"""The slot in which two like sentences differ, and whether two figures measure the same thing."""

from __future__ import annotations

import re
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Literal

from ...stores.text import content_terms, has_cjk, terms
from ..judges.numbers import Date, Number, dates, numbers
from .asked import wanted
from .holds import SURNAMES

ALIKE = 0.5
"""Share of the shorter sentence's terms that must stand in the other before slots are compared."""
_SAME_SIGNS = 0.7
"""Share of the signs that must be the same, in order, outside the slot."""
_LONGEST_SLOT = 12
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\w\s]", re.UNICODE)
_BROKEN = re.compile(r"[，；。;（）()|·]\s|[，；。;（）()|]|,(?!\s?\d)")
_CLOCK = re.compile(r"\d:\d\d")
_EDGE = " \t,，.。:：;；"

Slot = tuple[str, str]


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """Words, figures and signs with their offsets; CJK signs one by one."""
    found: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(text):
        if has_cjk(match.group()):
            found += [(c, match.start() + i, match.start() + i + 1) for i, c in enumerate(match[0])]
        else:
            found.append((match.group().casefold(), match.start(), match.end()))
    return found


def only_dated(text: str) -> bool:
    """Whether a "sentence" is a dateline, such as "Oct 29, 2021 ..."."""
    held = {term for term in content_terms(text) if not term[0].isdigit()}
    for date in dates(text):
        held -= set(content_terms(date.said))
    return not held


def only_slot(a: str, b: str) -> Slot | None:
    """What each of two sentences says in the one place where they differ.

    The rest must be the same but for small change (a dropped sign or article), so that the slot is
    what they say differently about the same thing. A date may differ in several of its parts.
    """
    tokens_a, tokens_b = _tokens(a), _tokens(b)
    if not tokens_a or not tokens_b or max(len(tokens_a), len(tokens_b)) > 400:
        return None
    matcher = SequenceMatcher(
        None, [t for t, _, _ in tokens_a], [t for t, _, _ in tokens_b], autojunk=False
    )
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return None
    first, last = blocks[0], blocks[-1]
    core_a = (last.a + last.size) - first.a
    core_b = (last.b + last.size) - first.b
    same = sum(block.size for block in blocks)
    changed = [
        code
        for code in matcher.get_opcodes()
        if code[0] == "replace" or (code[0] != "equal" and _weighs(code, tokens_a, tokens_b))
    ]
    changed = [c for c in changed if first.a <= c[1] and c[2] <= last.a + last.size] or changed
    if not changed or same < _SAME_SIGNS * max(1, min(core_a, core_b)):
        return None
    start, end = changed[0], changed[-1]
    if _spelled_alike(tokens_a[start[1] : end[2]], tokens_b[start[3] : end[4]]):
        return None
    back = _reach_back(tokens_a, start[1], end[2], tokens_b, start[3], end[4])
    slot_a = _text(a, tokens_a, start[1] - back, end[2])
    slot_b = _text(b, tokens_b, start[3] - back, end[4])
    longest = max(end[2] - start[1], end[4] - start[3])
    small = longest <= min(_LONGEST_SLOT, 0.6 * max(3, same))
    if not (slot_a and slot_b and small) or slot_a.casefold() == slot_b.casefold():
        return None
    return slot_a, slot_b


def _weighs(
    code: tuple[str, int, int, int, int],
    tokens_a: list[tuple[str, int, int]],
    tokens_b: list[tuple[str, int, int]],
) -> bool:
    """Whether what is only in one of the two sentences is more than a sign or an article."""
    words = [t for t, _, _ in tokens_a[code[1] : code[2]] + tokens_b[code[3] : code[4]]]
    return any(word.isalnum() and content_terms(word) for word in words)


def _text(text: str, tokens: list[tuple[str, int, int]], start: int, end: int) -> str:
    if start >= end:
        return ""
    return re.sub(r"\s+", " ", text[tokens[start][1] : tokens[end - 1][2]]).strip(_EDGE)


def _spelled_alike(a: list[tuple[str, int, int]], b: list[tuple[str, int, int]]) -> bool:
    """Whether two CJK slots share so many signs that one is the other in other script or words."""
    signs = [[t for t, _, _ in side if has_cjk(t)] for side in (a, b)]
    shared = len(set(signs[0]) & set(signs[1]))
    figures = any(t[0].isdigit() for t, _, _ in a + b)
    return not figures and shared >= 0.3 * max(1, min(map(len, signs))) and shared > 0


def _reach_back(
    a: list[tuple[str, int, int]], start_a: int, end_a: int,
    b: list[tuple[str, int, int]], start_b: int, end_b: int,
) -> int:  # fmt: skip
    """1 when a side is one CJK sign after a surname, so that the name is shown: 郭帆, 郭敬明."""
    short = min(end_a - start_a, end_b - start_b) == 1
    single = short and has_cjk(a[start_a][0]) and has_cjk(b[start_b][0])
    before = start_a and start_b and has_cjk(a[start_a - 1][0])
    named = before and a[start_a - 1][0] in SURNAMES
    return 1 if single and named and a[start_a - 1][0] == b[start_b - 1][0] else 0


def kind_of(slot: Slot) -> Literal["figure", "date", "name"] | None:
    """What the two sides of a slot are: figures, dates or names; None for plain words."""
    if any(_BROKEN.search(side) for side in slot):
        return None
    clocks = [_CLOCK.search(side) is not None for side in slot]
    if any(clocks):
        return "date" if all(clocks) else None
    digits = [bool(re.search(r"\d", side)) for side in slot]
    dated = [dates(side) for side in slot]
    if all(dated) and all(len(side) <= 24 for side in slot):
        return "date" if dated[0] != dated[1] else None
    if all(digits) or (all(numbers(side) for side in slot) and not any(map(has_cjk, slot))):
        values = [{number.value for number in numbers(side)} for side in slot]
        return "figure" if all(values) and values[0] != values[1] else None
    if all(has_cjk(side) for side in slot):
        named = min(map(len, slot)) >= 2 and not any(digits)
    else:
        named = all(re.search(r"[A-Z]", side) for side in slot)
    return "name" if named and not _nested(slot) else None


def _nested(slot: Slot) -> bool:
    """Whether one side says no more than the other: "Obama" and "Barack Obama"."""
    first, second = (set(terms(side)) for side in slot)
    return not first or not second or first <= second or second <= first


def same_measure(a: str, b: str, question: str) -> tuple[Literal["figure", "date"], Slot] | None:
    """The two figures or dates, when the question asks for one and each sentence names one."""
    wants = wanted(question)
    asked = {number.value for number in numbers(question)}
    if not all(_same_time(text, question) for text in (a, b)):
        return None
    if wants == "number":
        first, second = _figures(a, asked), _figures(b, asked)
        for unit in sorted(first.keys() & second.keys() - {""}):
            pair = first[unit] + second[unit]
            if len(first[unit]) == len(second[unit]) == 1 and not _about_equal(*pair):
                return "figure", (_as_written(pair[0].said, a), _as_written(pair[1].said, b))
    if wants == "when":
        days = [[d for d in dates(text) if d.said not in question] for text in (a, b)]
        if all(len(each) == 1 for each in days) and _clash(days[0][0], days[1][0]):
            return "date", (_as_written(days[0][0].said, a), _as_written(days[1][0].said, b))
    return None


def _as_written(said: str, text: str) -> str:
    """A figure as the text has it; figures are read from a folded text."""
    match = re.search(re.escape(said), text, re.IGNORECASE)
    return match.group() if match else said


def _same_time(text: str, question: str) -> bool:
    """Whether a sentence names every figure and date that the question names."""
    return all(
        figure in text for figure in re.findall(r"\d+|[一二三四上下]季度|[上下]半年", question)
    )


def _figures(text: str, asked: set[Decimal]) -> dict[str, list[Number]]:
    """The numbers of a sentence that the question does not name, by the unit that follows."""
    found: dict[str, list[Number]] = {}
    for number in numbers(text):
        if number.value not in asked and not number.in_words:
            found.setdefault("%" if number.percent else number.unit, []).append(number)
    return found


def _about_equal(a: Number, b: Number) -> bool:
    """Whether one figure is the other, rounded."""
    high, low = max(abs(a.value), abs(b.value)), min(abs(a.value), abs(b.value))
    return high == low or (high >= 100 and (high - low) * 50 <= high)


def _clash(a: Date, b: Date) -> bool:
    """Whether two dates differ in a part that both give."""
    pairs = ((a.year, b.year), (a.month, b.month), (a.day, b.day))
    return any(x and y and x != y for x, y in pairs)
