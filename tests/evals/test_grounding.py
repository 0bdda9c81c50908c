"""What is measured of answers one can check, on rows whose figures are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback

from ragloop.evals.asking import model_run
from ragloop.evals.grounding import (
    counterfactual,
    injected,
    labelled,
    labelled_by_model,
    rows_of,
    with_sentences,
)
from ragloop.evals.loop_cases import SETS, sampled, tables
from ragloop.graph.settings import Settings, preset
from ragloop.nodes.judges.offline import OfflineJudge

WELL = "The well at Orsa is 31 metres deep. It was dug by hand in 1862."
WELL_ZH = "奥尔萨的井深31米。这口井是1862年用手工挖成的。"


def row(answer: str, context: str, **more: Any) -> dict[str, Any]:
    return {"answer": answer, "context": [context], "label": "grounded", "tier": "clean", **more}


@pytest.mark.parametrize(
    ("right", "wrong", "context"),
    [
        ("The well at Orsa is 31 metres deep.", "The well at Orsa is 90 metres deep.", WELL),
        ("奥尔萨的井深31米。", "奥尔萨的井深90米。", WELL_ZH),
    ],
    ids=["English", "Chinese"],
)
def test_labelled_sentences_are_counted_on_their_side(right: str, wrong: str, context: str) -> None:
    sentences = [{"text": right, "label": "grounded"}, {"text": wrong, "label": "ungrounded"}]

    named = labelled([row("", context, sentences=sentences, source="x")], OfflineJudge())

    assert (named.named_bad, named.bad, named.named_good, named.good) == (1, 1, 0, 1)
    assert (named.precision, named.recall) == (1.0, 1.0)


def test_a_model_names_labelled_sentences_as_the_graph_would_have_it_judge_them() -> None:
    wrong = {"text": "The well at Orsa is 31 metres wide.", "label": "ungrounded"}
    code = {"text": "The well at Orsa is 90 metres deep.", "label": "ungrounded"}
    right = {"text": "The well at Orsa is 31 metres deep.", "label": "grounded"}
    rows = [row("", WELL, id="a", source="x", sentences=[wrong, code, right])]
    with Loopback({"judge": [{"by_text": {"metres wide": "none", "*": "full"}}]}) as server:
        run = model_run("support", Settings(judge_model="judge", base_url=server.url))
        named = labelled_by_model(rows, run)

    assert (named.named_bad, named.bad, named.named_good, named.good) == (2, 2, 0, 1)


def test_rows_whose_sentences_are_known_are_spread_over_those_of_their_source() -> None:
    bad = [{"keyword": "90", "note": ""}]
    rows = [
        row("It is 90 metres deep.", WELL, source="marked", bad_keywords=bad),
        row("It is 31 metres deep.", WELL, source="marked"),
        row("It is 31 metres deep.", WELL, source="another"),
    ]

    assert with_sentences(rows) == rows[:2]
    assert with_sentences(rows, 1) == rows[:1]


def test_injected_sentences_are_named_and_right_ones_are_not() -> None:
    rows = [row(WELL, WELL), row(WELL_ZH, WELL_ZH)]

    found = injected(rows, OfflineJudge())

    changed, strange = found["figure changed"], found["from another answer"]
    assert (changed.named_bad, changed.bad) == (4, 4)
    assert (strange.named_bad, strange.bad, strange.named_good) == (2, 2, 0)


def test_most_figures_changed_in_real_answers_are_named(shared_data: Path) -> None:
    rows = rows_of(shared_data, "groundedness_en")[::6]

    changed = injected(rows, OfflineJudge())["figure changed"]

    assert changed.recall >= 0.7
    assert changed.named_good <= 0.2 * changed.good


@pytest.mark.parametrize(("switch", "source", "memory"), [(True, 1, 0), (False, 0, 1)])
def test_the_switch_for_only_the_sources_is_measured(
    switch: bool, source: int, memory: int
) -> None:
    told = {
        "question": "How deep is the well at Orsa?",
        "counterfactual": ["The well at Orsa is 90 metres deep."],
        "fake_answers": ["90 metres"],
        "answers": ["31 metres"],
    }
    obeys = {"by_text": {"and from nothing else": "90 metres. [1]", "*": "31 metres. [1]"}}
    with Loopback({"writer": [obeys]}) as server:
        settings = preset("plain", only_sources=switch, model="writer", base_url=server.url)
        found = counterfactual([told], settings)

    assert (found.questions, found.source, found.memory) == (1, source, memory)


def test_a_sample_is_the_same_each_time_and_holds_both_kinds(shared_data: Path) -> None:
    found = SETS["cmrc_zh"](shared_data)

    first, second = sampled(found, 20), sampled(found, 20)

    assert [task.id for task in first.tasks] == [task.id for task in second.tasks]
    assert {task.answerable for task in first.tasks} == {True, False}


def test_the_loop_is_counted_as_a_two_by_two(shared_data: Path) -> None:
    [(name, contender, table)] = list(tables(shared_data, ["rgb_zh_refine"], 6, ["loop"]))

    assert (name, contender) == ("rgb_zh_refine", "loop")
    assert table.should + table.should_not == 6
    assert len(table.wrong) == 6 - table.answered - table.refused
