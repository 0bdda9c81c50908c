"""What kind of answer a question asks for, and where a text shows one of that kind.

A question that asks for a date is better served by a passage that has a new date close to the
question's own words than by one that only repeats those words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .related import spellings

_KIND = {
    "reason": r"\bwhy\b|\bcauses? of\b|\breasons?\b|为什么|為什麼|为何|為何|原因",
    "date": (
        r"\b(?:when|(?:what|which) (?:year|date|day|month)|(?:release|premiere|birth) ?date)\b|"
        r"什么时候|什麼時候|哪個時候|何时|何時|哪一?[年天日月]|几月|几号|时间|時間|日期"
    ),
    "number": (
        r"\bhow (?:many|much|long|old|far|tall|big|high|large|often|deep|fast)\b|\bwhat (?:number|"
        r"percentage|percent)\b|\bwhat is the (?:population|average|total|cost|price|score|height|"
        r"length|size)\b|多少|[第为有]?[几幾][个次人名届天位岁场部座条家枚个种]|第[几幾]|"
        r"多[大高长久远重]|票房|产量|金额|总额|规模|数量|人数|人口|[率量额价费]$|奖金|营收|收入|利润|"
        r"市值|比分|面积"
    ),
    "person": (
        r"\b(?:who|whom|whose)\b|谁|誰|哪位|哪一位|何人|作者|导演|编剧|主演|主教练|创始人|总裁|冠军|"
        r"得主|总统|主席|市长"
    ),
    "place": (
        r"\bwhere\b|\b(?:what|which) (?:city|country|state|county|town|place|continent|island|"
        r"river)\b|哪里|哪裡|哪儿|何地|何处|何處|在哪|哪[个個座]?(?:国家|國家|城市|省|地方|地区|州|县)|"
        r"地点|举办地"
    ),
    "manner": (r"\bhow (?:do|does|did|to|can|is|are|was|were|should)\b|怎么|怎样|如何|怎樣|怎麼"),
}
KINDS = tuple(_KIND)
_KINDS = {kind: re.compile(pattern) for kind, pattern in _KIND.items()}

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_NAME = r"[A-Z][\w'’-]+(?:\s+(?:[A-Z][\w'’-]*\.?|de|van|von|of|the)){0,4}"
_SURNAME = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢"
    "傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵万钱严洪武莫孔汤張劉陳楊黃趙吳孫馬羅鄭"
)
_CJK = "[\u4e00-\u9fff]"
_SHOWN = {
    "date": re.compile(
        rf"\d{{4}}\s?年(?:\s?\d{{1,2}}\s?月)?(?:\s?\d{{1,2}}\s?[日號号])?|\d{{1,2}}\s?月\s?\d{{1,2}}\s?[日號号]|"
        rf"\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?|\b\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}"
        rf"(?:,?\s+\d{{4}})?|\b{_MONTH},?\s+\d{{4}}\b|\b1[0-9]\d\d\b|\b20\d\d\b",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"(?<![\w.])\d[\d,.]*\d?(?:\s?(?:%|percent|million|billion|thousand|万|亿|千|百))?(?!\d?[年月日號号])|"
        r"[一二三四五六七八九十百千万两]{1,6}(?=[个個人名次届天位岁歲场座条家枚种米元公平])|百分之|"
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
        r"hundred|thousand|million|billion|once|twice)\b",
        re.IGNORECASE,
    ),
    "person": re.compile(
        rf"{_NAME}|{_CJK}{{1,6}}[·•]{_CJK}{{1,6}}|[{_SURNAME}]{_CJK}{{1,2}}(?=[^\u4e00-\u9fff]|[、，。执导饰出担任在是为的和与等获当将也曾表介])"
        rf"|{_CJK}{{2,4}}(?:队|公司)"
    ),
    "place": re.compile(
        rf"(?:\b(?:in|at|near|from|of|to|on)\s+(?:the\s+)?)?{_NAME}|{_CJK}{{2,4}}[省市县区州国岛镇村路縣區國島鎮湾城馆園园]|"
        rf"(?:位于|位於|坐落|在){_CJK}{{2,4}}"
    ),
    "reason": re.compile(
        r"\b(?:because|due to|since|caused?|result(?:ed|s)?|in order to|so that|led to|reasons?|"
        r"therefore|thus|as a)\b|因为|由于|导致|所以|原因|因此|為了|因為|由於|導致|使得|以便",
        re.IGNORECASE,
    ),
    "manner": re.compile(
        r"\b(?:by|using|use[sd]?|through|via|steps?|method|process|must|can|first)\b|通过|使用|方法|步骤|"
        r"首先|需要|可以|方式|利用|透過",
        re.IGNORECASE,
    ),
}
_STAMP = re.compile(
    rf"^\s*(?:{_MONTH}\s+\d{{1,2}},\s+\d{{4}}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日)\s+(?:\.\.\.|…|[-—·])\s*",
    re.IGNORECASE,
)


def expected_kind(question: str) -> str:
    """One of KINDS for a folded question, or "" when it asks for something else."""
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(question)), "")


def without_stamp(text: str) -> str:
    """The text without the date of publication that search snippets begin with."""
    return _STAMP.sub("", text, count=1)


def answer_nearby(
    kind: str, question: str, weights: Mapping[str, float], text: str, folded: str
) -> tuple[float, float]:
    """Weight of question terms around the best candidate answer, and how many candidates (0 to 1).

    A candidate is a date, number, name, place or connective of the kind that is asked for, whose
    words the question does not hold. `folded` is the text in small letters, of equal length.
    """
    sign = _SHOWN.get(kind)
    if sign is None or len(folded) != len(text):
        return 0.0, 0.0
    places: list[tuple[int, str]] = []
    for term in weights:
        for word in spellings(term):
            at = folded.find(word)
            while at >= 0 and len(places) < 400:
                places.append((at, term))
                at = folded.find(word, at + len(word))
    reach = 45 if any("\u4e00" <= c <= "\u9fff" for c in question) else 110
    best, found = 0.0, 0
    for match in sign.finditer(text):
        said = match.group().casefold().strip()
        if said in question and kind not in ("reason", "manner"):
            continue
        found += 1
        low, high = match.start() - reach, match.end() + reach
        near = {term for at, term in places if low <= at <= high}
        best = max(best, sum(weights[term] for term in near))
        if found >= 40:
            break
    return best, min(found, 4) / 4
