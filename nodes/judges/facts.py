"""Facts of a sentence that can be looked up in its evidence: numbers, dates, names, negation.

The cross-check in code on a judge's "supported": a fact that occurs nowhere in the evidence
overrides the yes, and is named. Being right when it speaks matters more than speaking often, so
what a paraphrase may change freely (titles of persons, small counted words, first names) is let be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...stores.text import content_terms, fold, has_cjk, sentences
from .numbers import MONTHS, Date, Number, numbers_and_dates

_ALIASES = (
    "u.s. us usa u.s.a. america american americans united-states 美国 美國",
    "u.k. uk britain british great-britain united-kingdom england 英国 英國",
    "e.u. eu europe european european-union 欧盟 歐盟 欧洲",
    "u.n. un united-nations 联合国 聯合國",
    "china chinese prc 中国 中國",
    "france french 法国 法國",
    "germany german germans 德国 德國",
    "japan japanese 日本",
    "spain spanish 西班牙",
    "netherlands dutch holland 荷兰",
    "switzerland swiss 瑞士",
    "denmark danish danes 丹麦",
    "wales welsh",
    "greece greek 希腊",
    "ireland irish 爱尔兰",
    "new-york nyc 纽约",
    "los-angeles la l.a. 洛杉矶",
)
_ALIAS_OF = {
    name.replace("-", " "): group for group, line in enumerate(_ALIASES) for name in line.split()
}
_ALIAS_NAMES = [[n.replace("-", " ") for n in line.split()] for line in _ALIASES]
_NAME = re.compile(
    r"\b(?:[A-Z](?:\.[A-Z])+\.?|[A-Z][\w'’&-]*)(?:\s+(?:(?:of|the|de|van|von|la|le|el|al|bin|di)\s+){0,2}"
    r"[A-Z][\w'’&-]*)*"
)
_LATIN_IN_CJK = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#]")
_TITLE_ZH = re.compile("[《「“]([^》」”]{2,20})[》」”]")
_PLACE_ZH = re.compile("([\u4e00-\u9fff]{2})(?:省|市|县|大学|州)")
_GENERIC_ZH = re.compile(
    "[全各本该这那个每同两多等在的是了和与为到于从向]|[一-九]所|.[上城股超门都家所楼菜夜]"
)
_NO_NAME = frozenset(
    "i the a an in on at it he she they we you this that these those his her its their our my and "
    "but or so if as by for from to of with when where while who what which how why yes no not "
    "there here then also however according monday tuesday wednesday thursday friday saturday "
    "sunday mr mrs ms dr prof sir lord lady president king queen prince dr. st".split()
) | frozenset(MONTHS)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|neither|without|cannot|nobody|nothing|\w+n['’]t)\b|"
    "不(?![同仅但断过只少久])|没有|没(?=[能被有出])|未(?!来)|无法|并非|从未|尚未|毫无|沒"
)


def negations(text: str) -> int:
    """How often the text says no: not, never, without, n't; 不, 没有, 未, 无法."""
    return len(_NEGATION.findall(fold(text)))


def names(text: str) -> list[str]:
    """Names in the text, as written: capitalised runs, acronyms; in Chinese quoted titles, Latin
    words and places. A lone capitalised word that opens a sentence is left out."""
    if has_cjk(text):
        found = [m[1] for m in _TITLE_ZH.finditer(text)]
        found += [m[1] for m in _PLACE_ZH.finditer(text) if not _GENERIC_ZH.search(m[1])]
        return found + [m.group() for m in _LATIN_IN_CJK.finditer(text)]
    tokens = re.findall(r"\b[A-Za-z][\w'’-]*", text)
    if len(tokens) > 5 and sum(t[0].isupper() for t in tokens) > 0.6 * len(tokens):
        return []
    starts = {span.start for span in sentences(text)}
    found = []
    for match in _NAME.finditer(text):
        parts = match.group().split()
        while parts and fold(parts[0]).strip(".'’") in _NO_NAME:
            parts = parts[1:]
        while parts and not parts[-1][0].isupper():
            parts = parts[:-1]
        opens = any(0 <= match.start() - start <= 1 for start in starts)
        if not parts or (opens and len(parts) == 1 and len(match.group().split()) == 1
                         and not re.search(r"[A-Z0-9]", parts[0][1:])):  # fmt: skip
            continue
        found.append(" ".join(parts))
    return found


class Evidence:
    """A text to look facts up in; what is read from it is read once."""

    def __init__(self, texts: str | Sequence[str]) -> None:
        self.text = texts if isinstance(texts, str) else "\n".join(texts)
        self.folded = re.sub(r"\s+", " ", fold(self.text).replace("’", "'"))
        self.words = set(re.findall(r"[^\W_]+(?:[.&][^\W_]+)*", self.folded))
        self.prefixes = {w[:5] for w in self.words if len(w) >= 5}
        self.numbers, self.dates = numbers_and_dates(self.text)
        self.values = {n.value for n in self.numbers}
        self.aliases = {
            group
            for group, group_names in enumerate(_ALIAS_NAMES)
            if any(self._holds(name) for name in group_names)
        }
        self.initials = _initials(self.text)

    def _holds(self, name: str) -> bool:
        if has_cjk(name):
            return name in self.folded
        if " " in name or "." in name:
            return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.folded) is not None
        return name in self.words and (name not in ("us", "la") or name.upper() in self.text)

    def has_name(self, name: str) -> bool:
        """True when the name occurs, or an alias, its initials, or for a person the surname."""
        plain = fold(name).replace("’", "'").removesuffix("'s").strip(".")
        alias = _ALIAS_OF.get(plain, _ALIAS_OF.get(plain + "."))
        if plain in self.folded and (has_cjk(plain) or self._holds(plain)):
            return True
        if alias is not None and alias in self.aliases:
            return True
        if has_cjk(plain):
            return False
        parts = [p for p in re.findall(r"[^\W_]+(?:[.&][^\W_]+)*", plain) if p not in _NO_NAME]
        if not parts or "".join(p[0] for p in parts) in self.words:
            return True
        if len(parts) == 1 and name.isupper():
            return plain.replace(".", "") in self.initials or plain.replace(".", "") in self.words
        return all(self._has_part(p) for p in parts) or self._has_surname(parts)

    def _has_part(self, part: str) -> bool:
        return (
            part in self.words
            or part.rstrip("s") in self.words
            or part + "s" in self.words
            or (len(part) >= 5 and part[:5] in self.prefixes)
            or _ALIAS_OF.get(part, -1) in self.aliases
        )

    def _has_surname(self, parts: list[str]) -> bool:
        """The last part alone occurs, and nowhere after another capitalised first name."""
        last = parts[-1]
        if len(parts) < 2 or last not in self.words:
            return False
        others = re.findall(rf"\b([A-Z][a-z]+)\s+{re.escape(last.capitalize())}\b", self.text)
        return not [o for o in others if fold(o) not in _NO_NAME and fold(o) not in parts]

    def has_number(self, number: Number) -> bool:
        """True when the value occurs as a number or as part of a date."""
        if number.value in self.values or any(number.value in d[:3] for d in self.dates):
            return True
        rounded = {v for v in self.values if v and abs(v - number.value) <= abs(v) / 200}
        return bool(rounded) and number.value >= 1000

    def has_date(self, date: Date) -> bool:
        """True when all parts that are given occur, day and month together."""
        year_ok = not date.year or self._has_year(date.year)
        if not date.month and not date.day:
            return year_ok
        for other in self.dates:
            same = (not date.day or other.day == date.day) and (
                not date.month or not other.month or other.month == date.month
            )
            if same and year_ok and (other.month or other.day):
                return True
        return False

    def _has_year(self, year: int) -> bool:
        return (
            any(d.year == year for d in self.dates)
            or any(n.value == year for n in self.numbers)
            or re.search(rf"(?<!\d){year % 100:02d}年", self.folded) is not None
            or re.search(rf"\d{{4}}[-–/]{year % 100:02d}(?!\d)", self.folded) is not None
        )

    def contradicts_count(self, number: Number) -> bool:
        """True when the evidence counts the same unit, always with other values."""
        same = [n for n in self.numbers if n.unit and n.unit == number.unit]
        return bool(same) and all(n.value != number.value for n in same)


def _initials(text: str) -> set[str]:
    """Initials of capitalised runs: "World Health Organization" gives "who"."""
    found = set()
    for match in _NAME.finditer(text):
        parts = [p for p in match.group().split() if p[0].isupper()]
        for start in range(len(parts)):
            found.add("".join(p[0] for p in parts[start:]).lower())
    return found


def gaps(sentence: str, evidence: str | Sequence[str]) -> list[str]:
    """Facts of the sentence that the evidence does not hold, as the sentence words them.

    Numbers and dates are compared by value, names at word boundaries (Chinese: as substrings).
    Small numbers in words are let be unless the evidence counts the same thing otherwise.
    """
    return _gaps(sentence, Evidence(evidence))


def _gaps(sentence: str, held: Evidence) -> list[str]:
    found: list[str] = []
    said_numbers, said_dates = numbers_and_dates(sentence)
    for date in said_dates:
        if not held.has_date(date):
            found.append(date.said)
    for number in said_numbers:
        if held.has_number(number):
            continue
        small = number.in_words and number.value <= 10 and not number.percent
        if not small or held.contradicts_count(number):
            found.append(number.said)
    found += [name for name in dict.fromkeys(names(sentence)) if not held.has_name(name)]
    if negation_mismatch(sentence, held.text):
        found.append("says no where the evidence says yes, or the other way round")
    return list(dict.fromkeys(found))


def _without_negation(text: str) -> set[str]:
    return set(content_terms(re.sub("[了过着]", "", _NEGATION.sub(" ", fold(text)))))


def negation_mismatch(sentence: str, evidence: str | Sequence[str]) -> bool:
    """True when the evidence sentence that is nearly this one differs from it in a negation.

    Nearly: at least 85 % of the content terms each way, and no other such sentence agrees.
    """
    text = evidence if isinstance(evidence, str) else "\n".join(evidence)
    wanted = _without_negation(sentence)
    if len(wanted) < 3:
        return False
    denied = negations(sentence) % 2
    agrees = differs = False
    for start, end in sentences(text):
        other = text[start:end]
        held = _without_negation(other)
        shared = len(wanted & held)
        if shared >= 0.85 * len(wanted) and shared >= 0.7 * len(held):
            if negations(other) % 2 == denied:
                agrees = True
            else:
                differs = True
    return differs and not agrees
