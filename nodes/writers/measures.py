"""What a figure must measure to answer a question: money for a revenue, metres for a height.

A number answers "how many people" only as a number of people. Where a question does not say what it
counts or measures, any number may answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...stores.text import fold

_FIGURE_EN = (
    r"(?:\d[\d,.]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|"
    r"twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half an?|an?)\b)"
    r"(?:[\s-](?:and|to|or|a|half|hundred|thousand|million|billion|trillion|square|\d[\d,.]*))*[\s-]?"
)
_FIGURE_ZH = "(?:\\d[\\d,.]*|[一二三四五六七八九十百千万两半数])[万亿千百十多余几来\\s]*"

_MONEY = (
    r"[$€£¥￥₹]|\d[\d,.]*\s*(?:[mb]n\b|(?:m|b|tr)illion\b)|\b(?:dollars?|euros?|pounds?|yuan|rmb|"
    r"yen|rupees?|usd|eur|gbp|cny)\b|人民币|免费|"
    + _FIGURE_ZH + "(?:[美日欧港韩台]?(?:元|块|圆|镑))"
)  # fmt: skip
_PERCENT = (
    r"\d\s*(?:[%％]|percent|per cent)|\b(?:percent|per cent|third|quarter|half)\b|"
    r"\d+ (?:in|of|per) |百分之|个百分点|\d倍"
)
_LENGTH = (
    _FIGURE_EN + r"(?:m|km|cm|mm|ft|metres?|meters?|kilomet(?:er|re)s?|centimet(?:er|re)s?|feet|"
    r"foot|inch(?:es)?|miles?|yards?|stor(?:ey|ie)s?|storeys|light)\b|\d['′″]|"
    + _FIGURE_ZH + "(?:米|公里|千米|里|厘米|毫米|海里|英尺|英里|尺|丈|层)"
)  # fmt: skip
_WEIGHT = (
    _FIGURE_EN + r"(?:kg|g|mg|lbs?|oz|kilos?|kilograms?|grams?|pounds?|ounces?|tons?|tonnes?)\b|"
    + _FIGURE_ZH + "(?:吨|公斤|千克|克|斤|磅)"
)  # fmt: skip

_MEASURES: tuple[tuple[str, str], ...] = (
    ("美元|美金", _FIGURE_ZH + "美[元金]|\\$\\d"),
    ("多长时间|多久|(?:几|多少)(?:年|天|个?小时|分钟|秒|个月|周|个星期)",
     _FIGURE_ZH + "(?:年|天|日|个?小时|分钟|分|秒|个?月|周|个?星期|载|岁)"),
    ("多少(?:个|名|位)?人|几[个名位]?人|人数|人口|(?:死亡|伤亡|受伤|遇难).{0,4}(?:多少|几)",
     _FIGURE_ZH + "(?:名|位|口|人|个人)|\\d[\\d,.]*\\s*[万亿]"),
    (r"\b(?:revenue|income|profit|budget|gross(?:ed)?|net worth|gdp|box office|turnover)\b|"
     "营收|收入|净?利润|票房|市值|奖金|金额|融资|产值|净资产|总资产",
     _MONEY),
    (r"\b(?:percent(?:age)?|per cent|proportion|share|(?:growth|inflation|unemployment|interest|"
     r"literacy|tax|mortality|birth|death) rate)\b|百分之几|增长率|增速|增幅|占比|"
     "(?:失业|通胀|通货膨胀|利|税|出生|死亡|中签|命中|收视|得票)率|增长了?(?:多少|几)",
     _PERCENT),
    ("面积|多少(?:平方|亩|公顷)", _FIGURE_ZH + "(?:平方|亩|公顷|㎡|km2|m2)"),
    (r"\bhow (?:tall|high|deep|wide|far)\b|\b(?:height|depth|width|distance|elevation)\b|"
     "多[长高远宽深]|高度|长度|宽度|深度|海拔|距离|里程",
     _LENGTH),
    (r"\bhow heavy\b|\bweigh|\bweight\b|多重|重量|体重", _WEIGHT),
    ("产量", _FIGURE_ZH + "(?:吨|公斤|千克|斤|桶|辆|台|部|件|颗|立方|只|头)(?!\\s*[/／])"),
    ("销量|保有量", _FIGURE_ZH + "(?:吨|辆|台|部|件|套|册|张|本|份|瓶|单|架)"),
)  # fmt: skip
"""What a question says, and the figures that answer it, in either language."""
_COUNTED_ZH = re.compile(
    "(?:多少|几)(?P<sign>[个只座家场条件项艘架辆台套张枚届种款集层席部本])(?P<thing>[\u4e00-\u9fff]{0,4})"
)


@lru_cache(maxsize=256)
def measure_asked(question: str) -> re.Pattern[str] | None:
    """A pattern of figures in the measure that a question asks for; None when any figure may do.

    The pattern is for folded text. Only for questions that ask for a number.
    """
    said = fold(question)
    for asked, shown in _MEASURES:
        if re.search(asked, said):
            return re.compile(shown)
    counted = _COUNTED_ZH.search(said)
    if counted is None:
        return None
    thing = counted["thing"]
    signs = {counted["sign"], *thing[:1], *thing[-1:]}
    return re.compile(f"{_FIGURE_ZH}[{''.join(sorted(signs))}]")
