"""What a question asks for: a person, a time, a place, a number, yes or no, one of two, steps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...stores.text import content_terms, has_cjk
from .language import Language, spoken

Wants = Literal["who", "when", "where", "number", "yes_no", "choice", "steps", "code", "what"]

_EN: tuple[tuple[Wants, str], ...] = (
    ("code", r"\b(?:code|snippet|command|syntax)\b|\bexample of (?:a |an |the )?\w+ (?:in|with)\b"),
    ("number", r"\bhow (?:many|much|long|far|old|tall|big|large|high|fast|often|deep|heavy|wide)\b"
               r"|\bwhat (?:is |was |are |were )?(?:the )?(?:percentage|number|price|population|"
               r"score|cost|age|size|height|length|amount)\b"
               r"|\bwhat (?:is|was|are|were) (?:[\w'’.&-]+ ){1,4}(?:revenue|net income|profit|"
               r"budget|net worth|gdp|population|height|salary)\b"),
    ("when", r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time|century)\b"
             r"|\bwhat (?:is|was) the (?:date|time|year|release date)\b"),
    ("where", r"\bwhere\b|\b(?:what|which) (?:city|country|place|state|town|county|continent)\b"),
    ("who", r"\bwho(?:m|se)?\b|\b(?:what|which) (?:person|actor|actress|director|author|singer|"
            r"player|president|writer|artist|scientist|king|queen|coach|team)\b"),
    ("steps", r"\bhow (?:do|can|should|would|to|does one)\b|\bsteps?\b"),
)  # fmt: skip
_ZH: tuple[tuple[Wants, str], ...] = (
    ("code", "代码|示例|命令|语法"),
    ("when", "什么时候|什么时间|何时|哪[一]?[年天月日]|几[月号点]|什么年代|时间是?[？?]?$|日期|"
             "哪个(?:年|月|世纪)|什么时期|年份"),
    ("number", "多少|几[个名位次年天岁人米所条家部种座集级层项分倍届本]|多[长高大远久重快深宽]|"
               "百分之几|"
               "(?:数量|人口|人数|面积|价格|比例|增长率|增速|票房|产量|销量|保有量|营收|净利润|市值)是?[？?]?$"),
    ("where", "哪里|哪儿|何处|什么地方|在哪|哪个(?:国家|城市|省|市|县|地方|地区|大学|学校)|哪国|"
              "哪座|地点是?[？?]?$"),
    ("who", "谁|哪位|何人|什么人|哪个人|(?:导演|主演|作者|冠军|得主|主席|总统|校长|市长|总理|"
            "首相|创始人|扮演者|歌手|主持人)(?:是|为)?[？?]?$"),
    ("steps", "如何|怎么(?!看)|怎样|步骤"),
)  # fmt: skip
_YES_NO_EN = re.compile(
    r"(?:(?:so|and|but|ok|okay|then),?\s+)?(?:is|are|was|were|do|does|did|can|could|has|have|had|"
    r"will|would|should|must|may)\b(?!\s+you\s+(?:tell|explain|give|show|list|describe))",
    re.IGNORECASE,
)
_YES_NO_ZH = re.compile(
    "吗[？?]?$|是否|是不是|有没有|能否|能不能|可否|可不可以|会不会|要不要|对不对"
)
_OPTIONS_EN = re.compile(
    r"(?:[,:]\s*(?:the\s+)?|\b(?:is|are|was|were|did|does|do|has|between|use|uses)\s+)"
    r"(?P<a>[^,:?]{1,60}?),?\s+or\s+(?:the\s+)?(?P<b>[^,:?]{1,60}?)\s*[?.]?\s*$",
    re.IGNORECASE,
)
_LEAD_IN_ZH = re.compile("[，,、：:]|是(?!的)|位于|使用|基于|采用|属于|在|用|选")
_DEFINITION = re.compile(
    r"what(?:['’]s| is| are| was| were)? (?:an? |the )?([\w .+#-]{2,40}?)\s*[?.]?$"
    r"|(?:什么|何)(?:是|为|叫做?)([^？?，,]{1,20})[？?]?$|([^？?，,]{1,20}?)(?:是什么|指什么|是指什么)(?:意思)?[？?]?$",
    re.IGNORECASE,
)
_PART_EN = re.compile(
    r"(?<=[?;])\s+|,?\s+and\s+(?=(?:what|who|when|where|how|which|why|whose)\b)", re.IGNORECASE
)
_PART_ZH = re.compile(
    "(?<=[？；?;])|[，,](?=[^，,]*(?:谁|什么|哪|何|多少|几|吗|怎))|以及(?=[^，,]*(?:谁|什么|哪|何|多少|几))"
)


@dataclass(frozen=True)
class Asked:
    """A question, read. `parts` are its sub-questions in their own words, at least one."""

    question: str
    language: Language
    wants: Wants
    parts: tuple[str, ...]
    subject: str = ""
    """What it asks to have explained: X of "what is X?"."""
    options: tuple[str, str] | None = None
    """The two things to choose from, where it asks which of two."""


def read(question: str) -> Asked:
    """Say what a question asks for."""
    question = question.strip()
    tongue = spoken(question)
    options = _options(question)
    wants: Wants = "choice" if options else wanted(question)
    split = (_PART_ZH if tongue == "zh" else _PART_EN).split(question)
    parts = tuple(part.strip() for part in split if len(content_terms(part)) > 1)
    match = _DEFINITION.match(question)
    subject = next((each.strip() for each in match.groups() if each), "") if match else ""
    return Asked(question, tongue, wants, parts or (question,), subject, options)


def wanted(question: str) -> Wants:
    """What kind of thing answers a question, or a part of one."""
    tongue = spoken(question)
    if (_YES_NO_ZH if tongue == "zh" else _YES_NO_EN).match(question) or (
        tongue == "zh" and _YES_NO_ZH.search(question)
    ):
        return "yes_no"
    for wants, pattern in _ZH if tongue == "zh" else _EN:
        if re.search(pattern, question, re.IGNORECASE):
            return wants
    return "what"


def _options(question: str) -> tuple[str, str] | None:
    """The A and B of "which ..., A or B?" and of "A 还是 B？"."""
    if "还是" in question:
        before, _, after = question.partition("还是")
        second = after.strip(" ？?。")
        pieces = [piece for piece in _LEAD_IN_ZH.split(before) if piece.strip()]
        first = pieces[-1].strip() if pieces else ""
        if second and not has_cjk(second):
            latin = re.findall(r"[A-Za-z][\w.+#-]*(?: [A-Za-z][\w.+#-]*)*", before)
            first = latin[-1] if latin else first
        second = _LEAD_IN_ZH.split(second)[-1].strip() or second
        return (first, second) if first and first != second else None
    match = _OPTIONS_EN.search(question)
    if match and not re.search(r"\bor\s+not\b", question, re.IGNORECASE):
        return match["a"].strip(), match["b"].strip()
    return None
