"""How right an answer is: exact match, F1, contains, ROUGE-L. Chinese by characters.

The labels of a task are parts that are all needed, each with several spellings that will do. The
score over several parts is the mean of each part's best spelling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ..stores.errors import EvaluationError
from ..stores.text import fold, has_cjk

Parts = Sequence[Sequence[str]]
Score = Callable[[str, str], float]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]|\w+")
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


def rouge_l(said: str, right: str) -> float:
    """ROUGE-L F-measure, from the library rouge-score; Chinese by characters."""
    try:
        from rouge_score import rouge_scorer, tokenizers
    except ImportError:
        raise EvaluationError("ROUGE-L needs: pip install 'ragloop[evals]'") from None

    class Pieces(tokenizers.Tokenizer):  # type: ignore[misc]  # the library has no types
        def tokenize(self, text: str) -> list[str]:
            return pieces(text)

    scorer = rouge_scorer.RougeScorer(["rougeL"], tokenizer=Pieces())
    return float(scorer.score(right, said)["rougeL"].fmeasure)


def over_parts(score: Score, said: str, parts: Parts) -> float:
    """The mean over the parts of the best spelling's score; 0 when nothing is known to be right."""
    if not parts:
        return 0.0
    return sum(max(score(said, spelling) for spelling in part) for part in parts) / len(parts)


SCORES: dict[str, Score] = {"exact_match": exact_match, "f1": f1, "contains": contains}
"""Scores that every run gets; ROUGE-L is computed where the reference is a long text."""
