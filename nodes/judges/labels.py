"""The words that models use for the labels of a scale, in English and in Chinese."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ...stores.text import fold


def _listed(line: str) -> list[str]:
    return line.split()


_YES = _listed(
    "yes y yep yeah true 1 relevant correct right supported grounded sufficient enough useful "
    "helpful pass positive retrieve affirmative 是 是的 对 对的 真 正确 相关 有关 支持 足够 充分 "
    "够 需要 有用 有帮助 能 可以 成立 肯定"
)
_NO = _listed(
    "no n nope false 0 irrelevant incorrect wrong unsupported ungrounded insufficient useless "
    "unhelpful fail negative unrelated 否 不 不是 不对 假 错 错误 不正确 不相关 无关 没有关系 "
    "不支持 不够 不足 不足够 不充分 不需要 无需 没用 无用 没有帮助 不能 不可以 不成立 否定"
)
_NOT_YES = ("relevant", "supported", "grounded", "sufficient", "enough", "useful", "helpful")
_GROUPS: dict[str, tuple[str, ...]] = {
    "yes": (*_YES, *(f"is {w}" for w in _NOT_YES), "needs sources"),
    "no": (*_NO, *(f"not {w}" for w in _NOT_YES), "is not relevant", "hallucinated"),
    "continue": ("continue", "继续", "继续使用", "沿用", "no new sources"),
    "full": (
        *("full", "fully", "supported", "full support", "fully supported", "entirely", "yes"),
        *(
            "true",
            "1",
            "completely supported",
            "完全",
            "完全支持",
            "支持",
            "全部",
            "充分支持",
            "是",
        ),
    ),
    "partial": (
        *("partial", "partially", "partly", "partially supported", "partly supported", "0.5"),
        *("some support", "partial support", "部分", "部分支持", "部分地", "有部分支持"),
    ),
    "none": (
        *("none", "no", "not", "not supported", "no support", "unsupported", "false", "0"),
        *("contradicted", "contradiction", "contradictory", "contradicts", "refuted", "neither"),
        *("不支持", "没有支持", "无", "无支持", "否", "不", "矛盾", "相矛盾", "相反", "没有"),
    ),
    "1": (*_listed("1 one 一 1分 1/5 一分 no false useless 否 没用"), "1 out of 5"),
    "2": ("2", "two", "二", "两", "2分", "2 out of 5", "2/5", "二分", "两分"),
    "3": ("3", "three", "三", "3分", "3 out of 5", "3/5", "三分"),
    "4": ("4", "four", "四", "4分", "4 out of 5", "4/5", "四分"),
    "5": (*_listed("5 five 五 5分 5/5 五分 yes true useful 是 有用"), "5 out of 5"),
}
_AROUND = " \t\r\n\"'`*_~#<>[](){}.,;:!?-–—|\\“”‘’「」『』《》【】（）。，；：！？、…✅❌"


@lru_cache(maxsize=32)
def label_words(scale: tuple[str, ...]) -> dict[str, str]:
    """Every word that stands for exactly one label of the scale, folded."""
    found: dict[str, set[str]] = {}
    for label in scale:
        for word in (label, *_GROUPS.get(label, ())):
            found.setdefault(fold(word), set()).add(label)
    for label in scale:  # the label itself always stands for itself
        found[fold(label)] = {label}
    return {word: next(iter(labels)) for word, labels in found.items() if len(labels) == 1}


def bare(text: str) -> str:
    """The text folded, without the marks and spaces around it."""
    return re.sub(r"\s+", " ", fold(text).replace("_", " ")).strip(_AROUND)


def label_of(value: Any, scale: tuple[str, ...]) -> str:
    """The label that a single value stands for, or "" when it is none, or not clear."""
    if isinstance(value, bool):
        value = "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str | int | float):
        return ""
    return label_words(scale).get(bare(str(value)), "")
