"""Figures from records that were counted by hand."""

from __future__ import annotations

import pytest

from ragloop.evals.contenders import picked
from ragloop.evals.summary import abstention, histogram, routing, summarise

from .records_made import record

WHOLE = ("read_whole_document", "finish")
BOTH = ("retrieve", "generate", "read_whole_document", "finish")


def test_abstention_counts_should_and_did() -> None:
    records = [
        record(should=True, did=True),
        record(should=True, did=False),
        record(should=True, did=False),
        record(should=False, did=True),
        record(should=False, did=False),
    ]

    table = abstention(records)

    assert table == {
        "should_did": 1,
        "should_refused": 2,
        "should_not_did": 1,
        "should_not_refused": 1,
    }


def test_a_right_refusal_counts_as_quality_and_a_wrong_one_does_not() -> None:
    records = [
        record("a", quality=1.0),
        record("b", quality=0.0, did=False),
        record("c", should=False, did=False),
        record("d", should=False, did=True),
    ]

    told = summarise(records)["presets"]["plain"]

    assert told["quality"] == 0.5


def test_evidence_counts_when_any_and_when_all_of_it_is_held() -> None:
    half, whole, none = record("a"), record("b"), record("c")
    half |= {"evidence_needed": ["x", "y"], "evidence_held": ["x"]}
    whole |= {"evidence_needed": ["x", "y"], "evidence_held": ["x", "y"]}
    none |= {"evidence_needed": ["x"], "evidence_held": []}

    told = summarise([half, whole, none, record("d")])["presets"]["plain"]

    assert told["evidence_coverage_any"] == pytest.approx(2 / 3, abs=1e-4)
    assert told["evidence_coverage_all"] == pytest.approx(1 / 3, abs=1e-4)


def test_the_predicted_ratio_is_l_over_L_and_the_share_that_read_it_all() -> None:
    # l/L = 0.1, and one of four fell back: 0.1 + (1 - 0.75)
    records = [record(str(at), token_ratio={"predicted": 0.1, "actual": 0.1}) for at in range(3)]
    records.append(record("3", path=BOTH, token_ratio={"predicted": 1.1, "actual": 1.2}))

    told = summarise(records)["presets"]["plain"]

    assert told["answerable_share"] == 0.75
    assert told["token_ratio_predicted"] == pytest.approx(0.1 + (1 - told["answerable_share"]))


def test_reading_nothing_but_the_whole_document_is_a_ratio_of_one() -> None:
    ratio = {"predicted": None, "actual": None}

    told = summarise([record(path=WHOLE, token_ratio=ratio)])["presets"]["plain"]

    assert told["token_ratio_actual"] == 1.0


def test_presets_are_compared_on_the_questions_that_both_ran() -> None:
    first = [record("a", quality=0.0), record("b", quality=1.0), record("only here", quality=0.0)]
    second = [record("a", "loop", quality=1.0), record("b", "loop", quality=1.0)]

    gain, low, high = summarise([*first, *second])["gains"]["loop"]["quality"]

    assert gain == 0.5
    assert low <= gain <= high


def test_the_histogram_counts_equal_near_and_far() -> None:
    gaps = {"same": (0.5, 0.5), "near": (0.55, 0.5), "far": (1.0, 0.0), "other way": (0.2, 0.4)}
    passages = [record(id, "always-passages", quality=p) for id, (p, _) in gaps.items()]
    whole = [record(id, "always-whole", quality=w, path=WHOLE) for id, (_, w) in gaps.items()]

    told = summarise([*passages, *whole])["histogram"]

    assert (told["equal"], told["within_10"]) == (0.25, 0.5)
    filled = {(low, high): count for low, high, count in told["bins"] if count}
    assert filled == {(-10, 10): 2, (70, 100): 1, (-30, -10): 1}


@pytest.mark.parametrize("gap", [-1.0, -0.71, -0.5, -0.1, 0.0, 0.1, 0.3, 0.7, 1.0])
def test_every_difference_has_a_bin_that_holds_it(gap: float) -> None:
    passages = [record("a", quality=max(gap, 0.0))]
    whole = [record("a", quality=max(-gap, 0.0))]

    bins = histogram(passages, whole)["bins"]

    low, high, _ = next(row for row in bins if row[2])
    assert low <= 100 * gap <= high


def test_routing_is_counted_against_where_the_whole_document_was_better() -> None:
    passages = [record(id, quality=q) for id, q in (("a", 0.0), ("b", 0.0), ("c", 1.0), ("d", 1.0))]
    whole = [record(id, quality=1.0) for id in "abcd"]
    rows = [
        record("a", path=BOTH), record("b"), record("c", path=BOTH), record("d"),
    ]  # fmt: skip

    table = routing(rows, passages, whole)

    assert table == {"rightly_read": 1, "missed": 1, "in_vain": 1, "rightly_not": 1}


def test_the_oracle_takes_the_better_and_passages_when_equal() -> None:
    ends = [
        record("a", "always-passages", quality=0.0), record("a", "always-whole", quality=1.0),
        record("b", "always-passages", quality=1.0), record("b", "always-whole", quality=0.0),
        record("c", "always-passages", quality=0.5, route="passages"),
        record("c", "always-whole", quality=0.5, route="whole_document"),
    ]  # fmt: skip

    oracle = {row["task_id"]: row for row in picked("oracle", ends)}

    assert [oracle[id]["scores"]["contains"] for id in "ab"] == [1.0, 1.0]
    assert oracle["c"]["answer"]["route"] == "passages"


def test_the_lot_is_drawn_the_same_every_time_and_both_ways() -> None:
    ends = [
        record(str(at), end, route=end.removeprefix("always-"))
        for at in range(40)
        for end in ("always-passages", "always-whole")
    ]

    first, again = picked("random", ends), picked("random", list(reversed(ends)))

    drawn = {row["task_id"]: row["answer"]["route"] for row in first}
    assert drawn == {row["task_id"]: row["answer"]["route"] for row in again}
    assert 10 < list(drawn.values()).count("whole") < 30
