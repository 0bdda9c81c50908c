"""Figures with known answers: worked by hand, or by scikit-learn."""

from __future__ import annotations

import random

import pytest
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, roc_auc_score

from ragloop.evals import statistics
from ragloop.stores.errors import EvaluationError

TRUTH = ["yes"] * 25 + ["no"] * 25
SAID = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15


def test_kappa_of_the_textbook_table() -> None:
    # 20 and 15 agree, 5 and 10 do not: agreement 0.7, by chance 0.5, so (0.7 - 0.5) / 0.5.
    assert statistics.agreement(TRUTH, SAID) == pytest.approx(0.7)
    assert statistics.kappa(TRUTH, SAID) == pytest.approx(0.4)


def test_balanced_accuracy_is_the_mean_recall() -> None:
    assert statistics.recall(TRUTH, SAID) == {"no": 0.6, "yes": 0.8}
    assert statistics.balanced_accuracy(TRUTH, SAID) == pytest.approx(0.7)


def test_a_judge_that_always_says_the_same_has_no_kappa() -> None:
    always = ["yes"] * 50

    assert statistics.kappa(TRUTH, always) == 0.0
    assert statistics.balanced_accuracy(TRUTH, always) == 0.5
    assert statistics.kappa(always, always) == 0.0


def test_auc_counts_pairs_and_ties_half() -> None:
    # Of the four pairs two are in order, one is tied, one is not: 2.5 / 4.
    assert statistics.auc([True, True, False, False], [0.9, 0.4, 0.4, 0.5]) == pytest.approx(0.625)


def test_auc_needs_both_classes() -> None:
    assert statistics.auc([True, True], [0.1, 0.2]) is None


@pytest.mark.parametrize("seed", range(5))
def test_the_figures_are_those_of_scikit_learn(seed: int) -> None:
    chance = random.Random(seed)
    truth = [chance.random() < 0.4 for _ in range(200)]
    scores = [round(0.3 * t + chance.random(), 1) for t in truth]
    said = [s > 0.6 for s in scores]

    assert statistics.auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores))
    assert statistics.kappa(truth, said) == pytest.approx(cohen_kappa_score(truth, said))
    assert statistics.balanced_accuracy(truth, said) == pytest.approx(
        balanced_accuracy_score(truth, said)
    )


def test_the_bootstrap_interval_is_near_the_binomial_one() -> None:
    truth = ["yes"] * 400
    said = ["yes"] * 320 + ["no"] * 80

    low, high = statistics.interval(truth, said)

    # 0.8 +- 1.96 * sqrt(0.8 * 0.2 / 400) = 0.8 +- 0.0392
    assert low == pytest.approx(0.7608, abs=0.01)
    assert high == pytest.approx(0.8392, abs=0.01)


def test_the_same_rows_give_the_same_interval() -> None:
    assert statistics.interval(TRUTH, SAID) == statistics.interval(TRUTH, SAID)


def test_a_paired_difference_is_narrow_where_the_rows_move_together() -> None:
    chance = random.Random(1)
    first = [chance.random() for _ in range(100)]
    second = [value + 0.1 for value in first]

    gain, low, high = statistics.paired_difference(first, second)

    assert (gain, low, high) == pytest.approx((0.1, 0.1, 0.1))


def test_the_best_threshold_lies_between_the_classes() -> None:
    found = statistics.best_threshold([False, False, True, True], [0.1, 0.2, 0.6, 0.9])

    assert found == pytest.approx(0.4)


def test_reliability_groups_scores_by_tenths() -> None:
    found = statistics.reliability([True, False, True], [0.91, 0.95, 0.05])

    assert found == [(0.05, 1.0, 1), (pytest.approx(0.93), 0.5, 2)]


@pytest.mark.parametrize(("truth", "said"), [([], []), (["yes"], ["yes", "no"])])
def test_rows_that_do_not_pair_up_are_refused(truth: list[str], said: list[str]) -> None:
    with pytest.raises(EvaluationError):
        statistics.agreement(truth, said)
