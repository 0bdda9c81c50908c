"""What the offline engine says when no source is needed: it counts, greets, and admits the rest."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from ...stores.text import fold, language

_SAY = {
    "greeting": {
        "en": "Hello. Ask me something about the documents.",
        "zh": "你好！请就文档内容提问。",
    },
    "thanks": {"en": "You are welcome.", "zh": "不客气。"},
    "other": {
        "en": "The offline engine answers from documents only. Set a model to have this done.",
        "zh": "离线引擎只能根据文档回答。如需完成此请求，请设置一个模型。",
    },
}
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_WORDS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divided by": "/",
    "over": "/",
    "加": "+",
    "减": "-",
    "乘以": "*",
    "乘": "*",
    "除以": "/",
    "×": "*",
    "÷": "/",
    "^": "**",
    "−": "-",
}


def reply_offline(asked: str, rule: str) -> str:
    """A reply in the language of the message: the result of a sum, a greeting, or an admission."""
    if (result := value_of(asked)) is not None:
        return result
    kind = next((kind for kind in ("greeting", "thanks") if rule.startswith(kind)), "other")
    return _SAY[kind][language(asked)]


def value_of(asked: str) -> str | None:
    """The value of the one sum in a message, or None when there is none that can be worked out."""
    text = fold(asked)
    for word, sign in _WORDS.items():
        text = text.replace(word, f" {sign} ")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    found = re.search(r"[-+(\s]*\d[\d.\s+\-*/%()]*", text)
    if not found or not re.search(r"\d\s*[-+*/%]", found.group()):
        return None
    try:
        value = _value(ast.parse(found.group().strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return f"{value:.10g}"


def _value(node: ast.AST) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left), _value(right))
        case ast.UnaryOp(op, operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(operand))
    raise ValueError("not a sum")
