"""Days and months that a question names, in the form that passages carry them."""

from __future__ import annotations

import re

_MONTHS = (  # noqa: SIM905 - twelve words read better than a tall list
    "january february march april may june july august september october november december"
).split()
_MONTH = "|".join(rf"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH})\.?,?\s+(\d{{4}})\b")
_MONTH_FIRST = re.compile(rf"\b({_MONTH})\.?\s+(?:(\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?(\d{{4}})\b")
_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?")
_CHINESE = re.compile(r"(\d{4})年(\d{1,2})月(?:(\d{1,2})[日号])?")


def named_dates(folded: str) -> list[str]:
    """ISO dates, `2023-11-06` or `2023-11`, in the order of their kinds; the text is folded."""
    found: list[str] = []
    for day, month, year in _DAY_FIRST.findall(folded):
        found.append(_iso(year, _number(month), day))
    for month, day, year in _MONTH_FIRST.findall(folded):
        found.append(_iso(year, _number(month), day))
    for year, month, day in [*_ISO.findall(folded), *_CHINESE.findall(folded)]:
        found.append(_iso(year, int(month), day))
    # A day says its month already.
    return [d for d in dict.fromkeys(found) if not any(o.startswith(d + "-") for o in found)]


def _number(month: str) -> int:
    return next(at for at, name in enumerate(_MONTHS, 1) if name.startswith(month[:3]))


def _iso(year: str, month: int, day: str) -> str:
    return f"{year}-{month:02d}" + (f"-{int(day):02d}" if day else "")
