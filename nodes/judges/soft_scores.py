"""Soft scores: how sure a judge is, from the probabilities of the tokens of its label.

Self-RAG (Asai et al. 2023, section 3.3 and appendix A) normalises inside the group of labels, on
probabilities. Log-probabilities are turned into probabilities first: a ratio of raw
log-probabilities inverts the decision.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .labels import bare, label_words

_LEAST = 0.05
"""A label position where the labels have less probability than this is not one."""


def score_from_tokens(
    tokens: Sequence[Mapping[str, Any]], scale: tuple[str, ...], label: str, field: str = ""
) -> float | None:
    """0 to 1, how much the judge holds with the best label; None when it cannot be told.

    `tokens` are those of the reply, each `{"token", "logprob", "top_logprobs": [...]}`; `label` is
    what the reply was read as, so that the place where it was written can be found.
    """
    place = _label_place(tokens, scale, label, field)
    if place is None:
        return None
    token, lead = place
    mass = dict.fromkeys(scale, 0.0)
    for one in token.get("top_logprobs") or [token]:
        meant = _meant(str(one.get("token", "")), lead, scale)
        if meant:
            mass[meant] += math.exp(min(0.0, float(one.get("logprob", -math.inf))))
    total = sum(mass[name] for name in _group(scale))
    if total < _LEAST:
        return None
    held = sum(w * mass[name] for w, name in zip(_weights(scale), _group(scale), strict=True))
    return min(1.0, max(0.0, held / total))


def _group(scale: tuple[str, ...]) -> tuple[str, ...]:
    """The labels that the score compares: `continue` is not on the way from yes to no."""
    return tuple(label for label in scale if label != "continue")


def _weights(scale: tuple[str, ...]) -> tuple[float, ...]:
    """Evenly from the best label, 1, to the worst, 0. For 1..5 that is (w + 1) / 2 of the paper."""
    group = _group(scale)
    if group[0] == "1":
        return tuple(i / (len(group) - 1) for i in range(len(group)))
    return tuple(1 - i / (len(group) - 1) for i in range(len(group)))


def _label_place(
    tokens: Sequence[Mapping[str, Any]], scale: tuple[str, ...], label: str, field: str
) -> tuple[Mapping[str, Any], str] | None:
    """The token in which the label begins, and what stands in that token before it."""
    starts: list[int] = []
    text = ""
    for token in tokens:
        starts.append(len(text))
        text += str(token.get("token", ""))
    at = _label_start(text, scale, label, field)
    if at is None:
        return None
    index = max(i for i, start in enumerate(starts) if start <= at)
    return tokens[index], text[starts[index] : at]


def _label_start(text: str, scale: tuple[str, ...], label: str, field: str) -> int | None:
    words = [word for word, meant in label_words(scale).items() if meant == label]
    any_word = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    key = re.escape(field) if field else r"[\w ]+"
    named = rf"[\"']{key}[\"']\s*[:：]\s*[\"'\[]?\s*({any_word})"
    found = list(re.finditer(named, text, re.I))
    if not found:
        found = list(re.finditer(rf"(?<![A-Za-z])({any_word})(?![A-Za-z])", text, re.I))
    return found[-1].start(1) if found else None


def _meant(token: str, lead: str, scale: tuple[str, ...]) -> str:
    """The label that a token begins, where `lead` may stand before it."""
    if lead and token.startswith(lead):
        token = token[len(lead) :]
    word = bare(token)
    if not word:
        return ""
    words = label_words(scale)
    if word in words:
        return words[word]
    starts = {meant for full, meant in words.items() if full.startswith(word) and len(word) > 1}
    return starts.pop() if len(starts) == 1 else ""
