"""What went wrong with a call, told apart by what can be done about it.

| kind | examples | what happens |
|---|---|---|
| passing | 408, 409, 429, 5xx, a dropped connection | tried again, with backoff |
| timeout | no answer in time | tried again |
| unreachable | connection refused | tried again, then the run stops |
| refused parameter | 400 about `tools`, `temperature`, ... | asked differently (ladder.py) |
| key, quota, model | 401, out of quota, unknown model | the run stops at once |
| prompt | 400 about this prompt, too long | this prompt fails |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "passing", "timeout", "unreachable", "refused", "key", "quota", "model", "prompt", "other"
]
FATAL: frozenset[str] = frozenset({"key", "quota", "model"})
PASSING: frozenset[str] = frozenset({"passing", "timeout", "unreachable"})

_KEY_LIKE = re.compile(r"\b(sk|pk|rk|key|gsk|xai|hf)[-_][A-Za-z0-9_\-*]{4,}|\bBearer\s+\S+")
_QUOTA = re.compile(r"insufficient.?quota|exceeded your current quota|billing|out of credit", re.I)
_NO_MODEL = re.compile(
    r"model.?not.?found|(?:unknown|no such|invalid) model|model\b.{0,120}?\b"
    r"(?:does not exist|not exist|not found|is not available|no access)",
    re.I | re.S,
)
TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|too long|maximum context|exceed.{0,40}token", re.I
)


@dataclass(frozen=True)
class Fault:
    """One failed call."""

    kind: Kind
    line: str
    """What the server or the client said, on one line, keys masked."""
    status: int = 0
    retry_after: float | None = None
    """Seconds the server asks to wait."""
    reached: bool = True
    """False when no server can have seen the call."""


def mask(text: str, key: str = "") -> str:
    """The text without the key, and without anything that looks like one."""
    if len(key) >= 4:
        text = text.replace(key, "[key]")
    return _KEY_LIKE.sub("[key]", text)


def one_line(text: str, key: str = "", limit: int = 300) -> str:
    """The text on one line, masked, cut at `limit` characters."""
    line = mask(" ".join(text.split()), key)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def classify(error: BaseException, key: str = "") -> Fault:
    """Tell what a chat model's exception means. Works by shape, so for any client library."""
    status, body = _status(error), _body(error)
    said = _message(error, body)
    line = one_line(said, key)
    names = [type(e).__name__ for e in _causes(error)]
    if not status:
        if any("ConnectError" in n or "ConnectTimeout" in n or "Refused" in n for n in names):
            return Fault("unreachable", line, reached=False)
        if isinstance(error, NotImplementedError):
            said = "this chat model does not support tools"
            return Fault("refused", said, 501, reached=False)
        if any("Timeout" in n for n in names):
            return Fault("timeout", "timed out")
        if any("Connection" in n or "Protocol" in n or "ReadError" in n for n in names):
            return Fault("passing", f"the connection broke: {line}")
        if isinstance(error, TypeError) and "choices" in said:
            return Fault("passing", "the server sent no choices")
        if isinstance(error, ValueError) and said.startswith("No generation"):
            return Fault("passing", "the stream broke before its first word")
        return Fault("other", f"{names[0]}: {line}" if line else names[0])
    code = " ".join(str(body.get(name, "")) for name in ("code", "type"))
    return Fault(_kind(status, f"{code} {said}"), f"{status} {line}", status, _wait(error))


def _kind(status: int, said: str) -> Kind:
    if status == 402 or (status in (403, 429) and _QUOTA.search(said)):
        return "quota"
    if status == 401:
        return "key"
    if status in (408, 409, 425, 429):
        return "passing"
    if status in (400, 404, 413, 422) and TOO_LONG.search(said):
        return "prompt"
    if status in (400, 404, 422) and _NO_MODEL.search(said):
        return "model"
    # 403, 404, 500 and 501 may be about one parameter: the ladder looks at the words first.
    if status in (400, 403, 404, 405, 415, 422, 501):
        return "refused"
    return "passing" if status >= 500 else "prompt"


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        yield now
        now = now.__cause__ or now.__context__


def _body(error: BaseException) -> Mapping[str, Any]:
    """The error object of the reply, wherever the client put it."""
    candidates: list[Any] = [getattr(error, "body", None)]
    if isinstance(error, ValueError) and error.args:
        candidates.append(error.args[0])  # a 200 that holds an error, in langchain-openai
    for body in candidates:
        if isinstance(body, Mapping):
            inner = body.get("error", body)
            return inner if isinstance(inner, Mapping) else {"message": str(inner)}
    return {}


def _status(error: BaseException) -> int:
    for source in (error, getattr(error, "response", None)):
        status = getattr(source, "status_code", None)
        if isinstance(status, int) and status >= 400:
            return status
    code = str(_body(error).get("code", "")).strip()
    if code.isdigit() and 400 <= int(code) < 600:
        return int(code)
    if _QUOTA.search(code) or "rate_limit" in code:
        return 429
    # An error inside a reply that came with status 200, of which nothing more is known.
    return 500 if _body(error) and isinstance(error, ValueError) else 0


def _message(error: BaseException, body: Mapping[str, Any]) -> str:
    message = body.get("message") or body.get("detail") or str(error)
    param = body.get("param")
    return (
        f"{message} (param: {param})" if param and str(param) not in str(message) else str(message)
    )


def _wait(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        if ms := headers.get("retry-after-ms"):
            return max(0.0, float(ms) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return None
