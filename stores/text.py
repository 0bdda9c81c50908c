"""Text functions that everything else stands on. English and Chinese are equals here.

All spans are pairs of character offsets into the text that was given, so `text[start:end]` is
always verbatim.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Chinese, Japanese and Korean characters, for use inside a character class."""
_HAS_CJK = re.compile(f"[{CJK}]")
_WORD = re.compile(rf"[{CJK}]+|(?:(?![{CJK}])\w)+(?:['’](?:(?![{CJK}])\w)+)*[+#]*")
_BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Span(NamedTuple):
    """A stretch of a text: `text[start:end]`."""

    start: int
    end: int


def clean(text: str) -> str:
    """Make a text safe to store, once, on the way in.

    Line ends become "\\n" and a byte-order mark goes. Control characters become spaces and half
    surrogate pairs U+FFFD, one for one, so that offsets into an ordinary file stay true.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _BAD.sub(" ", text))


def has_cjk(text: str) -> bool:
    """True when a Chinese, Japanese or Korean character occurs."""
    return _HAS_CJK.search(text) is not None


def language(text: str) -> Literal["zh", "en"]:
    """`zh` when at least a fifth of the letters are CJK, else `en` (any other script included)."""
    letters = [c for c in text if c.isalpha()]
    cjk = sum(1 for c in letters if _HAS_CJK.match(c))
    return "zh" if cjk and cjk * 5 >= len(letters) else "en"


def in_known_script(text: str) -> bool:
    """True when most letters are Latin or CJK: the words of other scripts are not known here."""
    letters = [c for c in text if c.isalpha()]
    known = sum(1 for c in letters if c < "\u0250" or _HAS_CJK.match(c))
    return 2 * known >= len(letters)


def fold(text: str) -> str:
    """Lower case, full-width signs made half-width, composed: for comparing, never for showing."""
    return unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> list[str]:
    """Words in order, folded; a run of CJK characters is one word."""
    return _WORD.findall(fold(text))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light English stem: plural and the commonest verb endings. Other words come back as is."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 2 and re.search("[aeiouy]", root):
            if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
                return root[:-1]
            return root
    return word.removesuffix("e") if len(word) > 4 else word


def terms(text: str) -> list[str]:
    """Search terms in order: stemmed words, and for CJK each character and each pair."""
    found: list[str] = []
    for word in words(text):
        if _HAS_CJK.match(word):
            found.extend(word)
            found.extend(word[i : i + 2] for i in range(len(word) - 1))
        else:
            found.append(stem(word.split("'")[0].split("’")[0] or word))
    return found


_EN = (
    "a about after all also am an and any are as at be been before being but by can could "
    "did do does doing for from get had has have having he her here hers him his how i if in "
    "into is it its itself just let many may me might more most much must my no nor not of "
    "off on or other our out over own please same shall she should so some such tell than that "
    "the their them then there these they this those through to too under until up upon us very "
    "was we were what when where which while who whom whose why will with would you your yours"
)
STOP_EN = frozenset(_EN.split())
"""English words that carry no topic; `no`, `not` and `nor` matter elsewhere (see negation)."""

_ZH = (
    "什么 怎么 怎样 怎么样 如何 为什么 为何 哪个 哪些 哪里 哪儿 哪年 哪一年 哪位 谁 多少 "
    "几点 几时 几号 几月 几天 几个 多久 多长 多大 多高 多远 何时 何地 何人 什么时候 是否 "
    "是不是 有没有 能不能 可不可以 请问 请 吗 呢 吧 啊 的 了 着 过 地 得 是 在 有 "
    "和 与 及 或 也 都 就 而 被 把 对 于 从 到 以 为 由 其 这 那 这个 那个 哪 个 一个 我 你 "
    "他 她 它 们 我们 你们 他们 之 所 等 中 上 下 里 会 可以 能 要 应该 需要 以及 关于 根据 "
    "一下 告诉"
)
STOP_ZH = _ZH.split()
"""Chinese function words and question words, longest matched first."""

_STOP_ZH = re.compile("|".join(sorted(map(re.escape, STOP_ZH), key=len, reverse=True)))
_STOP_STEMS = frozenset(map(stem, STOP_EN)) | STOP_EN


def content_terms(text: str) -> list[str]:
    """Terms that carry the topic: no function words; CJK runs are cut at function words first."""
    found: list[str] = []
    for word in words(text):
        if _HAS_CJK.match(word):
            for piece in filter(None, _STOP_ZH.split(word)):
                if len(piece) == 1:
                    found.append(piece)
                found.extend(piece[i : i + 2] for i in range(len(piece) - 1))
        elif word not in STOP_EN:
            root = stem(word.split("'")[0].split("’")[0] or word)
            if root not in _STOP_STEMS:
                found.append(root)
    return found


# A sentence ends at an ender with its closing quotes; in English only before space or CJK.
_ENDER = re.compile(
    r"(?:[。！？；!?…｡]+|(?<![.\d])\.(?!\d)|(?<=\d)\.(?=\s|$)|\.{2,})"
    r"[\"'”’»」』）)\]】〉》*_]*"
)
_NEXT = re.compile(r"\s*(\S)")
_FULL_ENDER = re.compile("[。！？；｡]")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[“\"'])(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|Mt|vs|etc|e\.g|i\.e|cf|al|Inc|Ltd|Co|Corp|No|"
    r"Fig|Eq|Sec|Ch|pp?|Vol|approx|dept|est|Gen|Col|Lt|Sgt|Capt|Rev|Hon|Gov|Sen|Rep|Jan|Feb|Mar|"
    r"Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|[A-Z]|(?:[A-Z]\.)+[A-Z])\.$"
)
_BLOCK_LINE = re.compile(
    r"\s*(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|[|>]|```|~~~|/{3}|:::|={3,}|-{3,})"
)


def _blocks(text: str) -> list[Span]:
    """Paragraphs, list items, headings and table rows: no sentence goes across them."""
    blocks: list[Span] = []
    start: int | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        blank = not line.strip()
        if start is not None and (blank or _BLOCK_LINE.match(line)):
            blocks.append(Span(start, at))
            start = None
        if not blank and start is None:
            start = at
        if start is not None and re.match(r"\s*(?:#{1,6}\s|[|])", line):
            blocks.append(Span(start, at + len(line)))
            start = None
        at += len(line)
    if start is not None:
        blocks.append(Span(start, at))
    return blocks


def _trim(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if end > start else None


def sentences(text: str) -> list[Span]:
    """Spans of the sentences, in order, without the space around them.

    Headings, list items and table rows are units of their own. Decimals, initials and common
    abbreviations do not end a sentence; Chinese enders always do, with their closing quotes.
    """
    spans: list[Span] = []
    for block in _blocks(text):
        start = block.start
        for match in _ENDER.finditer(text, block.start, block.end):
            end = match.end()
            if not _FULL_ENDER.search(match.group()):
                follows = text[end : end + 1]
                if end < block.end and not (follows.isspace() or has_cjk(follows)):
                    continue
                if _ABBREVIATION.search(text[max(start, match.start() - 12) : match.start() + 1]):
                    continue
                rest = _NEXT.match(text, end, block.end)
                if rest and rest.group(1).islower() and match.group()[0] in ".…":
                    continue
                if re.fullmatch(r"\s*\d{1,3}\.", text[start:end]):
                    continue
            if span := _trim(text, start, end):
                spans.append(span)
            start = end
        if span := _trim(text, start, block.end):
            spans.append(span)
    return spans
