"""What the offline judge looks at when it grades a passage for a question, in plain sight.

All values lie between 0 and about 1. English and Chinese go through the same features; a term is a
stemmed word in English and a pair of characters in Chinese (`stores.text.content_terms`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...stores.text import content_terms, fold, has_cjk, language, sentences
from .numbers import numbers_and_dates
from .rarity import rarity

KINDS = ("person", "date", "place", "number", "reason", "manner")

_KIND = {
    "person": re.compile(r"\b(?:who|whom|whose)\b|谁|誰|哪位|哪一位|何人|作者|导演|主教练|创始人"),
    "date": re.compile(
        r"\b(?:when|what year|which year|what date|what day|what month)\b|什么时候|何时|哪[一]?年|"
        r"哪[一]?天|几月|时间|日期|哪個時候|什麼時候|何時|時間"
    ),
    "place": re.compile(
        r"\b(?:where|wherein|(?:what|which) (?:city|country|state|county|town|place|continent))\b|"
        r"哪里|哪裡|哪儿|何地|何处|在哪|哪个(?:国家|城市|省|地方|地区)|哪個(?:國家|城市|地方)|地点|举办地"
    ),
    "number": re.compile(
        r"\bhow (?:many|much|long|old|far|tall|big|high|large|often)\b|\bwhat (?:number|percentage|"
        r"percent|is the population)\b|多少|几[个次人名届天位岁场部座条家]|第几|多大|多高|多长|"
        r"多久|幾|票房|产量|金额|总额|规模|数量|人数"
    ),
    "reason": re.compile(r"\bwhy\b|\bcauses? of\b|\breasons?\b|为什么|為什麼|为何|原因|為何"),
    "manner": re.compile(
        r"\bhow (?:do|does|did|to|can|is|are|was|were)\b|怎么|怎样|如何|怎樣|怎麼"
    ),
}
_ZH_NAME = (
    "[王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢傅钟姜崔"
    "谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵万钱严洪武莫孔汤]"
    "[\u4e00-\u9fff]{1,2}|[\u4e00-\u9fff]{1,6}·[\u4e00-\u9fff]{1,6}"
)
_EN_NAME = r"\b[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+)*"
_SIGN = {
    "person": re.compile(f"{_EN_NAME}|{_ZH_NAME}"),
    "place": re.compile(
        rf"\b(?:in|at|near|from|of|to)\s+(?:the\s+)?{_EN_NAME}|"
        "[\u4e00-\u9fff]{2}[省市县区州国岛镇村路縣區國島鎮]|位于|坐落|举行|在[\u4e00-\u9fff]{2,}"
    ),
    "reason": re.compile(
        r"\b(?:because|due to|since|caused?|result(?:ed|s)?|in order to|so that|led to|reasons?|"
        r"therefore|thus)\b|因为|由于|导致|所以|原因|因此|為了|因為|由於|導致|使得|以便"
    ),
    "manner": re.compile(
        r"\b(?:by|using|through|via|steps?|method|process|must|can|first)\b|通过|使用|方法|步骤|"
        r"首先|需要|可以|方式|利用|透過"
    ),
}


@dataclass(frozen=True)
class Asked:
    """A question, read once for all the passages that are graded for it."""

    text: str
    terms: tuple[str, ...]
    weights: dict[str, float]
    total: float
    pairs: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    named: frozenset[str]
    """Terms that open with a capital (not as the first word); in Chinese quoted or Latin ones."""
    kind: str
    zh: bool


def read_question(question: str) -> Asked:
    """Read what the features need from a question, once."""
    terms = content_terms(question)
    weights = {t: rarity(t) for t in terms}
    capital = " ".join(re.findall(r"(?<=\s)[A-Z][\w'’-]*|[《“「\"][^》”」\"]+[》”」\"]", question))
    if has_cjk(question):
        capital += " " + " ".join(re.findall(r"[A-Za-z][A-Za-z0-9]*", question))
    said, dated = numbers_and_dates(question)
    figures = {str(n.value) for n in said} | {str(d.year) for d in dated if d.year}
    folded = fold(question)
    return Asked(
        text=question,
        terms=tuple(dict.fromkeys(terms)),
        weights=weights,
        total=sum(weights.values()) or 1.0,
        pairs=frozenset(zip(terms, terms[1:], strict=False)),
        numbers=frozenset(figures),
        named=frozenset(content_terms(capital)) & weights.keys(),
        kind=next((k for k in KINDS if _KIND[k].search(folded)), ""),
        zh=language(question) == "zh",
    )


def near(term: str, held: set[str], prefixes: set[str]) -> float:
    """1 when the term is held, 0.6 for an English word of the same beginning, else 0."""
    if term in held:
        return 1.0
    if len(term) >= 5 and term.isascii() and term[:5] in prefixes:
        return 0.6
    return 0.0


def beginnings(held: set[str]) -> set[str]:
    """First five letters of the longer words."""
    return {t[:5] for t in held if len(t) >= 5}


def _answers(asked: Asked, window: str) -> float:
    """1 when the window shows what the question asks for and the question does not hold."""
    if asked.kind in ("date", "number"):
        said, dated = numbers_and_dates(window)
        new_dates = [d for d in dated if str(d.year) not in asked.numbers or d.month]
        if asked.kind == "date":
            return float(bool(new_dates))
        return float(any(str(n.value) not in asked.numbers for n in said))
    if asked.kind in ("reason", "manner"):
        return float(bool(_SIGN[asked.kind].search(fold(window))))
    sign = _SIGN.get(asked.kind)
    if sign is None:
        return 0.5
    found = 0
    for match in sign.finditer(window):
        new = [t for t in content_terms(match.group()) if t not in asked.weights]
        found += bool(new)
    return min(found, 3) / 3


def relevance_features(
    asked: Asked, text: str, title: str = "", section: str = ""
) -> dict[str, float]:
    """Values by name for one question and one passage; see the comments for their meaning."""
    spans = sentences(text)
    lists = [content_terms(text[a:b]) for a, b in spans]
    head = set(content_terms(f"{title} {section}"))
    body = {t for terms in lists for t in terms}
    both = body | head
    prefixes = beginnings(both)
    hits = {t: near(t, both, prefixes) for t in asked.weights}
    covered = sum(w * hits[t] for t, w in asked.weights.items())
    exact = sum(w for t, w in asked.weights.items() if t in body)
    window, best, second = _best_window(asked, lists)
    where = text[spans[window].start : spans[min(window + 1, len(spans) - 1)].end] if spans else ""
    flat = [t for terms in lists for t in terms]
    pairs = set(zip(flat, flat[1:], strict=False)) if asked.pairs else set()
    missing = [w for t, w in asked.weights.items() if not hits[t]]
    plain = {t: w for t, w in asked.weights.items() if t not in asked.named}
    plain_total = sum(plain.values())
    shown = _answers(asked, where)
    times = sum(1 for t in flat if t in asked.weights)
    first = next((i for i, terms in enumerate(lists) if asked.weights.keys() & set(terms)), 0)
    said = fold(text) + " " + fold(title)
    return {
        # Share of the question's terms, weighted by rarity, in the passage and its headings.
        "covered": covered / asked.total,
        # The same without headings and without "same beginning" matches.
        "covered_in_text": exact / asked.total,
        # The same for the best two neighbouring sentences, and for the best sentence.
        "covered_in_window": best / asked.total,
        "covered_in_sentence": second / asked.total,
        # Share of the neighbouring term pairs of the question that stand together.
        "phrases": len(asked.pairs & pairs) / len(asked.pairs) if asked.pairs else 0.0,
        # Weight of the rarest term that is missing, and the share of terms missing.
        "rarest_missing": max(missing, default=0.0),
        "terms_missing": len(missing) / max(1, len(asked.weights)),
        # Names of the question found; terms that are no names (what is asked about them) found.
        "names": _share([hits[t] for t in asked.named], 0.5),
        "asked_about": sum(w * hits[t] for t, w in plain.items()) / plain_total
        if plain_total
        else 0.5,
        # Numbers of the question found.
        "numbers": _share([float(n in said) for n in asked.numbers], 0.5),
        # Share of the title's terms in the question, and of the question's in the title.
        "title_in_question": _share([float(t in asked.weights) for t in set(content_terms(title))]),
        "question_in_title": sum(w for t, w in asked.weights.items() if t in head) / asked.total,
        "has_title": float(bool(title)),
        # The best window shows the kind of thing that is asked for.
        "answer_kind": shown,
        "kind_known": float(bool(asked.kind)),
        # How dense the question's terms are, where they begin, and lengths.
        "density": min(1.0, 5 * times / max(20, len(flat))),
        "position": first / max(1, len(lists)),
        "length": min(1.0, math.log1p(len(flat)) / 7),
        "question_length": min(1.0, len(asked.weights) / 20),
        "zh": float(asked.zh),
    }  # fmt: skip


def _share(found: Sequence[float], nothing: float = 0.0) -> float:
    return sum(found) / len(found) if found else nothing


def _best_window(asked: Asked, lists: Sequence[Sequence[str]]) -> tuple[int, float, float]:
    """Index of the best two neighbouring sentences, their covered weight, and the best single."""
    sets = [asked.weights.keys() & set(terms) for terms in lists]
    single = max((sum(asked.weights[t] for t in s) for s in sets), default=0.0)
    where, best = 0, 0.0
    for i, held in enumerate(sets):
        pair = held | sets[i + 1] if i + 1 < len(sets) else held
        weight = sum(asked.weights[t] for t in pair)
        if weight > best:
            where, best = i, weight
    return where, best, single
