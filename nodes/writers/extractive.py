"""The offline writer: answers with the best sentences of the passages, verbatim, each cited.

No model and no network; the same input gives the same answer. It answers what the passages say in
so many words and declines the rest: whether they suffice is settled by `answerability`, fitted on
labelled questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from ...stores import tokens
from ...stores.passage import Passage
from ..judges.verdict import Verdict
from . import markers
from .answerability import ANSWERED, answerability, missing, quotes_abroad, signs
from .asked import Asked, read, wanted
from .choosing import Chosen, choose
from .citing import cite
from .decided import decide
from .draft import Citation, Draft
from .language import Language, say, spoken
from .scoring import Scored, local_rarity, score
from .statements import bare, statements


class RelevanceJudge(Protocol):
    """What the writer asks of a judge: how well one passage helps with a question."""

    def relevant(self, question: str, passage: Passage) -> Verdict: ...


def write(
    question: str,
    passages: Sequence[Passage],
    judge: RelevanceJudge,
    *,
    max_tokens: int = 512,
    count_tokens: Callable[[str], int] = tokens.count_tokens,
) -> Draft:
    """Answer a question from the passages, or say that they do not answer it.

    The first passage is cited as [1]. The judge's scores are among the signs that the passages
    suffice. `max_tokens` is the ceiling of the text, markers included, as `count_tokens` counts.
    """
    asked = read(question)
    if not passages:
        return _declined(say("missing_all", asked.language))
    found = statements(passages, blocks=asked.wants in ("steps", "code"))
    here = local_rarity(found)
    scored = [score(part, asked, found, here) for part in asked.parts]
    answered = [
        _answers(part, asked.language, ranked, passages, judge)
        for part, ranked in zip(asked.parts, scored, strict=True)
    ]
    verdict = decide(asked, [each.statement for each in scored[0][:5]])
    if verdict:  # what code can decide from the sources' words is answered by them
        answered[0] = True
    best = [ranked for ranked, yes in zip(scored, answered, strict=True) if yes]
    if not best:
        return _declined(missing(question, asked.language, passages))
    chosen = choose(asked, best, passages)
    text, citations, fits = _compose(asked, verdict, chosen, passages, max_tokens, count_tokens)
    if not citations:
        return _declined(say("too_long", asked.language, tokens=max_tokens))
    cut = f"The answer was cut to whole sentences within {max_tokens} tokens."
    return Draft(
        text=text,
        answerable=True,
        missing=_open_parts(asked, answered),
        citations=citations,
        uncited=[],
        warnings=[] if fits else [cut],
    )


def _open_parts(asked: Asked, answered: Sequence[bool]) -> str:
    """Name the parts that the passages leave open."""
    return " ".join(
        say("missing_part", asked.language, part=part)
        for part, yes in zip(asked.parts, answered, strict=True)
        if not yes
    )


_CLOSE = 0.9
"""A statement that scores this share of the best one's score may be what answers."""


def _answers(
    part: str,
    tongue: Language,
    ranked: Sequence[Scored],
    passages: Sequence[Passage],
    judge: RelevanceJudge,
) -> bool:
    """Whether the passages answer one part of the question."""
    if ranked and quotes_abroad(ranked[0], tongue):
        return True
    if wanted(part) in ("who", "number") and not _named(ranked):
        return False  # of 20 such questions in the labelled sets one was answerable
    found = signs(part, passages, ranked, judged(judge, part, passages))
    return answerability(found, tongue) >= ANSWERED


def _named(ranked: Sequence[Scored]) -> bool:
    """Whether a person, or a figure in the measure asked for, stands in what would be quoted."""
    close = [each for each in ranked if each.score >= _CLOSE * ranked[0].score]
    return any(each.holds is not False for each in close)


def _declined(reason: str) -> Draft:
    return Draft(text="", answerable=False, missing=reason, citations=[], uncited=[], warnings=[])


def judged(judge: RelevanceJudge, part: str, passages: Sequence[Passage]) -> list[float]:
    """The judge's score of each passage, 0 to 1; its label where it gives no score."""
    verdicts = [judge.relevant(part, passage) for passage in passages]
    return [
        verdict.score if verdict.score is not None else float(verdict.label == "yes")
        for verdict in verdicts
    ]


def _compose(
    asked: Asked,
    verdict: str,
    chosen: Sequence[Chosen],
    passages: Sequence[Passage],
    max_tokens: int,
    count_tokens: Callable[[str], int],
) -> tuple[str, list[Citation], bool]:
    """Put the answer together: the verdict where there is one, then the quotes that fit."""
    text = ""
    citations: list[Citation] = []
    fits = True
    for each in chosen:
        shown = _shown(asked, each, passages)
        longer = _join(text, shown, each.block) if text else verdict + shown
        if count_tokens(longer) > max_tokens:
            fits = False
            continue
        text = longer
        citations += [cite(position + 1, passages[position], span) for position, span in each.spans]
    return text, citations, fits


def _shown(asked: Asked, each: Chosen, passages: Sequence[Passage]) -> str:
    """A chosen statement as it stands in the answer: heading, words, markers."""
    position, span = each.spans[0]
    passage = passages[position]
    words = readable(passage["text"][span.start : span.end], each.block)
    lead = ""
    if spoken(bare(words)) != asked.language:
        lead = say("other_language", asked.language)
        words = words if each.block else say("quote", asked.language, words=words)
    if not each.block and words.endswith((":", "：")):
        words = words[:-1] + ("." if words.endswith(":") else "。")
    if each.needs_title and passage.get("title"):
        lead = say("heading", spoken(bare(words)), title=passage["title"]) + lead
    marks = "".join(f"[{number + 1}]" for number in dict.fromkeys(at for at, _ in each.spans))
    gap = "\n\n" if each.block else ("" if spoken(bare(words)) == "zh" else " ")
    return f"{lead}{words}{gap}{marks}"


_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>|\{\s*#[\w-]+\s*\}")


def readable(words: str, block: bool = False) -> str:
    """Source words fit for an answer: without the source's own markers, tags and soft line ends."""
    if block:
        return words.strip()
    words = _TAG.sub("", words)
    words = re.sub(r"^\s*(?:[-*+•]|\d{1,3}[.)]|>+)\s+", "", markers.strip(words))
    return re.sub(r"\s+", " ", words).strip()


def _join(text: str, more: str, block: bool) -> str:
    if not text:
        return more
    return text + ("\n\n" if block or "\n" in text else " ") + more
