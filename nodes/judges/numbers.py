"""Numbers and dates in a text, in English and Chinese, brought to one form.

Two texts say the same number when the values are equal: "12 percent", "12%" and "百分之十二";
"1,000,000", "1 million" and "100万"; "two" and "2"; "March 5, 2021" and "2021年3月5日".
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import NamedTuple


class Number(NamedTuple):
    """A number that a text names."""

    value: Decimal
    percent: bool
    said: str
    """The words of the text, half-width."""
    in_words: bool
    """Spelled out ("three", "三"), which paraphrases add and drop freely."""
    unit: str
    """The word or character that follows, folded; empty at the end."""


class Date(NamedTuple):
    """A date, as far as it is given; 0 stands for a part that is not."""

    year: int
    month: int
    day: int
    said: str


_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen "
    "twenty thirty forty fifty sixty seventy eighty ninety"
)
_ONES, _TENS = _WORDS.split()[:20], _WORDS.split()[20:]
_EN_VALUE = {word: n for n, word in enumerate(_ONES)} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS)
}
_EN_SCALE = {
    "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9,
}  # fmt: skip
_ZH_DIGIT = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_ZH_SCALE = {
    "十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8,
}  # fmt: skip
_MONTH_NAMES = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|"
    "september sept sep|october oct|november nov|december dec"
)
MONTHS = {
    name: n for n, names in enumerate(_MONTH_NAMES.split("|"), start=1) for name in names.split()
}

_EN_WORD = "|".join([*_TENS, *reversed(_ONES)])
_ZH_NUMERAL = "[零〇一二两兩三四五六七八九十百千万萬亿億]"
_NUMBER = re.compile(
    r"(?P<fraction>百分之)?(?:"
    r"(?P<digits>(?<![a-z\d.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|(?<![\d.])\d+(?:\.\d+)?)"
    r"\s?(?P<scale>(?:hundred|thousand|million|billion|trillion)\b|(?:bn|mn|[km])\b(?!\.)|"
    r"[十百千万萬亿億]+(?![^\W\d_]?分之))?"
    rf"|(?P<words>\b(?:{_EN_WORD})(?:[ -](?:and )?(?:{_EN_WORD}|hundred|thousand|million|billion))*"
    r"\b)"
    rf"|(?P<zh>{_ZH_NUMERAL}+(?:点[零〇一二三四五六七八九]+)?)"
    r")(?P<percent>\s?(?:%|per ?cent\b|percentage points?\b|个百分点))?",
)
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(
        rf"\b(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*:)"
        r"(?:\s*,?\s+(?P<year>[12]\d{3})\b)?"
    ),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b\.?"
        r"(?:\s*,?\s+(?P<year>[12]\d{3})\b)?"
    ),
    re.compile(rf"\b(?P<month>{_MONTH})\.?\s*,?\s+(?:of\s+)?(?P<year>[12]\d{{3}})\b"),
    re.compile(r"\b(?P<year>[12]\d{3})[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>[0-3]?\d)\b"),
    re.compile(
        r"(?P<year>[12]\d{3})\s?年(?:\s?(?P<month>\d{1,2})\s?月(?:份)?(?:\s?(?P<day>\d{1,2})\s?[日号號])?)?"
    ),
    re.compile(r"(?P<month>\d{1,2})\s?月(?:份)?(?:\s?(?P<day>\d{1,2})\s?[日号號])?"),
    re.compile(r"(?<![\d月])(?P<day>\d{1,2})\s?[日号號](?!本|内|元|线|楼)"),
    re.compile(r"(?<![\d.,$€£-])(?P<year>1[0-9]\d\d|20\d\d)(?![\d%]|[.,]\d|\s?[万亿元])"),
)
_ZH_DATE = re.compile(r"[零〇一二三四五六七八九]{4}(?=年)|[一二三四五六七八九十]{1,3}(?=[月日号])")
# Words that hold a Chinese numeral but count nothing.
_ZH_IDIOM = re.compile(
    "一[些样般直起切定旦致度再方面边并向经种时带同路律]|统一|唯一|之一|第一|同一|万一|十分|"
    "[万千]分|千万别|三农|百姓|四川|三亚|九江|[一二三四五六七八九十两]"
    "(?:[线者家旁位]|方面)"
)


def half_width(text: str) -> str:
    """Full-width signs made half-width and letters small, the form that is searched here."""
    return unicodedata.normalize("NFKC", text).lower()


def _english(words: str) -> Decimal:
    total, part = 0, 0
    for word in re.split(r"[ -]+", words):
        if word in _EN_VALUE:
            part += _EN_VALUE[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _EN_SCALE:
            total, part = total + max(part, 1) * _EN_SCALE[word], 0
    return Decimal(total + part)


def _chinese(numeral: str) -> Decimal:
    """Value of 三百, 二〇二一, 一亿两千万 or 三点五; a bare scale sign counts once."""
    whole, _, rest = numeral.partition("点")
    if not any(c in _ZH_SCALE for c in whole):
        value = Decimal("".join(str(_ZH_DIGIT[c]) for c in whole))
    else:
        total, part, digit = 0, 0, 0
        for c in whole:
            if c in _ZH_DIGIT:
                digit = _ZH_DIGIT[c]
            elif c in "亿億":
                total, part, digit = max(total + part + digit, 1) * _ZH_SCALE[c], 0, 0
            elif c in "万萬":
                total, part, digit = total + max(part + digit, 1) * _ZH_SCALE[c], 0, 0
            else:
                part, digit = part + max(digit, 1) * _ZH_SCALE[c], 0
        value = Decimal(total + part + digit)
    return value + Decimal("0." + "".join(str(_ZH_DIGIT[c]) for c in rest)) if rest else value


def _value(match: re.Match[str]) -> Decimal:
    if digits := match["digits"]:
        value = Decimal(digits.replace(",", ""))
        scale = match["scale"] or ""
        for part in [scale] if scale in _EN_SCALE else scale:
            value *= _EN_SCALE.get(part) or _ZH_SCALE[part]
        return value
    return _english(match["words"]) if match["words"] else _chinese(match["zh"])


def dates(text: str) -> list[Date]:
    """Dates in the text, whole ones before their parts; a bare year counts as one."""
    return _take_dates(half_width(text))[0]


def _take_dates(text: str) -> tuple[list[Date], str]:
    """Dates, and the text with their characters blanked, so that no number is read twice."""
    text = _ZH_DATE.sub(lambda m: str(_chinese(m.group())), text)
    found: list[Date] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = parts.get("month") or "0"
            number = MONTHS.get(month) or int(month)
            day = int(parts.get("day") or 0)
            if number > 12 or day > 31:
                continue
            found.append(Date(int(parts.get("year") or 0), number, day, match.group().strip()))
        text = pattern.sub(lambda m: "\x00" * len(m.group()), text)
    return found, text


def numbers(text: str) -> list[Number]:
    """Numbers in the text that are no part of a date, in order."""
    return _numbers(_take_dates(half_width(text))[1])


def numbers_and_dates(text: str) -> tuple[list[Number], list[Date]]:
    """Both at once, which is cheaper than one after the other."""
    found, rest = _take_dates(half_width(text))
    return _numbers(rest), found


def _numbers(rest: str) -> list[Number]:
    rest = _ZH_IDIOM.sub(lambda m: "\x00" * len(m.group()), rest)
    found: list[Number] = []
    for match in _NUMBER.finditer(rest):
        unit = re.match(r"[\s-]*([a-z]+|[^\W\d_])?", rest[match.end() :])
        found.append(
            Number(
                _value(match).normalize(),
                bool(match["fraction"] or match["percent"]),
                match.group().strip(),
                match["digits"] is None,
                (unit[1] or "") if unit else "",
            )
        )
    return found
