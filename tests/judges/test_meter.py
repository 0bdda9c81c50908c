from __future__ import annotations

import threading
import time

from ragloop.nodes.judges.meter import Meter
from ragloop.nodes.steps import Usage


def test_no_more_calls_are_given_than_there_are() -> None:
    meter = Meter(calls=2)

    taken = [meter.take(10) for _ in range(3)]

    assert taken == [True, True, False]
    assert meter.reached == "max_calls"


def test_tokens_are_reserved_until_the_real_figure_is_known() -> None:
    meter = Meter(tokens=100)
    meter.take(80)

    while_under_way = meter.take(30)
    meter.settle(80, Usage(1, 10, 5))
    afterwards = meter.take(30)

    assert (while_under_way, afterwards) == (False, True)
    assert meter.reached == "max_tokens"


def test_a_call_that_reached_nobody_is_given_back() -> None:
    meter = Meter(calls=1)
    meter.take(5)
    meter.settle(5, Usage())

    assert meter.take(5)
    assert meter.used.calls == 0


def test_after_the_deadline_nothing_is_given() -> None:
    meter = Meter(deadline=time.monotonic() - 1)

    assert not meter.take(0)
    assert (meter.reached, meter.seconds_left()) == ("deadline", 0.0)


def test_without_limits_everything_is_given() -> None:
    meter = Meter()

    assert meter.take(10**9)
    assert meter.seconds_left() == float("inf")


def test_threads_share_one_allowance() -> None:
    meter = Meter(calls=100)
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        for _ in range(50):
            if meter.take(1):
                meter.settle(1, Usage(1, 1, 1))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert meter.used.calls == 100
