"""Counting tokens without a tokenizer file: no download, no network.

A price list by kind of piece, fitted on English and Chinese prose and Markdown against cl100k,
o200k, Tekken, WordPiece and Mistral 7B's SentencePiece. It leans to the high side. Of texts of 80
characters and more, none of them used for the fit, 99 in 100 are counted at no less than 0.95 of
any of these (0.88 of Mistral 7B's, whose vocabulary is the smallest), and none at less than 0.80.
The price of that: English comes out about 20 % above cl100k, Chinese 18 % above cl100k and 75 %
above o200k, which knows more Chinese words. Give `select` your model's own counter to use that
room.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PIECE = re.compile(r"[A-Za-z]+|\d|[^\x00-\x7f]|[^\w\s]+|_+", re.ASCII)
_NEW_LINE = 60
"""Hundredths of a token for a line break."""
_START = 200
"""Hundredths of a token for any text that is not empty: cuts at its ends, marks before it."""


@lru_cache(maxsize=1)
def _common_hanzi() -> frozenset[str]:
    """The 3,755 commonest Chinese characters: level 1 of GB 2312. Tokenizers split the others."""
    level_1 = bytes(
        b for high in range(0xB0, 0xD8) for low in range(0xA1, 0xFF) for b in (high, low)
    )
    return frozenset(level_1.decode("gb2312", "ignore"))


def _word(word: str) -> int:
    """Hundredths of a token for a run of ASCII letters."""
    size = len(word)
    if size > 1 and word.isupper():
        return 47 * size
    capitals = sum(map(str.isupper, word))
    base = 107 if size <= 7 else 160 if size <= 10 else 15 * size + 40 * max(0, size - 20)
    return base + 50 * capitals


@lru_cache(maxsize=1 << 16)
def _price(piece: str) -> int:
    """Hundredths of a token for one piece of text."""
    first = piece[0]
    if first.isascii():
        if first.isalpha():
            return _word(piece)
        if first.isdigit():
            return 120
        return 90 + 140 * (len(piece) - 1)
    if first in _common_hanzi():
        return 140
    if "\u3000" <= first <= "\u303f" or "\uff00" <= first <= "\uffef":
        return 150
    if "\u2010" <= first <= "\u2027":
        return 100
    return 200 if first < "\u0250" else 220 if first < "\U00010000" else 400


def _chunk(chunk: str) -> int:
    """Hundredths of a token for a stretch without white space."""
    return sum(map(_price, _PIECE.findall(chunk)))


_known_chunk = lru_cache(maxsize=1 << 16)(_chunk)


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text, a little high rather than low; 0 for an empty one."""
    if not text:
        return 0
    # Words come again; long stretches, such as Chinese sentences, do not.
    prices = (_known_chunk(c) if len(c) < 24 else _chunk(c) for c in text.split())
    return -(-(_START + _NEW_LINE * text.count("\n") + sum(prices)) // 100)
