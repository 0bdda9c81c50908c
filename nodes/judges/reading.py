"""Reading a verdict, or a text in a shape, out of what a model wrote. Pure; nothing here raises.

A verdict is read where it is plain, and is `unclear` otherwise: never a guess. Documents can write
verdicts too, and judges quote documents, so an object inside a sentence does not outweigh one that
stands alone, and two verdicts that contradict each other are none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .labels import bare, label_of, label_words
from .objects import Found, objects, strip_fences, strip_marks, strip_reasoning
from .verdict import UNCLEAR

VERDICT_KEYS = (
    *("verdict", "binary_score", "score", "grade", "label", "answer", "result", "decision"),
    *("relevance", "relevant", "is_relevant", "support", "supported", "is_supported", "grounded"),
    *("usefulness", "useful", "rating", "retrieve", "sufficient", "judgement", "judgment", "value"),
    *("判断", "结论", "结果", "评分", "相关", "相关性", "是否相关", "支持", "答案"),
)
_KEY = "|".join(sorted((key.replace("_", "[ _]") for key in VERDICT_KEYS), key=len, reverse=True))
_NAMED = re.compile(
    rf"^\W*(?:(?:the|my|final|最终|我的)\s*)*(?:{_KEY})\W*(?::|：|=|is\b|是|为)(.*)$", re.I | re.S
)
_LEADING = re.compile(
    r"^[\s\"'`*_“「]*([A-Za-z]+|[\u4e00-\u9fff]{1,4})[\"'`*_”」]*\s*[.,;:!(（。，；：！\n—–-]"
)
_HEDGE = re.compile(
    r"\b(?:but|however|although|though|yet|maybe|perhaps|possibly|partial\w*|partly|unclear|"
    r"unsure|not|no|never|yes|n't|except|unless|depends?|ignore\w*)\b|n't\b|"
    r"但|不过|然而|虽然|可能|也许|部分|不|没|否|未|无|除非|忽略",
    re.I,
)


def read_label(text: str | None, scale: tuple[str, ...], field: str = "") -> str:
    """The label of the scale that the reply gives, or `unclear`.

    `field` is the key that was asked for; any key of a small object will do when it is absent.
    """
    text = strip_marks(strip_reasoning(text or ""))
    found = [(one, _label_in(one, scale, field)) for one in objects(text)]
    verdicts = [(one, label) for one, label in found if label]
    if not verdicts:
        return _label_in_words(strip_fences(text), scale) if not found else UNCLEAR
    prose = _without([one for one, _ in found], text)
    spoken = {label_of(line, scale) for line in prose.splitlines()} | {_leading(prose, scale)}
    spoken -= {""}
    label = _last_clear(verdicts, text)
    return label if spoken <= {label} else UNCLEAR


def label_in_object(value: Mapping[str, Any], scale: tuple[str, ...], field: str = "") -> str:
    """The label that an object gives, or `unclear`: for the arguments of a tool call."""
    return _label_in(Found(dict(value), 0, 0, False), scale, field) or UNCLEAR


def _label_in(one: Found, scale: tuple[str, ...], field: str) -> str:
    """The label of one object; "" when it holds no verdict, `unclear` when it holds two."""
    value = {bare(key).replace(" ", "_"): part for key, part in one.value.items()}
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), dict):
        value = {bare(key).replace(" ", "_"): part for key, part in inner.items()}
    if field and field in value:
        return UNCLEAR if one.torn else label_of(value[field], scale) or UNCLEAR
    named = [label_of(value[key], scale) for key in VERDICT_KEYS if key in value]
    labels = set(filter(None, named))
    if not named and len(value) <= 3:
        labels = set(filter(None, (label_of(part, scale) for part in value.values())))
    if one.torn or len(labels) > 1:
        return UNCLEAR
    return next(iter(labels), UNCLEAR if named else "")


def _last_clear(verdicts: list[tuple[Found, str]], text: str) -> str:
    labels = {label for _, label in verdicts}
    if len(labels) == 1:
        return labels.pop()
    alone = [(one, label) for one, label in verdicts if _stands_alone(one, text)]
    last, label = verdicts[-1]
    if {label for _, label in alone} == {label} and alone[-1][0] is last:
        return label if not strip_fences(text[last.end :]) else UNCLEAR
    return UNCLEAR


def _stands_alone(one: Found, text: str) -> bool:
    before = text[: one.start].rpartition("\n")[2]
    after = text[one.end :].partition("\n")[0]
    return not (before + after).strip(" \t`")


def _without(found: list[Found], text: str) -> str:
    pieces, at = [], 0
    for one in found:
        pieces.append(text[at : one.start])
        at = one.end
    return strip_fences(" ".join([*pieces, text[at:]]))


def _label_in_words(text: str, scale: tuple[str, ...]) -> str:
    if text.startswith('"') and text.endswith('"') and "\\" in text:
        try:
            return read_label(str(json.loads(text)), scale)
        except (json.JSONDecodeError, RecursionError):
            return UNCLEAR
    if whole := _spoken(text, scale):
        return whole
    lines = [line for line in text.splitlines() if line.strip()]
    alone = {label for line in lines if (label := _spoken(line, scale))}
    if len(alone) > 1:
        return UNCLEAR
    leading = _leading(text, scale)
    if alone and _spoken(lines[-1], scale):
        label = alone.pop()
        return label if leading in ("", label) else UNCLEAR
    return leading if leading and not alone - {leading} else UNCLEAR


def _spoken(text: str, scale: tuple[str, ...]) -> str:
    """The label when the text is a lone word, or a name, a colon and a lone word."""
    if label := label_of(text, scale):
        return label
    named = _NAMED.match(text)
    return label_of(named.group(1), scale) if named else ""


def _leading(text: str, scale: tuple[str, ...]) -> str:
    """The label of a reply that begins with it and then gives a reason without any reserve."""
    match = _LEADING.match(text)
    if not match or _HEDGE.search(text, match.end()):
        return ""
    word = match.group(1)
    return label_words(scale).get(bare(word), "") if scale[0] in ("yes", "full") else ""
