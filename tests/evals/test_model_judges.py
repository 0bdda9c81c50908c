"""The table that says how far a chat model can be trusted as a judge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from loopback import Loopback

from ragloop.evals.model_judges import main, sample


def test_the_rows_are_balanced_and_the_same_each_time(shared_data: Path) -> None:
    rows = sample("support", shared_data, 20).rows

    assert Counter((row.language, row.label) for row in rows) == {
        ("en", "full"): 5,
        ("en", "none"): 5,
        ("zh", "full"): 5,
        ("zh", "none"): 5,
    }
    assert {row.tier for row in rows} == {"clean"}
    assert rows == sample("support", shared_data, 20).rows


def test_the_table_has_a_row_with_and_one_without_examples_for_each_judge(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Loopback() as server:  # says yes to everything
        where = ["--base-url", server.url, "--set", "logprobs=off"]
        main(["--data", str(shared_data), "--model", "judge", "--rows", "8", *where])
        prompts = [request["messages"][-1]["content"] for request in server.requests]

    rows = capsys.readouterr().out.splitlines()[2:]
    told = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [cells[:2] for cells in told] == [
        [judge, examples] for judge in ("relevance", "support") for examples in ("no", "yes")
    ]
    assert [cells[2:4] for cells in told[:2]] == [["0.50", "1.00 / 0.00"]] * 2
    assert all(cells[3].startswith("1.00") for cells in told[2:])
    assert sum("Examples:" in prompt for prompt in prompts) == len(prompts) / 2
