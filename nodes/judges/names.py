"""Names in a text: persons, places, things; in English and Chinese, with common aliases."""

from __future__ import annotations

import re

from ...stores.text import fold, has_cjk, sentences
from .numbers import MONTHS

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
    "new-york nyc ny 纽约",
    "los-angeles la l.a. 洛杉矶",
    "tv television",
)
ALIAS_OF = {
    name.replace("-", " "): group for group, line in enumerate(_ALIASES) for name in line.split()
}
ALIAS_NAMES = [[n.replace("-", " ") for n in line.split()] for line in _ALIASES]
_NAME = re.compile(
    r"\b(?:[A-Z](?:\.[A-Z])+\.?|[A-Z][\w'’&-]*)(?:\s+(?:(?:of|the|de|van|von|la|le|el|al|bin|di)\s+){0,2}"
    r"[A-Z][\w'’&-]*)*"
)
_LATIN_IN_CJK = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#]")
_TITLE_ZH = re.compile("《([^》]{2,20})》")
_PLACE_ZH = re.compile("([\u4e00-\u9fff]{2})(?:省|市(?![场民值面])|县|大学)")
_SAID_PLACE_ZH = re.compile(
    "(?:位于|坐落[于在]|总部[设位]?[在于]|出生[于在]|诞生于|首都[是为]|毕业于|任职于)([\u4e00-\u9fff]{2,3})"
)
_GENERIC_ZH = re.compile(
    "[全各本该这那个每同两多等在的是了和与为到于从向由则]|[一-九]所|.[上城股超门都家所楼菜夜]"
)
_WORDS = (
    "i the a an in on at it he she they we you this that these those his her its their our my and "
    "but or so if as by for from to of with when where while who what which how why yes no not "
    "there here then also however according monday tuesday wednesday thursday friday saturday "
    "sunday mr mrs ms dr prof sir lord lady president king queen prince dr. st"
)
NO_NAME = frozenset(_WORDS.split()) | frozenset(MONTHS)
"""Words that open with a capital and name nothing, or no one in particular."""


def names(text: str) -> list[str]:
    """Names in the text, as written: capitalised runs, acronyms; in Chinese quoted titles, Latin
    words and places. A lone capitalised word that opens a sentence is left out."""
    if has_cjk(text):
        found = [m[1] for m in _TITLE_ZH.finditer(text)]
        found += [
            m[1][:2] for m in _SAID_PLACE_ZH.finditer(text) if not _GENERIC_ZH.search(m[1][:2])
        ]
        found += [m[1] for m in _PLACE_ZH.finditer(text) if not _GENERIC_ZH.search(m[1])]
        return found + [m.group() for m in _LATIN_IN_CJK.finditer(text)]
    tokens = re.findall(r"\b[A-Za-z][\w'’-]*", text)
    if len(tokens) > 5 and sum(t[0].isupper() for t in tokens) > 0.6 * len(tokens):
        return []
    starts = {span.start for span in sentences(text)}
    found = []
    for match in _NAME.finditer(text):
        parts = match.group().split()
        while parts and fold(parts[0]).strip(".'’") in NO_NAME:
            parts = parts[1:]
        while parts and not parts[-1][0].isupper():
            parts = parts[:-1]
        defined = text[max(0, match.start() - 1)] == "(" and match.group().isupper()
        if not parts or defined or re.search(r"-[a-z]", parts[0]):
            continue
        # A lone capital at the start of a sentence is no sign of a name, unless more follow in it.
        opens = any(0 <= match.start() - start <= 1 for start in starts)
        if opens and match.group() == parts[0] and not re.search(r"[A-Z0-9]", parts[0][1:]):
            continue
        found.append(" ".join(parts))
    return found


def initials(text: str) -> set[str]:
    """Initials of capitalised runs: "World Health Organization" gives "who"."""
    found = set()
    for match in _NAME.finditer(text):
        parts = [p for p in match.group().split() if p[0].isupper()]
        for start in range(len(parts)):
            found.add("".join(p[0] for p in parts[start:]).lower())
    return found
