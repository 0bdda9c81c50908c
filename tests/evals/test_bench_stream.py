"""The ways that the bench compares make the calls that it says; `make bench` tells how long."""

from __future__ import annotations

from ragloop.evals.bench_stream import measure, table


async def test_each_way_makes_its_calls_and_the_table_has_a_row_for_each() -> None:
    timings = await measure(seconds=0.0, runs=1)

    assert {one.name: one.calls for one in timings} == {
        "plain": 1,
        "loop, live": 8,
        "loop, speculating": 8,
        "shape of the tutorials": 8,
    }
    assert all(0 < one.first_word <= one.total for one in timings)
    assert len(table(timings, 0.1).splitlines()) == 2 + 4 + 1
