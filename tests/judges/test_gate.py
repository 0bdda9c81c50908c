from __future__ import annotations

import asyncio
import threading

import pytest
from judges.asking import YES, Asker, grade
from loopback import Loopback

from ragloop.nodes.judges.gate import Gate


def test_threads_and_loops_share_the_places() -> None:
    gate, count, most = Gate(), [0], [0]
    lock = threading.Lock()

    def step(by: int) -> None:
        with lock:
            count[0] += by
            most[0] = max(most[0], count[0])

    def in_thread() -> None:
        for _ in range(30):
            with gate.place(3):
                step(1)
                step(-1)

    async def in_task() -> None:
        for _ in range(30):
            async with gate.aplace(3):
                step(1)
                await asyncio.sleep(0)
                step(-1)

    async def in_loop() -> None:
        await asyncio.gather(*(in_task() for _ in range(5)))

    threads = [threading.Thread(target=in_thread) for _ in range(4)]
    threads += [threading.Thread(target=lambda: asyncio.run(in_loop())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert count[0] == 0
    assert 1 < most[0] <= 3


async def test_whoever_gives_up_waiting_takes_no_place() -> None:
    gate = Gate()

    async def hold() -> None:
        async with gate.aplace(1):
            pass

    async with gate.aplace(1):
        waiting = asyncio.create_task(hold())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async with asyncio.timeout(1), gate.aplace(1):
        entered = True
    assert entered


async def test_whoever_is_called_in_and_cancelled_at_once_passes_the_place_on() -> None:
    gate = Gate()

    async def hold() -> None:
        async with gate.aplace(1):
            await asyncio.sleep(0)

    async with gate.aplace(1):
        first = asyncio.create_task(hold())
        second = asyncio.create_task(hold())
        await asyncio.sleep(0)
    first.cancel()

    async with asyncio.timeout(1):
        results = await asyncio.gather(first, second, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError)
    assert results[1] is None


async def test_two_batches_at_once_keep_to_one_limit() -> None:
    with Loopback({"judge": [YES, {"content": YES, "delay_s": 0.03}]}) as server:
        asker = Asker(server)
        asker.ask(grade())

        await asyncio.gather(
            asker.aask(grade(6), max_concurrency=2),
            asyncio.to_thread(asker.ask, grade(6), max_concurrency=2),
        )

        assert server.most_in_flight == 2
        assert server.calls() == 13
