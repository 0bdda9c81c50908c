"""What the scripted server says: messages, positive replies in the asked shape, conditions."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any


def prompt_of(body: Mapping[str, Any]) -> str:
    """All the text of a request's messages."""
    texts = []
    for message in body.get("messages", []):
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "\n".join(str(part.get("text", "")) for part in content)
        texts.append(str(content))
    return "\n".join(texts)


def message_of(body: Mapping[str, Any], reply: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """The assistant's message for a scripted reply."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.get("content")}
    for name in ("reasoning_content", "refusal"):
        if reply.get(name) is not None:
            message[name] = reply[name]
    if "stream" in reply and message["content"] is None:
        message["content"] = "".join(reply["stream"])
    if "echo" in reply:
        message["content"] = first_context_line(prompt_of(body))
    if reply.get("tool_calls"):
        message["tool_calls"] = reply["tool_calls"]
    if "tool_args" in reply:
        message["tool_calls"] = [_tool_call(body, reply["tool_args"])]
    if reply.get("shaped"):
        message |= shaped_reply(body, answer)
    return message


def shaped_reply(body: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """A positive reply in the shape that the request asks for."""
    text = prompt_of(body)
    if tools := body.get("tools"):
        schema = tools[0]["function"]["parameters"]
        return {"content": None, "tool_calls": [_tool_call(body, _filled(schema, text, answer))]}
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return {"content": json.dumps(_filled(form["json_schema"]["schema"], text, answer))}
    if one_word := re.search(r"Reply with one word and nothing else: (.+)\.\s*\Z", text):
        return {"content": _best(re.split(r", | or ", one_word.group(1)))}
    if sketch := re.search(r"Reply with one JSON object and nothing else: (\{.*\})\s*\Z", text):
        keys = re.findall(r'"(\w+)": (\[?)', sketch.group(1))
        made = {k: [question_in(text)] if many else _plain(k, answer) for k, many in keys}
        return {"content": json.dumps(made)}
    return {"content": answer}


def _plain(key: str, answer: str) -> Any:
    return {"answerable": True, "answer": answer, "missing": "", "verdict": "yes"}.get(key, "other")


def _filled(schema: Mapping[str, Any], text: str, answer: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, field in schema.get("properties", {}).items():
        kind = field.get("type")
        if "enum" in field:
            made[name] = _best(field["enum"])
        elif kind == "boolean":
            made[name] = True
        elif kind == "array":
            made[name] = [question_in(text)]
        elif kind in ("integer", "number"):
            made[name] = 5
        else:
            made[name] = {"missing": "", "question": question_in(text)}.get(name, answer)
    return made


def _best(labels: Sequence[Any]) -> Any:
    return next((one for one in ("yes", "full", "5", 5) if one in labels), labels[0])


def question_in(text: str) -> str:
    """The question of a prompt, from between its marks."""
    found = re.findall(r"<question>\s*(.*?)\s*</question>", text, re.S)
    return found[-1] if found else (text.strip().splitlines() or [""])[-1]


def first_context_line(text: str) -> str:
    """The first line of the first passage of a prompt."""
    found = re.search(r"<(?:passage|document)\b[^>]*>\n(.+)", text)
    return found.group(1).strip() if found else ""


def _tool_call(body: Mapping[str, Any], args: Any) -> dict[str, Any]:
    name = (body.get("tools") or [{"function": {"name": "reply"}}])[0]["function"]["name"]
    text = args if isinstance(args, str) else json.dumps(args)
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}


def meets(rule: str, body: Mapping[str, Any]) -> bool:
    """True when a request meets a condition: `KEY present`, `KEY present and != VALUE`,
    `a.b=value`, or `first role is system or two equal roles in a row`."""
    if rule.startswith("first role is system"):
        roles = [message["role"] for message in body.get("messages", [])]
        pairs = itertools.pairwise(roles)
        return roles[:1] == ["system"] or any(a == b for a, b in pairs)
    if " present" in rule:
        key, _, rest = rule.partition(" present")
        if key not in body:
            return False
        unequal = re.search(r"!=\s*(\S+)", rest)
        return not unequal or str(body[key]) != unequal.group(1)
    path, _, value = rule.partition("=")
    at: Any = body
    for key in path.split("."):
        at = at.get(key) if isinstance(at, Mapping) else None
    return at is not None and str(at) == value


def bag_of_words(text: str, size: int = 64) -> list[float]:
    """A unit vector of hashed words; a CJK character is a word."""
    made = [0.0] * size
    for word in re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", text.casefold()):
        made[int.from_bytes(hashlib.md5(word.encode()).digest()[:4], "big") % size] += 1.0
    length = sum(x * x for x in made) ** 0.5 or 1.0
    return [x / length for x in made]


def tokens(*pairs: tuple[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Logprobs as servers give them: (token, {alternative: probability}) each."""
    return [
        {
            "token": token,
            "logprob": math.log(tops.get(token, 1.0)),
            "bytes": list(token.encode()),
            "top_logprobs": [
                {"token": t, "logprob": math.log(p), "bytes": list(t.encode())}
                for t, p in tops.items()
            ],
        }
        for token, tops in pairs
    ]
