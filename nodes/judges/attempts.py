"""One prompt from its first call to its reply: retries, what the server refuses, odd replies.

`attempts` is a generator that touches nothing: it yields calls to make and pauses to wait, gets
back what came, and returns the reply. So the blocking and the async side share every decision.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any

from ..steps import Ask, Reply, Usage
from .endpoint import Endpoint
from .faults import FATAL, PASSING, Fault
from .ladder import Ladder, Manner, Rung, plainest
from .meter import Meter
from .objects import strip_reasoning
from .partial_text import PartialText
from .replies_read import read_reply
from .rungs import flag_of, token_cap
from .stops import fatal_error
from .transport import Call, Raw, seconds_for

_ADAPTATIONS = 10
_LONGEST_PAUSE_S = 20.0


@dataclass(frozen=True)
class AskOptions:
    """How calls are made. Seconds are of one call; `retries` are tries after the first."""

    max_concurrency: int = 16
    timeout_s: float = 60.0
    retries: int = 2
    temperature: float | None = None
    """None: never sent."""
    logprobs: str = "auto"
    """`auto`: asked for with verdicts, where the server has them. `off`: never."""
    structured: Rung | None = None
    """The rung to start at; None: the best."""
    question: float = 0.0
    """When the question was asked that the calls are for; they share `max_concurrency`."""


@dataclass(frozen=True)
class Pause:
    """Seconds to wait before the next try."""

    seconds: float


@dataclass
class Batch:
    """What all prompts of one `Ask` share."""

    asked: Ask
    endpoint: Endpoint
    meter: Meter
    ladder: Ladder
    options: AskOptions
    on_token: Callable[[str], None] | None = None
    cut: bool = False
    """A limit was reached: no further prompt is asked."""
    stopped: bool = False
    """Something fatal happened: no further call is made."""
    faults: list[Fault] = field(default_factory=list)
    """Of the prompts that failed for good, one each."""


@dataclass
class _Progress:
    """How far one prompt has come."""

    tries_left: int
    usage: Usage = field(default_factory=Usage)
    adapted: int = 0
    asked_again: bool = False
    manner: Manner | None = None
    """How to ask next, where that differs from what the ladder knows."""
    whole: bool = False
    """Ask for the reply as one, although it could be streamed."""
    last: Reply | None = None


Attempts = Generator[Call | Pause, Any, Reply]


def attempts(batch: Batch, prompt: str) -> Attempts:
    """Ask one prompt until there is a reply to give. Raises ModelError when nothing can work."""
    at = _Progress(batch.options.retries)
    while True:
        manner = at.manner or batch.ladder.manner(batch.endpoint, batch.options.structured)
        reserved = batch.meter.count_tokens(prompt) + token_cap(batch.asked, manner)
        if batch.cut or batch.stopped or not batch.meter.take(reserved):
            batch.cut = True
            return _limited(batch, at)
        call = _call(batch, at, manner, prompt)
        booked = Usage(calls=1)
        try:
            raw: Raw = yield call
            booked = _cost(call, raw, batch.meter)
        finally:
            batch.meter.settle(reserved, booked)
        at.usage = at.usage + booked
        if raw.fault is None:
            next_step = _finished(batch, at, call, raw)
        else:
            next_step = _after_fault(batch, at, call, raw.fault)
        if isinstance(next_step, Pause):
            yield next_step
        elif next_step is not None:
            return replace(next_step, usage=at.usage, rung=call.rung)


def _call(batch: Batch, at: _Progress, manner: Manner, prompt: str) -> Call:
    streams = batch.asked.stream and not at.whole
    return Call(
        endpoint=batch.endpoint,
        asked=batch.asked,
        prompt=prompt,
        manner=manner,
        temperature=_temperature(batch),
        seconds=seconds_for(batch.options.timeout_s, batch.meter.seconds_left()),
        seconds_left=batch.meter.seconds_left,
        partial=PartialText(batch.asked.text_field, flag_of(batch.asked)) if streams else None,
        on_token=batch.on_token,
        logprobs=batch.options.logprobs != "off",
    )


def _temperature(batch: Batch) -> float | None:
    """The temperature of the settings, raised where drafts must differ; None: never sent."""
    set_to = batch.options.temperature
    return None if set_to is None else max(set_to, batch.asked.least_temperature)


def _cost(call: Call, raw: Raw, meter: Meter) -> Usage:
    """Tokens as the server counted them; else an estimate. A refused call has none."""
    if raw.fault is not None and not raw.fault.reached:
        return Usage()
    if raw.tokens is not None:
        return Usage(1, *raw.tokens)
    if raw.fault is not None and raw.fault.status:
        return Usage(1)
    said = raw.text + "".join(map(str, raw.arguments.values()))
    return Usage(1, meter.count_tokens(call.words), meter.count_tokens(said))


def _finished(batch: Batch, at: _Progress, call: Call, raw: Raw) -> Reply | Pause | None:
    """Read what came; None to ask once more."""
    reply = read_reply(raw, call)
    if reply.finish == "stop" or at.manner is None:
        batch.ladder.worked(batch.endpoint, call.manner, readable=reply.finish == "stop")
    if reply.finish != "stop" and not at.asked_again and not _passed(call):
        again = _another_way(call, reply, raw)
        if again is not None:
            at.asked_again, at.manner, at.last = True, again, reply
            at.whole = reply.finish == "empty"
            return None
    _pass_on_rest(call, reply)
    return reply


def _another_way(call: Call, reply: Reply, raw: Raw) -> Manner | None:
    """How to ask once more after a reply that is not one; None when that would not help.

    More room is for models that think first. One that writes without end would only write more.
    """
    manner = call.manner
    said_nothing = not reply.text and not strip_reasoning(raw.text)
    if reply.finish == "cut off" and said_nothing and not manner.more_room:
        return replace(manner, more_room=True)
    if reply.finish == "empty":
        return manner
    if reply.finish == "unreadable":
        return manner if manner.proven else replace(manner, rung="text")
    return None


def _after_fault(batch: Batch, at: _Progress, call: Call, fault: Fault) -> Reply | Pause | None:
    """Settle what a failed call means: a reply, a pause before the next try, or None: at once."""
    if _passed(call):
        return _cut_in_stream(call, fault)
    if at.adapted < _ADAPTATIONS and _adapted(batch, at, call, fault):
        at.adapted += 1
        return None
    if fault.kind in FATAL or fault.status in (403, 404, 405):
        batch.stopped = True
        raise fatal_error(fault, batch.asked, batch.endpoint)
    failed = Reply(finish="failed", error=fault.line)
    if fault.kind in PASSING and batch.meter.seconds_left() <= 0:
        batch.cut = True
        return replace(failed, error=f"the deadline of the run was reached ({fault.line})")
    if fault.kind in PASSING and at.tries_left > 0:
        pause = _pause(batch, at, fault)
        if pause.seconds >= batch.meter.seconds_left():
            return replace(failed, error=f"{fault.line}; the deadline forbids another try")
        at.tries_left, at.last = at.tries_left - 1, failed
        return pause
    if fault.kind == "unreachable":
        batch.stopped = True
        raise fatal_error(fault, batch.asked, batch.endpoint)
    batch.faults.append(fault)
    return failed


def _adapted(batch: Batch, at: _Progress, call: Call, fault: Fault) -> bool:
    """True when the prompt can be asked differently, and then the ladder or `at` says how."""
    in_doubt = fault.kind == "model" and fault.status == 400
    if not (fault.kind == "refused" or (fault.kind == "passing" and fault.status) or in_doubt):
        return False
    if batch.ladder.after_refusal(batch.endpoint, call.manner, fault) is not None:
        at.manner = None
        return True
    bare = plainest(call.manner)
    if fault.kind == "refused" and fault.status in (400, 415, 422) and bare != at.manner:
        at.manner = bare
        return True
    return False


def _pause(batch: Batch, at: _Progress, fault: Fault) -> Pause:
    """Exponential, with jitter, or as long as the server asks."""
    tried = batch.options.retries - at.tries_left
    seconds = min(8.0, 0.25 * 2**tried) * random.uniform(0.75, 1.25)
    if fault.retry_after is not None:
        seconds = fault.retry_after * random.uniform(1.0, 1.1)
    return Pause(min(seconds, _LONGEST_PAUSE_S))


def _limited(batch: Batch, at: _Progress) -> Reply:
    limit = batch.meter.reached or "a limit"
    if at.last is None:
        return Reply(finish="not asked", error=f"{limit} was reached before this was asked")
    return replace(at.last, usage=at.usage, error=f"{at.last.error}; {limit} forbids another try")


def _passed(call: Call) -> bool:
    """True when words were passed on, which are never taken back."""
    return call.partial is not None and bool(call.partial.passed)


def _cut_in_stream(call: Call, fault: Fault) -> Reply:
    text = call.partial.passed if call.partial else ""
    fields = {call.asked.text_field: text} if call.asked.text_field else {}
    error = f"cut off: the stream broke in the middle ({fault.line})"
    return Reply(fields=fields, text=text, finish="cut off", error=error)


def _pass_on_rest(call: Call, reply: Reply) -> None:
    """Pass on what was held back until the reply was whole."""
    if not call.asked.stream or call.on_token is None or reply.finish not in ("stop", "cut off"):
        return
    new = reply.text if call.partial is None else call.partial.finish(reply.text)
    if new:
        call.on_token(new)
