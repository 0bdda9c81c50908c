"""Whether a sentence holds something of the kind that was asked for."""

from __future__ import annotations

import re

from ...stores.text import content_terms, fold, has_cjk
from ..judges.names import names
from ..judges.numbers import dates, numbers
from .asked import Wants
from .measures import measure_asked

SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏"
    "魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵"
    "万钱严覃武戴莫孔向汤梅章葛萧齐巩岳司诸欧阮蓝倪凌霍柯柳樊殷施翟"
)
_NAME_ZH = re.compile(
    rf"[·•]|(?<![\u4e00-\u9fff])[{SURNAMES}][\u4e00-\u9fff]{{1,2}}|[{SURNAMES}][\u4e00-\u9fff]{{1,2}}"
    "(?=[，、。（(《]|执导|主演|担任|出任|当选|饰|说|表示|获|导演|编剧|等|和|与|的)|"
    "(?:导演|主演|作者|由|总统|主席|教授|先生|女士|饰演|冠军|得主)[：:]?[\u4e00-\u9fff·]{2,8}|"
    "[是为][\u4e00-\u9fff·]{2,6}(?=[，。、；）(（]|$)"
)
_PLACE_ZH = re.compile(
    "[\u4e00-\u9fff]{1,6}"
    "[省市县区州国镇乡村路街山河湖海岛洲城港湾馆园寺大学宫站]|"
    "(?:位于|坐落|来自|在|于)[\u4e00-\u9fff]{2,}|[东西南北][部方侧岸]"
)
_PLACE_EN = re.compile(r"\b(?:in|at|near|from|to|of|on|off|outside|between)\s+(?:the\s+)?[A-Z]|"
                       r"\b(?:north|south|east|west)(?:ern)?\b")  # fmt: skip
_TIME = re.compile(
    r"\b\d{1,2}:\d{2}\b|\b\d{4}s\b|\bcentur(?:y|ies)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|"
    r"\b(?:19|20)\d\d\b|世纪|年代|时期|[春夏秋冬]季|[\d一二三四五六七八九十]+点|[上下]午|朝",
    re.IGNORECASE,
)


_PRICE = re.compile(
    r"\b(?:price|prices|priced|cost|costs|fees?|salary|how much (?:money|is|does it cost))\b"
    "|价格|价钱|多少钱|费用|票价|售价|收费|工资"
)
_MONEY = re.compile(
    r"[$€£¥￥₹]|\b(?:dollars?|euros?|cents?|pounds?|yuan|rmb|yen|rupees?|usd|eur|gbp|cny)\b"
    r"|\bfree\b|\d\s*(?:万|亿)?(?:美|日|欧|港|韩|台)?(?:元|块|圆|镑)|人民币|英镑|免费"
)
_SOMEBODY = r"\b(?:by|and|named|called|is|was|are|were)\s+(?:the\s+)?"
_SOMEBODY_NAMED = re.compile(_SOMEBODY + r"([A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*)")
_VERSION = re.compile(r"\b\d+\.\d+\.\d+[\w.]*")


def holds(wants: Wants, text: str, question: str, near: str = "") -> bool | None:
    """True when `text` names a candidate that the question does not name itself.

    None when the kind of question asks for no special thing. `near` is what the names of a
    subject may come from (the title), so that they are no news either.
    """
    known = fold(question)
    if wants == "number":
        if _PRICE.search(known):
            return _MONEY.search(fold(text)) is not None
        text = _VERSION.sub(" ", text)
        measure = measure_asked(question)
        if measure is not None and not _new_figure(measure, fold(text), known):
            return False
        return any(number.said not in known for number in numbers(text)) or (
            any(date.said not in known for date in dates(text)) and "year" in known
        )
    if wants == "when":
        said = [date.said for date in dates(text)] + [m.group() for m in _TIME.finditer(text)]
        return any(fold(one) not in known for one in said)
    if wants in ("who", "where"):
        return _names(wants, text, known, fold(near))
    return None


def _new_figure(measure: re.Pattern[str], text: str, known: str) -> bool:
    """Whether a figure in this measure stands in a text and not in the question."""
    return any(match.group().strip() not in known for match in measure.finditer(text))


def _names(wants: Wants, text: str, known: str, near: str) -> bool:
    if wants == "where" and (_PLACE_EN.search(text) or _PLACE_ZH.search(text)):
        return True
    if wants == "who" and any(_new(match.group(), known) for match in _NAME_ZH.finditer(text)):
        return True
    said = names(text)
    if wants == "who":  # also in a short sentence that is mostly names
        said += [match[1] for match in _SOMEBODY_NAMED.finditer(text)]
    new = [name for name in said if _new(name, known + " " + near)]
    if wants == "who" and not has_cjk(text):
        return any(_may_be_somebody(name, text, known) for name in new)
    return bool(new)


def _may_be_somebody(name: str, text: str, known: str) -> bool:
    """Whether a name can be that of a person or a body: of two words, or where somebody is named.

    A name that begins like one in the question is of a thing that belongs to it: "FastAPI Cloud".
    """
    first = content_terms(name)[:1]
    if first and first[0] in known:
        return False
    return " " in name or re.search(rf"{_SOMEBODY}{re.escape(name)}\b", text) is not None


def _new(name: str, known: str) -> bool:
    """Whether a name has a term that is not known yet."""
    return any(term not in known for term in content_terms(name)) or name in "·•"
