"""How much of the labelled evidence reaches the context, with and without rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragloop.evals.datasets import Dataset, Task, load
from ragloop.evals.evidence import Gathered, coverage, gained, gather, words_as_tokens
from ragloop.graph.settings import preset


def gathered(task: str, *held: str) -> Gathered:
    context: Any = tuple({"document_id": id} for id in held)
    return Gathered(task, "made", ("a", "b"), context, 0, 10)


def test_a_question_counts_only_with_all_of_its_evidence() -> None:
    found = coverage([gathered("1", "a", "b", "c"), gathered("2", "a"), gathered("3")])

    assert found["evidence_coverage_all"] == pytest.approx(1 / 3)
    assert found["evidence_coverage"] == pytest.approx((1 + 0.5 + 0) / 3)


def test_what_was_gained_is_counted_question_by_question() -> None:
    before = [gathered("1", "a"), gathered("2", "a", "b"), gathered("3", "a", "b")]
    after = [gathered("1", "a", "b"), gathered("2", "a", "b"), gathered("3", "a", "b")]

    gain, low, high = gained(before, after)

    assert gain == pytest.approx(1 / 3)
    assert low <= gain <= high


def test_tokens_are_counted_as_words() -> None:
    assert words_as_tokens("one two three") == 5


def test_the_context_keeps_to_the_budget() -> None:
    documents: Any = {
        name: {"id": name, "title": name, "text": f"The {name} is {at} metres long. " * 30}
        for at, name in enumerate(("rope", "beam", "oar"))
    }
    task = Task(
        "1",
        "How long is the beam?",
        (("1",),),
        evidence_ids=("beam",),
        document_ids=tuple(documents),
    )
    found = Dataset("made", "qa", "", tasks=(task,), documents=documents)

    (one,) = gather(found, preset("loop", context_tokens=300))

    assert one.all_held
    assert one.tokens <= 300


@pytest.mark.slow
def test_rounds_bring_evidence_that_one_search_does_not(shared_data: Path) -> None:
    found = load(shared_data / "multihop_qa.jsonl")

    plain = gather(found, preset("plain", context_tokens=600))
    loop = gather(found, preset("loop", context_tokens=600))

    _, low, _ = gained(plain, loop)
    assert low > 0
    assert coverage(loop)["evidence_coverage_all"] > 0.7
