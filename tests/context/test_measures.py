"""Figures with known answers, and the table that reads them."""

from __future__ import annotations

import pytest

from ragloop.nodes.context.diagnose import Figures, diagnose
from ragloop.nodes.context.measures import (
    fallback_share,
    marginal_gains,
    plateau,
    redundancy,
    token_efficiency,
)


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("The ferry leaves the pier at seven.", "At seven the ferry leaves the old pier."),
        ("渡轮每天早上七点离开港口码头。", "每天早上七点，渡轮离开港口码头。"),
    ],
)
def test_a_sentence_said_twice_is_redundant_though_no_shingle_filter_merged_it(
    first: str, again: str
) -> None:
    assert redundancy([{"text": first}, {"text": again}]) == 0.5
    assert redundancy([{"text": first}]) == 0.0


def test_the_plateau_of_a_known_curve_is_found() -> None:
    curve = [0.0, 0.4, 0.6, 0.7, 0.705, 0.7]

    assert plateau(curve) == 3
    assert marginal_gains(curve)[:2] == pytest.approx([0.4, 0.2])


def test_shares_and_ratios_survive_nothing() -> None:
    assert (plateau([]), token_efficiency(0.5, 0), fallback_share([])) == (0, 0.0, 0.0)
    assert token_efficiency(0.5, 2000) == 0.25
    assert fallback_share(["", "no vector"]) == 0.5


@pytest.mark.parametrize(
    ("figures", "symptom"),
    [
        (Figures(accuracy=0.5, accuracy_at_double_budget=0.505), "doubling the budget"),
        (Figures(accuracy=0.5, accuracy_with_mmr=0.45), "MMR lowers"),
        (Figures(redundancy=0.2), "visible repetition"),
        (Figures(coverage=0.6, coverage_of_candidates=0.9), "outside the budget"),
        (Figures(changed_by_order=0.01), "different contexts"),
        (Figures(accuracy=0.6, accuracy_of_rare=0.3), "long-tail"),
    ],
)
def test_each_symptom_has_its_row(figures: Figures, symptom: str) -> None:
    found = diagnose(figures)

    assert len(found) == 1
    assert symptom in found[0].symptom
    assert found[0].cause
    assert found[0].action


def test_healthy_figures_find_nothing() -> None:
    healthy = Figures(
        accuracy=0.8, accuracy_at_double_budget=0.85, accuracy_with_mmr=0.8, redundancy=0.05,
        coverage=0.9, coverage_of_candidates=0.95, changed_by_order=0.0, fallback=0.02,
        accuracy_of_rare=0.75,
    )  # fmt: skip

    assert diagnose(healthy) == []
