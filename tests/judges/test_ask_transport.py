"""Servers that are slow, busy, broken, or want a key."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from typing import Any

import pytest
from judges.asking import KEY, NO, YES, Asker, grade, write
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from loopback import Loopback

from ragloop.nodes.judges.ask import AskOptions, ask
from ragloop.nodes.judges.ladder import Ladder
from ragloop.nodes.judges.meter import Meter
from ragloop.stores.errors import (
    ModelAuthError,
    ModelError,
    ModelQuotaError,
    ModelTimeout,
    ModelUnreachable,
)

BUSY = {
    "status": 429,
    "headers": {"Retry-After": "0.01"},
    "body": {"error": {"code": "rate_limit_exceeded", "message": "slow down"}},
}
QUOTA = {
    "status": 429,
    "body": {
        "error": {
            "code": "insufficient_quota",
            "type": "insufficient_quota",
            "message": "You exceeded your current quota",
        }
    },
}
BAD_KEY = {"status": 401, "body": {"error": {"message": f"Incorrect API key provided: {KEY}"}}}
NULL = {
    "status": 200,
    "body": {"id": None, "choices": None, "error": {"code": 429, "message": "Provider error"}},
}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(BUSY, id="429 with Retry-After"),
        pytest.param({"status": 503, "body": {}}, id="503"),
        pytest.param({"status": 408, "body": {}}, id="408"),
        pytest.param({"content": YES, "drop_after": 20}, id="a dropped connection"),
        pytest.param(NULL, id="a 200 with an error inside"),
        pytest.param({"status": 200, "body": {"choices": None}}, id="a 200 without choices"),
    ],
)
async def test_what_passes_is_tried_again_and_every_call_is_counted(fault: dict[str, Any]) -> None:
    with Loopback({"judge": [fault, YES]}) as server:
        asker = Asker(server)

        blocking = asker.ask(grade())
        first = asker.meter.used.calls
        server._used.clear()
        awaited = await asker.aask(grade())

        assert (blocking[0].label, awaited[0].label) == ("yes", "yes")
        assert first == asker.meter.used.calls == 2
        assert server.calls() == 4


def test_one_busy_answer_in_a_batch_loses_no_verdict() -> None:
    with Loopback({"judge": [YES, {**BUSY, "times": 4}, YES]}) as server:
        asker = Asker(server)

        replies = asker.ask(grade(4), retries=4)

        assert [reply.label for reply in replies] == ["yes"] * 4
        assert asker.meter.used.calls == server.calls() == 8


def test_a_prompt_that_fails_for_good_costs_only_itself() -> None:
    script = {"by_text": {"number 1 ": BUSY, "*": NO}}
    with Loopback({"judge": [script]}) as server:
        asker = Asker(server)

        replies = asker.ask(grade(3), retries=1)

        assert [reply.finish for reply in replies] == ["stop", "failed", "stop"]
        assert "429" in replies[1].error
        assert replies[1].usage.calls == 2
        assert asker.meter.used.calls == server.calls() == 4


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        pytest.param(QUOTA, ModelQuotaError, "quota", id="out of quota"),
        pytest.param(BAD_KEY, ModelAuthError, "OPENAI_API_KEY", id="a refused key"),
        pytest.param({"status": 403, "body": {}}, ModelAuthError, "403", id="forbidden"),
        pytest.param(
            {
                "status": 404,
                "body": {"error": {"code": "model_not_found", "message": "no model judge"}},
            },
            ModelError,
            "Settings.model",
            id="an unknown model",
        ),
        pytest.param(
            {"status": 404, "body": {"detail": "Not Found"}},
            ModelError,
            "Settings.base_url",
            id="a wrong address",
        ),
    ],
)
async def test_what_no_further_call_can_mend_takes_one_call(
    fault: dict[str, Any], error: type[ModelError], said: str
) -> None:
    with Loopback({"judge": [fault]}) as server:
        with pytest.raises(error, match=said) as blocking:
            Asker(server).ask(grade(5))
        with pytest.raises(error, match=said):
            await Asker(server).aask(grade(5))

        assert server.calls() == 2
        assert KEY not in str(blocking.value)
        assert blocking.value.__context__ is None
        assert "\n" not in str(blocking.value)


def test_something_fatal_in_the_middle_of_a_batch_stops_the_rest() -> None:
    with Loopback({"judge": [YES, YES, BAD_KEY]}) as server:
        with pytest.raises(ModelAuthError):
            Asker(server).ask(grade(40), max_concurrency=2)

        assert server.calls() < 8


def test_nobody_there_is_said_with_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    meter = Meter()

    with pytest.raises(ModelUnreachable, match=r"Settings\.base_url") as error:
        ask(
            grade(3),
            ChatOpenAI(model="judge", base_url=url, api_key=KEY),
            meter=meter,
            ladder=Ladder(),
            options=AskOptions(retries=1),
        )

    assert url in str(error.value)
    assert meter.used.calls == 0


@pytest.mark.parametrize("stream", [False, True])
async def test_a_server_that_never_answers_times_out_with_the_node_and_the_setting(
    stream: bool,
) -> None:
    with Loopback({"judge": [{"delay_s": 60}]}) as server:
        asker = Asker(server)
        asked = write(stream)

        with pytest.raises(ModelTimeout, match=r"generate: .*timed out.*Settings\.timeout_s"):
            asker.ask(asked, timeout_s=0.4, retries=1)
        with pytest.raises(ModelTimeout, match=r"Settings\.timeout_s"):
            await asker.aask(asked, timeout_s=0.4, retries=1)

        assert server.calls() == 4
        assert asker.meter.used.calls == 2


def test_one_slow_reply_leaves_the_others_alone() -> None:
    slow = {"by_text": {"number 2 ": {"delay_s": 60}, "*": YES}}
    with Loopback({"judge": [slow]}) as server:
        replies = Asker(server).ask(grade(4), timeout_s=0.5, retries=0)

        assert [reply.finish for reply in replies] == ["stop", "stop", "failed", "stop"]
        assert replies[2].error == "timed out"


def test_another_library_that_hangs_is_left_behind_in_time() -> None:
    class Hangs(FakeListChatModel):
        def _call(
            self,
            messages: Any,
            stop: list[str] | None = None,
            run_manager: CallbackManagerForLLMRun | None = None,
            **kwargs: Any,
        ) -> str:
            release.wait(30)
            return "yes"

    release = threading.Event()
    try:
        with pytest.raises(ModelTimeout):
            ask(
                grade(),
                Hangs(responses=[]),
                meter=Meter(),
                ladder=Ladder(),
                options=AskOptions(timeout_s=0.1, retries=0, structured="text"),
            )
    finally:
        release.set()


def test_the_deadline_is_no_error() -> None:
    with Loopback({"judge": [{"delay_s": 60}]}) as server:
        asker = Asker(server)
        meter = Meter(deadline=time.monotonic() + 0.5)

        replies = asker.ask(grade(5), meter, timeout_s=30)

        assert [reply.finish for reply in replies] == ["failed"] + ["not asked"] * 4
        assert "deadline" in replies[0].error
        assert server.calls() == 1


def test_nobody_waits_for_a_try_that_comes_after_the_deadline() -> None:
    later = {**BUSY, "headers": {"Retry-After": "15"}}
    with Loopback({"judge": [later]}) as server:
        asker = Asker(server)
        meter = Meter(deadline=time.monotonic() + 5)

        replies = asker.ask(grade(), meter)

        assert replies[0].finish == "failed"
        assert "the deadline forbids another try" in replies[0].error
        assert meter.seconds_left() > 0


def test_call_number_max_calls_plus_one_never_happens() -> None:
    with Loopback() as server:
        meter = Meter(calls=3)

        replies = Asker(server).ask(grade(5), meter)

        assert [reply.finish for reply in replies] == ["stop"] * 3 + ["not asked"] * 2
        assert "max_calls" in replies[3].error
        assert server.calls() == meter.used.calls == 3


def test_refused_calls_and_retries_come_out_of_the_same_allowance() -> None:
    rule = {"if": "response_format.type=json_schema", "message": "response_format: no"}
    with Loopback({"judge": [BUSY, YES]}, reject=[rule]) as server:
        meter = Meter(calls=4)

        replies = Asker(server).ask(grade(5), meter)

        assert [reply.finish for reply in replies] == ["stop"] * 2 + ["not asked"] * 3
        assert server.calls() == meter.used.calls == 4


def test_no_more_are_under_way_than_allowed() -> None:
    with Loopback(delay_s=0.02) as server:
        asker = Asker(server)

        asker.ask(grade(12), max_concurrency=2)
        blocking = server.most_in_flight
        asyncio.run(asker.aask(grade(12), max_concurrency=2))

        assert (blocking, server.most_in_flight) == (2, 2)


def test_all_that_fits_is_under_way_at_once() -> None:
    with Loopback({"judge": [YES, {"content": YES, "delay_s": 0.3}]}) as server:
        asker = Asker(server)

        replies = asker.ask(grade(11), max_concurrency=16)

        assert [reply.label for reply in replies] == ["yes"] * 11
        assert server.most_in_flight == 10


def test_tokens_are_as_the_server_counted_them() -> None:
    with Loopback() as server:
        asker = Asker(server)

        asker.ask(grade(4))

        assert asker.meter.used.input_tokens == server.tokens_in
        assert asker.meter.used.output_tokens == server.tokens_out


def test_a_second_event_loop_is_as_good_as_the_first() -> None:
    with Loopback() as server:
        asker = Asker(server)

        first = asyncio.run(asker.aask(grade(3)))
        second = asyncio.run(asker.aask(grade(3)))

        assert [r.label for r in first + second] == ["yes"] * 6


def test_a_cancelled_ask_leaves_nothing_under_way() -> None:
    async def cancelled(asker: Asker) -> None:
        task = asyncio.create_task(asker.aask(grade(3)))
        while not server.calls():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Loopback({"judge": [{"delay_s": 60}]}) as server:
        asker = Asker(server)

        asyncio.run(cancelled(asker))

        assert asker.meter.used.calls == server.calls() == 1
