"""Benches over small corpora, on the real graph with the offline engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragloop.evals.contenders import contenders
from ragloop.evals.corpus import with_documents, without_evidence
from ragloop.evals.datasets import Dataset, Task, load
from ragloop.evals.runs import Bench, Corpus, run_bench
from ragloop.stores.embeddings import embeddings_named
from ragloop.stores.errors import EvaluationError, SettingsError

TEXTS = {
    "ferry": "The Brell ferry leaves Tarn pier at 07:40 and takes 35 minutes.",
    "lamp": "The Osk lamp runs on 12 volts and must not be used outdoors.",
    "tea": "Vell tea is brewed at 80 degrees for two minutes.",
    "zh": "白石渡轮每天早上七点四十分从塔恩码头出发，航程三十五分钟。",
}


def small(*, own: bool = False) -> Dataset:
    """Four questions, one of them without an answer; with `own`, each over its own document."""
    asked = [
        ("When does the Brell ferry leave Tarn pier?", "07:40", "ferry"),
        ("How many volts does the Osk lamp run on?", "12 volts", "lamp"),
        ("白石渡轮几点从塔恩码头出发？", "七点四十分", "zh"),
        ("Who wrote the Mord symphony?", "", ""),
    ]
    tasks = tuple(
        Task(
            id=f"q{at}",
            question=question,
            answers=((answer,),) if answer else (),
            answerable=bool(answer),
            evidence_ids=(id,) if id else (),
            document_ids=(id or "tea",) if own else (),
        )
        for at, (question, answer, id) in enumerate(asked)
    )
    documents = {id: {"id": id, "text": text} for id, text in TEXTS.items()}
    return Dataset("small", "qa", "0" * 64, tasks=tasks, documents=documents)


def bench(*names: str, found: Dataset | None = None, **changes: object) -> Bench:
    return Bench(
        found or small(), contenders(names, changes), embeddings=embeddings_named("hashing")
    )


def test_a_record_says_what_was_right_what_was_held_and_which_way_it_went() -> None:
    records = {r["task_id"]: r for r in run_bench(bench("loop"))}

    assert records["q0"]["scores"]["contains"] == 1.0
    assert records["q2"]["scores"]["contains"] == 1.0
    assert records["q0"]["evidence_held"] == ["ferry"]
    assert records["q0"]["answer_in_context"] is True
    assert records["q0"]["path"][0] == "restate_question"
    assert records["q0"]["path"][-1] == "finish"
    assert records["q3"]["should_answer"] is False
    assert records["q3"]["did_answer"] is False


def test_what_is_in_the_records_is_not_run_again() -> None:
    made = bench("plain", "loop")
    some = [record for record, _ in zip(run_bench(made), range(3), strict=False)]

    rest = list(run_bench(made, some))

    assert len(rest) == 5
    assert {(r["preset"], r["task_id"]) for r in [*some, *rest]} == {
        (name, task.id) for name in ("plain", "loop") for task in made.found.tasks
    }


def test_other_settings_are_another_run() -> None:
    before = list(run_bench(bench("plain")))

    left = bench("plain", k=3).todo(before)

    assert len(left) == 4


def test_a_task_with_documents_of_its_own_sees_only_those() -> None:
    found = small(own=True)
    corpus = Corpus(bench("plain", found=found))

    corpus.turn_to(found.tasks[1])

    assert {p["document_id"] for p in corpus.search("ferry lamp tea", 5)} == {"lamp"}


def test_a_corpus_that_comes_again_is_not_made_again() -> None:
    found = small(own=True)
    corpus = Corpus(bench("plain", found=found))
    corpus.turn_to(found.tasks[0])
    first = corpus.now
    corpus.turn_to(found.tasks[1])

    corpus.turn_to(found.tasks[0])

    assert corpus.now is first


def test_always_whole_reads_documents_and_never_search_reads_nothing() -> None:
    records = list(run_bench(bench("always-whole", "never-search")))

    paths = {(r["preset"], r["task_id"]): r["path"] for r in records}
    assert "read_whole_document" in paths["always-whole", "q0"]
    assert not {"retrieve", "read_whole_document"} & set(paths["never-search", "q0"])
    never = [r for r in records if r["preset"] == "never-search"]
    assert not any(r["did_answer"] for r in never), "without a model there is nothing to say"


def test_oracle_and_random_bring_the_runs_that_they_pick_from() -> None:
    assert set(contenders(["oracle"], {})) == {"always-passages", "always-whole"}


def test_a_name_that_is_no_preset_is_said() -> None:
    with pytest.raises(SettingsError, match=r"'loopy'.*plain.*never-search"):
        contenders(["loopy"], {})


def test_a_folder_becomes_the_corpus_of_own_questions(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for id, text in TEXTS.items():
        (folder / f"{id}.txt").write_text(text, encoding="utf-8")
    questions = tmp_path / "questions.csv"
    questions.write_text(
        "question,answer,evidence,kind\n"
        "When does the Brell ferry leave?,07:40,ferry.txt,times\n"
        "Who wrote the Mord symphony?,,,people\n",
        encoding="utf-8",
    )

    found = with_documents(load(questions), folder)
    first, second = run_bench(bench("loop", found=found))

    assert first["evidence_held"] == ["ferry.txt"]
    assert (first["kind"], first["scores"]["contains"]) == ("times", 1.0)
    assert (second["should_answer"], second["did_answer"]) == (False, False)


def test_evidence_that_the_folder_lacks_is_said(tmp_path: Path) -> None:
    (tmp_path / "tea.txt").write_text(TEXTS["tea"], encoding="utf-8")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "When?", "answer": "at noon", "evidence": "ferry.txt"}\n')

    with pytest.raises(EvaluationError, match=r"lacks 'ferry\.txt'"):
        with_documents(load(questions), tmp_path)


def test_changed_documents_are_another_data_set(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "When?", "answer": "at noon"}\n')
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tea.txt").write_text("Tea is at noon.", encoding="utf-8")
    before = with_documents(load(questions), folder)

    (folder / "tea.txt").write_text("Tea is at five.", encoding="utf-8")

    assert with_documents(load(questions), folder).sha256 != before.sha256


def test_with_the_evidence_taken_away_only_a_refusal_is_right() -> None:
    found = small()
    mixed = tuple(
        Task(t.id, t.question, t.answers, t.answerable, t.evidence_ids, tuple(TEXTS))
        for t in found.tasks
    )

    taken = without_evidence(Dataset("mixed", "qa", "0", tasks=mixed, documents=found.documents))
    records = list(run_bench(bench("loop", found=taken)))

    assert [task.id for task in taken.tasks] == ["q0", "q1", "q2"]
    assert all(set(task.document_ids) < set(TEXTS) for task in taken.tasks)
    assert not any(r["should_answer"] or r["did_answer"] for r in records)


def test_evidence_that_is_all_there_is_cannot_be_taken_away() -> None:
    with pytest.raises(EvaluationError, match="no question with evidence"):
        without_evidence(small(own=True))
