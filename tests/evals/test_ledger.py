"""The ledger: sums against a server's own count, prices, marginal gains in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback import Loopback

from ragloop.evals.contenders import contenders
from ragloop.evals.datasets import Dataset, Task
from ragloop.evals.ledger import Prices, by_node, cheapest_right, read_prices, steps
from ragloop.evals.records import Record
from ragloop.evals.runs import Bench, run_bench
from ragloop.stores.errors import EvaluationError

from ..cli.shell import command_in
from .records_made import record, write_records


def runs(preset: str, quality: list[float], tokens: int = 0, calls: int = 0) -> list[Record]:
    cost = {"generate": (calls, tokens, 0, 1.0)}
    return [record(f"q{at}", preset, quality=q, by_node=cost) for at, q in enumerate(quality)]


def test_sums_equal_what_the_server_counted() -> None:
    task = Task("q", "How deep is the well at Orsa?", (("31",),))
    documents = {"well": {"id": "well", "text": "The well at Orsa is 31 metres deep."}}
    found = Dataset("one", "qa", "0", tasks=(task,), documents=documents)

    with Loopback(answer="It is 31 metres deep. [1]") as server:
        changes = {"model": "any", "base_url": server.url}
        records = list(run_bench(Bench(found, contenders(["loop"], changes))))
        counted = (server.calls(), server.tokens_in, server.tokens_out)

    lines = by_node(records)
    assert counted[0] >= 3
    assert counted == tuple(
        sum(line[name] for line in lines) for name in ("calls", "input_tokens", "output_tokens")
    )


def test_a_node_with_a_price_of_its_own_costs_that() -> None:
    cost = {"generate": (1, 1_000_000, 0, 1.0), "read_whole_document": (1, 0, 500_000, 1.0)}
    prices = Prices(1.0, 2.0, "EUR", {"read_whole_document": (10.0, 20.0)})

    lines = by_node([record(by_node=cost)], prices)

    assert {line["node"]: line["money"] for line in lines} == {
        "generate": 1.0,
        "read_whole_document": 10.0,
    }


@pytest.mark.parametrize(
    "table",
    ["{", "[]", '{"input": 1}', '{"input": -1, "output": 1}', '{"input": "x", "output": 1}'],
)
def test_a_table_that_is_no_price_table_is_said(tmp_path: Path, table: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(table)

    with pytest.raises(EvaluationError, match="no price table"):
        read_prices(file)


def test_each_tier_is_compared_with_the_one_below_it() -> None:
    records = [
        *runs("loop", [1.0] * 10, tokens=900, calls=9),
        *runs("plain", [0.0] * 10, tokens=100, calls=1),
        *runs("guard", [0.0] * 5 + [1.0] * 5, tokens=300, calls=4),
    ]

    found = steps(records)

    assert [(s["before"], s["after"]) for s in found] == [("plain", "guard"), ("guard", "loop")]
    assert [(s["gain"], s["calls"], s["tokens"]) for s in found] == [(0.5, 3, 200), (0.5, 5, 600)]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        pytest.param([1.0] * 12 + [0.0] * 8, "Worth switching on", id="a sure gain"),
        pytest.param([0.0] * 20, "makes answers worse", id="a sure loss"),
        pytest.param([1.0] * 3 + [0.0] * 17, "may be chance", id="chance"),
    ],
)
def test_advice_follows_from_the_interval(after: list[float], words: str) -> None:
    before = [1.0] * 2 + [0.0] * 18 if words != "makes answers worse" else [1.0] * 10 + [0.0] * 10

    step = steps([*runs("plain", before), *runs("loop", after, tokens=10)])[0]

    assert words in step["advice"]


def test_no_gain_over_many_questions_keeps_the_tier_for_hard_ones() -> None:
    here, there = [1.0, 0.0] * 60, [0.0, 1.0] * 60

    step = steps([*runs("plain", here), *runs("loop", there)])[0]

    assert "hard" in step["advice"]


def test_a_question_is_labelled_with_the_cheapest_preset_that_was_right() -> None:
    records = [
        *runs("plain", [1.0, 0.0, 0.0], tokens=10),
        *runs("loop", [1.0, 1.0, 0.0], tokens=90),
    ]

    assert cheapest_right(records) == {"plain": 1, "loop": 1, "none": 1}


def test_the_command_prints_money_and_advice(tmp_path: Path) -> None:
    file, prices = tmp_path / "runs.jsonl", tmp_path / "prices.json"
    prices.write_text('{"currency": "EUR", "input": 1, "output": 2}')
    write_records(file, [*runs("plain", [0.0] * 9), *runs("loop", [1.0] * 9, 1000, 3)])

    done = command_in(tmp_path, "ledger", file, "--prices", prices)
    told = json.loads(command_in(tmp_path, "ledger", file, "--prices", prices, "--json").stdout)

    assert done.returncode == 0, done.stderr
    assert "+3.0 calls, +1,000 tokens, +0.00 s, +0.00100 EUR a question" in done.stdout
    assert told["nodes"][0]["money"] == pytest.approx(0.009)
    assert told["cheapest_right"] == {"plain": 0, "loop": 9, "none": 0}
