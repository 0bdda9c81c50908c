"""What becomes of sentences that the evidence does not bear out: removed, or marked as such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from . import markers
from .language import Language, say, spoken
from .units import Unit, units

Policy = Literal["remove", "mark", "regenerate"]
_UNSUPPORTED = ("none", "unclear")
_CONNECTIVE = re.compile(
    r"(?:(?:however|moreover|furthermore|therefore|thus|hence|consequently|additionally|besides|"
    r"also|in addition|as a result|for example|for instance|that said|nevertheless|similarly|"
    r"likewise|meanwhile|then|in contrast|on the other hand),\s*|(?:but|and|so|yet)\s+|"
    r"(?:然而|此外|另外|因此|所以|但是|不过|而且|并且|同时|例如|比如|相反|同样|于是|总之|可是|但)[，,]?\s*)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}\s")


def apply_policy(
    text: str, verdicts: Sequence[str], policy: Policy, question: str
) -> tuple[str, list[str]]:
    """Remove or mark what is not borne out: `(text, corrections)`.

    `verdicts` are labels (full, partial, none, unclear) for `units(text)`, in order. "none" and
    "unclear" count as not borne out. With "remove", and with "regenerate" when no better draft
    came, those units go with their markers, with a lead-in or heading that has nothing left to
    lead to, and with connectives that would dangle; the text is "" when nothing is left. With
    "mark" they stay and say so, and a partly supported one says that. `corrections` names each
    changed sentence, in the question's language.
    """
    found = units(text)
    tongue = spoken(question)
    bad = _not_borne_out(found, verdicts, policy)
    if not bad:
        return text, []
    if policy == "mark":
        marked = {at: verdicts[at] for at in bad}
        return _mark(text, found, marked, tongue), [
            say("marked", tongue, words=found[at].text) for at in bad if verdicts[at] != "partial"
        ]
    corrections = [say("removed", tongue, words=found[at].text) for at in bad]
    gone = removed(text, verdicts, policy)
    if len(gone) == len(found):
        return "", corrections
    return _remove(text, found, gone), corrections


def removed(text: str, verdicts: Sequence[str], policy: Policy) -> set[int]:
    """Positions in `units(text)` of what `apply_policy` takes out; none when it only marks."""
    if policy == "mark":
        return set()
    found = units(text)
    bad = set(_not_borne_out(found, verdicts, policy))
    return bad | _lead_ins(text, found, bad)


def _not_borne_out(found: Sequence[Unit], verdicts: Sequence[str], policy: Policy) -> list[int]:
    return [
        at
        for at, verdict in enumerate(verdicts[: len(found)])
        if verdict in _UNSUPPORTED or (policy == "mark" and verdict == "partial")
    ]


def _mark(text: str, found: Sequence[Unit], marked: dict[int, str], tongue: Language) -> str:
    for at in sorted(marked, reverse=True):
        unit = found[at]
        words = say("mark_partly" if marked[at] == "partial" else "mark", tongue)
        gap = ("\n\n" + words.strip()) if unit.kind in ("table", "code") else words
        text = text[: unit.end] + gap + text[unit.end :]
    return text


def _lead_ins(text: str, found: Sequence[Unit], gone: set[int]) -> set[int]:
    """Sentences ending in a colon whose whole list, table or code is gone."""
    more: set[int] = set()
    for at, unit in enumerate(found):
        if not text[unit.start : unit.end].rstrip("*_ ").endswith((":", "：")):
            continue
        led = at + 1
        while led < len(found) and found[led].kind == "item":
            led += 1
        led = max(led, min(at + 2, len(found)))
        if all(each in gone for each in range(at + 1, led)):
            more.add(at)
    return more


def _remove(text: str, found: Sequence[Unit], gone: set[int]) -> str:
    parts: list[str] = []
    at = 0
    for position, unit in enumerate(found):
        if position in gone:
            parts.append(text[at : unit.start])
            at = unit.end
        elif position - 1 in gone and unit.kind == "sentence":
            parts.append(text[at : unit.start])
            at = unit.start
            if match := _CONNECTIVE.match(text, at):
                at = match.end()
                parts.append(text[at].upper() if at < len(text) else "")
                at += 1
    parts.append(text[at:])
    return _tidy("".join(parts), code_before=markers.code_blocks(text) != [])


def _tidy(text: str, *, code_before: bool) -> str:
    """Take out what a removal leaves: empty items, double space, bare headings, half bold."""
    kept: list[str] = []
    in_code = False
    for line in text.split("\n"):
        if code_before and re.match(r"\s{0,3}(?:```|~~~)", line):
            in_code = not in_code
        if not in_code and re.fullmatch(r"\s*(?:[-*+•]|\d{1,3}[.)]|>+)?\s*", line):
            line = ""
        elif not in_code:
            line = re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", line).rstrip()
            line = line.replace("**", "") if line.count("**") % 2 else line
            line = line if line.startswith("    ") or not line[:1].isspace() else _unindent(line)
        kept.append(line)
    joined = re.sub(r"\n{3,}", "\n\n", "\n".join(_without_bare_headings(kept)))
    return joined.strip("\n ")


def _unindent(line: str) -> str:
    """Drop the one space that stood between a removed sentence and the next."""
    return line[1:] if re.match(r" \S", line) else line


def _without_bare_headings(lines: Sequence[str]) -> list[str]:
    """Lines without the headings that have nothing below them before the next heading."""
    kept: list[str] = []
    for line in reversed(lines):
        below = next((each for each in reversed(kept) if each.strip()), "")
        bare = _HEADING.match(line) and (not below or _outranks(below, line))
        if not bare:
            kept.append(line)
    return kept[::-1]


def _outranks(below: str, line: str) -> bool:
    """Whether the next text is a heading of the same or a higher rank."""
    first = _HEADING.match(below)
    return bool(first) and len(below.split()[0]) <= len(line.split()[0])
