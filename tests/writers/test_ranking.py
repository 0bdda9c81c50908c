"""Which of several drafts is kept."""

from __future__ import annotations

import itertools

import pytest

from ragloop.nodes.writers.asked import read
from ragloop.nodes.writers.draft import Checked
from ragloop.nodes.writers.ranking import best, vote, worth


def checked(verdicts: list[str], rating: int) -> Checked:
    """What the checks said: a verdict a sentence, and a rating."""
    return {
        "grounding": [{"sentence": "s", "verdict": verdict} for verdict in verdicts],
        "usefulness": {"rating": rating, "how": "label", "why": ""},
    }


def test_worth_is_support_times_usefulness() -> None:
    half_supported = checked(["full", "none"], 4)

    value = worth(half_supported)

    assert value == pytest.approx(0.5 * 4 / 5)


def test_useful_but_unsupported_is_worth_nothing() -> None:
    made_up = checked(["none"], 5)

    value = worth(made_up)

    assert value == 0.0


def test_a_rating_nobody_could_read_counts_as_the_middle() -> None:
    unrated = checked(["full"], 0)

    value = worth(unrated)

    assert worth(checked(["full"], 2)) < value < worth(checked(["full"], 4))


@pytest.mark.parametrize("question", ["How deep is the well?", "这口井有多深？"])
def test_ties_are_broken_the_same_way_in_any_order(question: str) -> None:
    drafts = [("31 metres.", 0.5), ("It is 31 metres.", 0.5), ("31 metres!", 0.5), ("0.", 0.1)]

    kept = {best(question, order) for order in itertools.permutations(drafts)}

    assert kept == {"31 metres!"}


@pytest.mark.parametrize(
    ("question", "drafts", "kept"),
    [
        (
            "Is the well deep?",
            [("No, it is not. [1]", 0.8), ("Yes: it is. [1]", 0.5), ("Yes, 31 metres. [2]", 0.6)],
            "Yes, 31 metres. [2]",
        ),
        (
            "这口井深吗？",
            [("不深。[1]", 0.8), ("是的，很深。[1]", 0.5), ("是的，31米深。[2]", 0.6)],
            "是的，31米深。[2]",
        ),
        (
            "Which is deeper, the Orsa well or the Tarn well?",
            [("The Tarn well is. [1]", 0.9), ("The Orsa well. [2]", 0.5), ("Orsa well [2]", 0.5)],
            "Orsa well [2]",
        ),
        (
            "哪口井更深，奥尔萨井还是塔恩井？",
            [("塔恩井更深。[1]", 0.9), ("奥尔萨井。[2]", 0.5), ("奥尔萨井更深。[2]", 0.6)],
            "奥尔萨井更深。[2]",
        ),
    ],
    ids=["yes or no", "yes or no, Chinese", "which of two", "which of two, Chinese"],
)
def test_drafts_vote_on_a_question_with_a_closed_set_of_answers(
    question: str, drafts: list[tuple[str, float]], kept: str
) -> None:
    against_the_best_alone = max(drafts, key=lambda one: one[1])[0]

    chosen = best(question, drafts)

    assert chosen == kept != against_the_best_alone


def test_what_takes_no_side_has_no_vote() -> None:
    drafts = [("It depends. [1]", 0.5), ("That is open. [1]", 0.5), ("No. [1]", 0.6)]

    chosen = best("Is the well deep?", drafts)

    assert chosen == "No. [1]"


@pytest.mark.parametrize("text", ["Not all wells are deep.", "Nobody knows.", "Yesterday it was."])
def test_a_word_that_only_begins_like_yes_or_no_is_no_vote(text: str) -> None:
    asked = read("Is the well deep?")

    side = vote(asked, text)

    assert side == ""
