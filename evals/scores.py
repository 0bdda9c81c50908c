"""How right an answer is: exact match, F1, contains, accuracy, ROUGE-L. Chinese by characters.

The labels of a task are parts that are all needed, each with several spellings that will do. The
score over several parts is the mean of each part's best spelling. Which scores a task gets follows
from its labels: yes or no, short, or long.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..stores.errors import EvaluationError
from ..stores.text import CJK, fold, has_cjk

Parts = Sequence[Sequence[str]]
Score = Callable[[str, str], float]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PIECE = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
_MARKER = re.compile(r"\s*\[\d+\]")


def plain(text: str) -> str:
    """A text as it is compared: folded, without citation markers."""
    return fold(_MARKER.sub("", text)).strip()


def pieces(text: str) -> list[str]:
    """Words without articles; Chinese, Japanese and Korean by characters."""
    return _PIECE.findall(_ARTICLES.sub(" ", plain(text)))


def exact_match(said: str, right: str) -> float:
    """1 when nothing but articles, case and signs differs."""
    return float(pieces(said) == pieces(right))


def f1(said: str, right: str) -> float:
    """Harmonic mean of precision and recall over words or characters."""
    got, want = pieces(said), pieces(right)
    shared = sum((Counter(got) & Counter(want)).values())
    if not shared:
        return float(got == want)
    precision, recall = shared / len(got), shared / len(want)
    return 2 * precision * recall / (precision + recall)


def contains(said: str, right: str) -> float:
    """1 when the right answer stands in what was said, word for word."""
    got, want = pieces(said), pieces(right)
    if has_cjk(right):
        return float("".join(want) in "".join(got))
    return float(any(got[at : at + len(want)] == want for at in range(len(got) - len(want) + 1)))


def accuracy(said: str, right: str) -> float:
    """1 when an answer to a yes-or-no question begins with the right word."""
    got, want = plain(said), plain(right)
    return float(any(_begins_with(got, word) for word in _CLOSED[want]))


def _begins_with(text: str, word: str) -> bool:
    if not text.startswith(word):
        return False
    return has_cjk(word) or not text[len(word) : len(word) + 1].isalnum()


_YES, _NO = ("yes", "true", "是", "对"), ("no", "false", "不", "否", "没有")
_CLOSED = {word: words for words in (_YES, _NO) for word in words}


def rouge_l(said: str, right: str) -> float:
    """ROUGE-L F-measure (Lin, 2004), from the library rouge-score; Chinese by characters.

    Raises EvaluationError when the library is not installed.
    """
    return float(_rouge().score(right, said)["rougeL"].fmeasure)


@cache
def _rouge() -> Any:
    try:
        from rouge_score import rouge_scorer, tokenizers
    except ImportError:
        raise EvaluationError("ROUGE-L needs: pip install 'ragloop[evals]'") from None

    class Pieces(tokenizers.Tokenizer):  # type: ignore[misc]  # the library has no types
        def tokenize(self, text: str) -> list[str]:
            return pieces(text)

    return rouge_scorer.RougeScorer(["rougeL"], tokenizer=Pieces())


def over_parts(score: Score, said: str, parts: Parts) -> float:
    """The mean over the parts of the best spelling's score; 0 when nothing is known to be right."""
    if not parts:
        return 0.0
    return sum(max(score(said, spelling) for spelling in part) for part in parts) / len(parts)


LONG = 25
"""References with more words (or characters of Chinese, twice as many) are texts, not facts."""


def scores_for(parts: Parts) -> dict[str, Score]:
    """The scores that suit the labels of a task; the last one is its quality.

    Yes or no: accuracy. A short answer: exact match, F1, contains. A long one: F1, ROUGE-L.
    """
    spellings = [spelling for part in parts for spelling in part]
    if not spellings:
        return {}
    if all(plain(spelling) in _CLOSED for spelling in spellings):
        return {"accuracy": accuracy}
    if sum(map(_length, spellings)) > LONG * len(spellings):
        return {"f1": f1, "rouge_l": rouge_l}
    return {"exact_match": exact_match, "f1": f1, "contains": contains}


def _length(text: str) -> float:
    return len(pieces(text)) / (2 if has_cjk(text) else 1)


def score_answer(said: str, parts: Parts) -> dict[str, float]:
    """All scores that suit, 0 to 1; empty when nothing is known to be right."""
    found = scores_for(parts)
    return {name: round(over_parts(score, said, parts), 4) for name, score in found.items()}
