"""Whether the passages suffice for a question: a few readable signs, weighed by fitted numbers.

The numbers are in answerability.json; `python -m ragloop.evals.answerability` fits them again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ...stores.passage import Passage
from ...stores.text import content_terms, fold, has_cjk, terms
from .language import Language, say, spoken
from .scoring import Scored

COEFFICIENTS = Path(__file__).with_name("answerability.json")
ANSWERED = 0.5
SIGNS = ("sentence", "around", "pairs", "passage", "lacks", "judge", "judge_of_best")


def signs(
    part: str, passages: Sequence[Passage], ranked: Sequence[Scored], judged: Sequence[float]
) -> dict[str, float]:
    """The signs for one part of a question, each 0 to 1.

    sentence: share of the part's terms in the best sentence; around: with its title, heading and
    the sentence before; pairs: share of neighbouring terms that follow each other in it; passage:
    share of the terms in the best passage; lacks: the best sentence names nothing of the kind
    asked for; judge: the judge's best score; judge_of_best: its score of that sentence's passage.
    How many passages agree is left out: it says more about a collection than about an answer.
    """
    if not ranked or ranked[0].score <= 0:
        return dict.fromkeys(SIGNS, 0.0)
    best = ranked[0]
    wanted = set(content_terms(part))
    said = [set(terms(_whole(passage))) for passage in passages]
    return {
        "sentence": best.own,
        "around": best.coverage,
        "pairs": best.paired,
        "passage": max((len(wanted & have) for have in said), default=0) / max(1, len(wanted)),
        "lacks": float(best.holds is False),
        "judge": max(judged),
        "judge_of_best": judged[best.statement.passage],
    }


def _whole(passage: Passage) -> str:
    return " ".join(filter(None, (passage.get("title"), passage.get("section"), passage["text"])))


@lru_cache(maxsize=1)
def coefficients() -> dict[str, dict[str, float]]:
    """The fitted numbers, by language: a weight a sign, and a bias."""
    loaded: dict[str, dict[str, float]] = json.loads(COEFFICIENTS.read_text("utf-8"))["weights"]
    return loaded


def quotes_abroad(best: Scored, language: Language) -> bool:
    """Whether a sentence in another language may be quoted for a part.

    Only names and figures carry over, so all of them must be in the sentence, and the kind of
    thing asked for, where that is known. What the rest of the question asks cannot be checked.
    """
    foreign = spoken(best.statement.bare) != language
    return foreign and best.own >= 0.99 and best.holds is not False


def answerability(found: dict[str, float], language: Language) -> float:
    """How sure it is that a part is answered, 0 to 1; at 0.5 both errors cost the same."""
    if not (found["sentence"] or found["passage"]):
        return 0.0
    weights = coefficients()[language]
    value = weights["bias"] + sum(weights[sign] * found[sign] for sign in SIGNS)
    return 1.0 / (1.0 + math.exp(-value))


def missing(question: str, language: Language, passages: Sequence[Passage]) -> str:
    """Say in the question's language what the passages lack: its terms that occur nowhere."""
    have = fold(" ".join(map(_whole, passages)))
    have_terms = set(terms(have))
    lacking: list[str] = []
    for word in re.findall(r"[A-Za-z0-9][\w.+#'’-]*|[\u3400-\u9fff]+", question):
        wanted = content_terms(word)
        if has_cjk(word):
            lacking += _lacking_cjk(word, have)
        elif wanted and not set(wanted) & have_terms:
            lacking.append(word.rstrip("."))
    if lacking:
        quoted = [say("quote", language, words=word) for word in dict.fromkeys(lacking)]
        return say("missing_terms", language, terms=say("and", language).join(quoted))
    return say("missing_answer", language, question=question)


def _lacking_cjk(run: str, have: str) -> list[str]:
    """Stretches of a CJK run that do not occur, at least two signs long.

    A single pair of signs between pairs that do occur is where two words meet, and no word.
    """
    pairs = [pair for pair in content_terms(run) if len(pair) > 1]
    found: list[str] = []
    lone: list[bool] = []
    for at, pair in enumerate(pairs):
        if pair in have:
            continue
        before = pairs[at - 1] if at else ""
        after = pairs[at + 1] if at + 1 < len(pairs) else ""
        if found and before not in have and before[1:] == pair[0] and found[-1].endswith(before):
            found[-1] += pair[-1]
            lone[-1] = False
            continue
        meets = before[1:] == pair[0] or (after[:1] == pair[-1] and after in have)
        found.append(pair)
        lone.append(meets)
    return [words for words, alone in zip(found, lone, strict=True) if not alone]
