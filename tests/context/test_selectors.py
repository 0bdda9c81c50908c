"""What each selector promises, tried against brute force where there is a bound."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ragloop.nodes.context.selectors import ByScore, Coverage, Mmr, Novelty, Thrift, greedy
from ragloop.nodes.context.slots import Cover
from ragloop.stores.errors import SettingsError

RANKED = Thrift(exponent=0.0, min_tokens=0, floor=-math.inf, best_single=False)
ROWS = np.array([[1.0, 0.0], [0.995, 0.0999], [0.0, 1.0]], dtype=np.float32)


def covering(share: np.ndarray, weights: np.ndarray) -> Coverage:
    return Coverage(Cover([], share, weights, 1.0), np.zeros(len(share)))


def worth(share: np.ndarray, weights: np.ndarray, chosen: tuple[int, ...]) -> float:
    return float(share[list(chosen)].max(axis=0) @ weights) if chosen else 0.0


def test_coverage_stays_above_its_bound_on_500_small_sets() -> None:
    chance = np.random.default_rng(11)
    worst = 1.0
    for _ in range(500):
        n, slots = int(chance.integers(3, 9)), int(chance.integers(2, 7))
        share = np.where(chance.random((n, slots)) < 0.4, chance.random((n, slots)), 0.0)
        weights = chance.random(slots)
        costs = chance.integers(20, 200, n).tolist()
        budget = int(chance.integers(60, 400))
        best = max(
            worth(share, weights, chosen)
            for size in range(n + 1)
            for chosen in itertools.combinations(range(n), size)
            if sum(costs[at] for at in chosen) <= budget
        )
        found = greedy(covering(share, weights), costs, budget, Thrift())

        assert sum(costs[at] for at in found) <= budget
        if best > 0:
            worst = min(worst, worth(share, weights, tuple(found)) / best)
    assert worst >= 1 - 1 / math.e


def test_the_best_single_passage_wins_where_the_ratio_misleads() -> None:
    share, weights = np.array([[0.1, 0.0], [0.0, 1.0]]), np.array([0.5, 0.5])

    found = greedy(covering(share, weights), [40, 400], 400, Thrift(exponent=1.0))

    assert found == [1]


def test_mmr_with_lambda_one_is_truncation_by_cosine() -> None:
    to_question = np.array([0.2, 0.9, 0.5])

    found = greedy(Mmr(to_question, ROWS, 1.0), [10, 10, 10], 20, RANKED)

    assert found == [1, 2]


def test_mmr_passes_over_a_near_copy() -> None:
    to_question = np.array([0.9, 0.89, 0.4])

    assert greedy(Mmr(to_question, ROWS, 0.5), [10, 10, 10], 20, RANKED) == [0, 2]


def test_mmr_fills_the_budget_though_later_gains_are_negative() -> None:
    rows = np.array([[1.0, 0.0], [0.9, 0.436], [0.8, 0.6], [0.7, 0.714]], dtype=np.float32)

    found = greedy(Mmr(np.array([0.5, 0.4, 0.3, 0.2]), rows, 0.3), [10] * 4, 40, RANKED)

    assert sorted(found) == [0, 1, 2, 3]


def test_mmr_refuses_scores_that_are_no_cosines() -> None:
    with pytest.raises(SettingsError, match="not cosines"):
        Mmr(np.array([7.3, 0.1, 0.2]), ROWS, 0.7)


def test_a_zero_in_either_factor_of_novelty_is_zero() -> None:
    novelty = Novelty(
        np.array([1.0, 1.0, 0.0]), np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    )

    novelty.take(0)

    assert novelty.gains().tolist() == [0.0, 0.0, 0.0]


def test_score_order_goes_on_with_what_still_fits() -> None:
    assert greedy(ByScore(np.array([0.9, 0.8, 0.1])), [50, 100, 40], 100, RANKED) == [0, 2]


def test_being_short_is_no_merit_in_itself() -> None:
    share, weights = np.array([[0.3], [0.9]]), np.array([1.0])

    found = greedy(covering(share, weights), [4, 30], 34, Thrift(exponent=1.0))

    assert found[0] == 1


def test_a_gain_under_the_floor_is_not_bought() -> None:
    share, weights = np.array([[0.9, 0.0], [0.0, 0.05]]), np.array([0.5, 0.5])

    assert greedy(covering(share, weights), [40, 40], 400, Thrift(floor=0.1)) == [0]
