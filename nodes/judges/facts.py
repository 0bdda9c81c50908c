"""Facts of a sentence that can be looked up in its evidence: numbers, dates, names, negation.

The cross-check in code on a judge's "supported": a fact that occurs nowhere in the evidence
overrides the yes, and is named. Being right when it speaks matters more than speaking often, so
what a paraphrase may change freely (titles of persons, small counted words, first names) is let be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...stores.text import CJK, content_terms, fold, has_cjk, language, sentences
from .names import ALIAS_NAMES, ALIAS_OF, NO_NAME, initials, names
from .numbers import Date, Number, numbers_and_dates

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|neither|without|cannot|nobody|nothing|\w+n['’]t)\b|"
    "不(?![同仅但断过只少久])|没有|没(?=[能被有出])|未(?!来)|无法|并非|从未|尚未|毫无|沒"
)


_LISTED = re.compile(r"(?:^|(?<=\s))\d{1,2}[.)]\s+(?=\S)|(?<=\d{4})[-–]\d\d(?!\d)|\[\d{1,3}\]")
"""Numbers that are no facts: of list items, the second year of "2018-19", citation marks."""
_ENDS = ".。!！?？;；…\"”’'」』)）]】*"
_CJK_RUN = re.compile(f"[{CJK}]+")
_CLAUSE_END = re.compile("[，,;；:：]")


def negations(text: str) -> int:
    """How often the text says no: not, never, without, n't; 不, 没有, 未, 无法."""
    return len(_NEGATION.findall(fold(text)))


class Evidence:
    """A text to look facts up in; what is read from it is read once."""

    def __init__(self, texts: str | Sequence[str]) -> None:
        self.text = texts if isinstance(texts, str) else "\n".join(texts)
        self.language = language(self.text)
        apart = _CJK_RUN.sub(r" \g<0> ", fold(self.text).replace("’", "'"))
        self.folded = re.sub(r"\s+", " ", fold(self.text).replace("’", "'"))
        self.apart = re.sub(r"\s+", " ", apart)
        self.words = set(re.findall(r"[^\W_]+(?:[.&][^\W_]+)*", self.apart))
        self.squeezed = re.sub(r"[\W_]", "", self.folded)
        self.prefixes = {w[:5] for w in self.words if len(w) >= 5}
        self.numbers, self.dates = numbers_and_dates(self.text)
        self.values = {n.value for n in self.numbers}
        self.aliases = {
            group
            for group, group_names in enumerate(ALIAS_NAMES)
            if any(self._holds(name) for name in group_names)
        }
        self.initials = initials(self.text)
        self._units: list[Unit] | None = None

    def _holds(self, name: str) -> bool:
        if has_cjk(name):
            return name in self.folded
        if " " in name or "." in name:
            return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.apart) is not None
        return name in self.words and (name not in ("us", "la") or name.upper() in self.text)

    def says(self, sentence: str) -> bool:
        """True when the sentence stands in the evidence word for word, from its start to its end.

        A sentence that goes on in the evidence, or is embedded in one, is not taken for it.
        """
        said = re.sub(r"\s+", " ", fold(sentence).replace("’", "'")).strip()
        at = self.folded.find(said) if said else -1
        if at < 0:
            return False
        before, after = self.folded[:at].rstrip(), self.folded[at + len(said) :].lstrip()
        begins = not before or before[-1] in _ENDS
        return begins and (said[-1] in _ENDS or not after)

    def differs_in_negation(self, sentence: str) -> bool:
        """The same as `negation_mismatch`, for this evidence."""
        if self._units is None:
            self._units = _units(self.text)
        return _differs(sentence, self._units)

    def has_name(self, name: str) -> bool:
        """True when the name occurs, or an alias, its initials, or for a person the surname."""
        plain = fold(name).replace("’", "'").removesuffix("'s").strip(".")
        alias = ALIAS_OF.get(plain, ALIAS_OF.get(plain + "."))
        if plain in self.folded and (has_cjk(plain) or self._holds(plain)):
            return True
        if len(plain) >= 6 and re.sub(r"[\W_]", "", plain) in self.squeezed:
            return True
        if alias is not None and alias in self.aliases:
            return True
        if has_cjk(plain):
            return False
        parts = [p for p in re.findall(r"[^\W_]+(?:[.&][^\W_]+)*", plain) if p not in NO_NAME]
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
            or ALIAS_OF.get(part, -1) in self.aliases
        )

    def _has_surname(self, parts: list[str]) -> bool:
        """The last part alone occurs, and nowhere after another capitalised first name."""
        last = parts[-1]
        if len(parts) < 2 or last not in self.words:
            return False
        others = re.findall(rf"\b([A-Z][a-z]+)\s+{re.escape(last.capitalize())}\b", self.text)
        return not [o for o in others if fold(o) not in NO_NAME and fold(o) not in parts]

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


def gaps(sentence: str, evidence: str | Sequence[str]) -> list[str]:
    """Facts of the sentence that the evidence does not hold, as the sentence words them.

    Numbers and dates are compared by value, names at word boundaries (Chinese: as substrings).
    Small numbers in words are let be unless the evidence counts the same thing otherwise, and names
    where the evidence is in another language.
    """
    return gaps_in(sentence, Evidence(evidence))


def gaps_in(sentence: str, held: Evidence) -> list[str]:
    """The same as `gaps`, for evidence that was read before."""
    if held.says(sentence):
        return []
    found: list[str] = []
    said_numbers, said_dates = numbers_and_dates(_LISTED.sub(" ", sentence))
    for date in said_dates:
        if not held.has_date(date):
            found.append(date.said)
    for number in said_numbers:
        if held.has_number(number):
            continue
        small = number.in_words and number.value <= 10 and not number.percent
        if not small or held.contradicts_count(number):
            found.append(number.said)
    found += [
        name
        for name in dict.fromkeys(names(sentence))
        if not held.has_name(name) and not _translated(name, sentence, held)
    ]
    if held.differs_in_negation(sentence):
        found.append("says no where the evidence says yes, or the other way round")
    return list(dict.fromkeys(found))


def _translated(name: str, sentence: str, held: Evidence) -> bool:
    """True when the evidence is in another language, in which the name reads otherwise.

    奥尔萨 is no gap where the evidence says Orsa. A Latin name in a Chinese sentence about Chinese
    evidence is one.
    """
    return language(sentence) != held.language and language(name) != held.language


def _without_negation(text: str) -> frozenset[str]:
    terms = content_terms(re.sub("[了过着]", "", _NEGATION.sub(" ", fold(text))))
    return frozenset(term for term in terms if not term.isdigit())


def negation_mismatch(sentence: str, evidence: str | Sequence[str]) -> bool:
    """True when the evidence sentence that is nearly this one differs from it in a negation.

    Nearly: it, or a clause of it, holds at least 85 % of the sentence's content terms and hardly
    more than those, and no other such sentence or clause agrees.
    """
    return _differs(
        sentence, _units(evidence if isinstance(evidence, str) else "\n".join(evidence))
    )


Unit = tuple[frozenset[str], bool]
"""Content terms of a sentence or clause without its negations, and whether there were any."""


def _units(text: str) -> list[Unit]:
    whole = [text[start:end] for start, end in sentences(text)]
    parts = [part for unit in whole for part in _CLAUSE_END.split(unit) if part != unit]
    return [(_without_negation(unit), negations(unit) > 0) for unit in whole + parts]


def _differs(sentence: str, units: Sequence[Unit]) -> bool:
    wanted = _without_negation(sentence)
    if len(wanted) < 3:
        return False
    denied = negations(re.sub(r"^\s*(?:no|不|不是)\s*[,，]", "", fold(sentence))) > 0
    agrees = differs = False
    for held, denies in units:
        shared = len(wanted & held)
        if shared >= 0.85 * len(wanted) and shared >= 0.6 * len(held):
            agrees = agrees or denies == denied
            differs = differs or denies != denied
    return differs and not agrees
