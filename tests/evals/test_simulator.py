"""Simulated models in the real graph: where the loop pays, what it costs, and that it ends."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest

from ragloop.evals.datasets import Dataset, Task
from ragloop.evals.records import Record
from ragloop.evals.simulated import Skill
from ragloop.evals.simulator import (
    Point,
    is_right,
    most_taken,
    pays_from,
    route_cost,
    run,
    simulate,
    verdict,
    with_noise,
)
from ragloop.graph.settings import preset
from ragloop.stores.errors import EvaluationError

from ..cli.shell import command_in

PERFECT = Skill(judge=1.0, writer=1.0, rewriter=1.0, distraction=0.0)
OWN = {"structured": "text", "refine": "off"}
NAMES = [
    "Brell",
    "Tarn",
    "Osk",
    "Vell",
    "Mord",
    "Rask",
    "Orsa",
    "Dunn",
    "Ulm",
    "Pell",
    "Sorn",
    "Gant",
]


def world(count: int = 8) -> Dataset:
    """Questions with two documents of evidence each; a search finds the first, not the second.

    The second shares no word with the question, as in a question of two hops.
    """
    documents, tasks = {}, []
    for at, name in enumerate(NAMES[:count]):
        first, second = f"{name}-a", f"{name}-b"
        filler = " ".join(f"{name.lower()}{n}" for n in range(12))
        documents[first] = {"id": first, "text": f"The {name} mill belongs to one house. {filler}"}
        documents[second] = {"id": second, "text": f"Its owner sells rye number {at}. {filler}x"}
        tasks.append(
            Task(name, f"What does the owner of the {name} mill sell?", (("rye",),),
                 evidence_ids=(first, second)),
        )  # fmt: skip
    return Dataset("made", "qa", "0", tasks=tuple(tasks), documents=documents)


@pytest.fixture(scope="module")
def by_judge() -> list[Point]:
    skill = Skill(writer=0.9, rewriter=0.9)
    return simulate(world(11), "judge", skill=skill, values=(0.0, 0.5, 1.0))


def shares(records: list[Record]) -> tuple[float, float]:
    return fmean(map(is_right, records)), fmean(r["did_answer"] for r in records)


def test_models_that_are_always_right_answer_all_that_the_search_can_find() -> None:
    settings = preset("loop", **OWN, rate_usefulness=False, k=4)

    right, answered = shares(run(world(), settings, PERFECT))

    assert right == answered == 1.0


def test_a_writer_that_is_never_right_gives_no_right_answer() -> None:
    right, answered = shares(run(world(), preset("plain", **OWN), Skill(writer=0.0)))

    assert (right, answered) == (0.0, 1.0)


def test_a_better_judge_makes_a_better_loop_and_leaves_plain_alone(by_judge: list[Point]) -> None:
    loop = [fmean(point.loop) for point in by_judge]
    plain = {point.plain for point in by_judge}

    assert loop == sorted(loop)
    assert loop[-1] > loop[0]
    assert len(plain) == 1


def test_the_loop_stops_paying_where_its_judge_is_bad(by_judge: list[Point]) -> None:
    worst, *_, best = by_judge

    assert worst.gain[0] < 0 < best.gain[0]
    assert pays_from(by_judge) in (0.5, 1.0)
    assert "judge accuracy" in verdict(by_judge)


def test_the_same_seed_gives_the_same_figures_and_another_seed_others() -> None:
    skill = Skill(0.6, 0.6, 0.6)

    first, again, other = (
        simulate(world(), "judge", skill=skill, values=(0.6,), seed=seed)[0] for seed in (0, 0, 5)
    )

    assert (first.loop, first.calls, first.tokens) == (again.loop, again.calls, again.tokens)
    assert (first.plain, first.loop) != (other.plain, other.loop)


def test_noise_adds_documents_of_other_questions_and_keeps_the_evidence() -> None:
    found = world(4)
    own = Dataset(
        "own", "qa", "0",
        tasks=tuple(Task(t.id, t.question, t.answers, True, t.evidence_ids, t.evidence_ids)
                    for t in found.tasks),
        documents=found.documents,
    )  # fmt: skip

    noisy = with_noise(own, 3)

    assert [len(task.document_ids) for task in noisy.tasks] == [5] * 4
    assert all(set(task.evidence_ids) <= set(task.document_ids) for task in noisy.tasks)


def test_the_cost_of_self_route_is_l_over_L_plus_what_falls_back() -> None:
    # Documents of one length; half of the questions need a document that no search can find.
    documents, tasks = {"far": {"id": "far", "text": "Quartz."}}, []
    for at, name in enumerate(NAMES[:8]):
        text = " ".join(f"Sentence {n} of the {name} mill is about rye." for n in range(300))
        documents[name] = {"id": name, "text": text}
        needed = (name, "far") if at % 2 else (name,)
        tasks.append(
            Task(name, f"What is the {name} mill about?", (("rye",),), True, needed, (name,))
        )
    found = Dataset("long", "qa", "0", tasks=tuple(tasks), documents=documents)

    cost = route_cost(found, PERFECT, k=2)

    assert cost["answerable"] == 0.5
    assert 0.5 < cost["predicted"] < 1
    assert cost["counted"] == pytest.approx(cost["predicted"], rel=0.01)


@pytest.mark.parametrize("max_rounds", [0, 1, 3])
@pytest.mark.parametrize("judge", [0.0, 0.5])
def test_no_question_takes_more_than_was_promised(judge: float, max_rounds: int) -> None:
    skill = Skill(judge=judge, writer=0.5, rewriter=0.5)

    taken = most_taken(world(4), skill, max_rounds)

    assert all(most <= promised for most, promised in taken.values()), taken
    assert taken["rounds"][1] == max_rounds


def test_without_labelled_evidence_there_is_nothing_to_simulate() -> None:
    found = Dataset("bare", "qa", "0", tasks=(Task("q", "When?", (("now",),)),), documents={})

    with pytest.raises(EvaluationError, match="which documents"):
        simulate(found, "judge")


def test_the_command_prints_a_table_and_a_verdict(tmp_path: Path) -> None:
    rows = [
        {"id": t.id, "question": t.question, "answer": "rye", "paragraphs": [
            {"pid": id, "title": "", "text": d["text"], "supporting": id in t.evidence_ids}
            for id, d in world(4).documents.items()
        ], "hops": 2}
        for t in world(4).tasks
    ]  # fmt: skip
    file = tmp_path / "made.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    done = command_in(tmp_path, "simulate", "max_rounds", "--data", file, "--max-rounds", "1")
    wrong = command_in(tmp_path, "simulate", "judge", "--data", file, "--judge", "2")

    assert done.returncode == 0, done.stderr
    assert "The loop is right most often at max_rounds" in done.stdout
    assert "The most rounds a question took at 1" in done.stdout
    assert wrong.returncode == 2
    assert "--judge" in wrong.stderr
