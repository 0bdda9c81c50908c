"""Records files, and records that a running app writes."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ragloop.evals.health import health
from ragloop.evals.records import RecordWriter, cut_torn_line, line_of, newest, read_records
from ragloop.graph.adapters import as_runnable
from ragloop.graph.build import Parts, build_graph
from ragloop.graph.settings import preset
from ragloop.stores.errors import EvaluationError
from ragloop.stores.memory import MemoryStore

from .records_made import record

QUESTION = "When does the Brell ferry leave Tarn pier?"


@pytest.fixture(scope="module")
def app() -> Any:
    store = MemoryStore()
    store.add_documents([{"id": "ferry", "text": "The Brell ferry leaves Tarn pier at 07:40."}])
    return build_graph(Parts(passages=store), preset("loop")).compile()


def test_a_line_that_a_crash_cut_off_is_left_out_and_then_removed(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    whole = line_of(record("a"))
    file.write_text(whole + whole[: len(whole) // 2], encoding="utf-8")

    before = read_records(file)
    cut_torn_line(file)
    with file.open("a", encoding="utf-8") as more:
        more.write(line_of(record("b")))

    assert [r["task_id"] for r in before] == ["a"]
    assert [r["task_id"] for r in read_records(file)] == ["a", "b"]


@pytest.mark.parametrize("line", ["{broken", "[1, 2]", '{"question": "?"}'])
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(f"{line}\n{line_of(record())}", encoding="utf-8")

    with pytest.raises(EvaluationError, match="line 1"):
        read_records(file)


def test_an_app_writes_a_record_for_each_run(app: Any, tmp_path: Path) -> None:
    file = tmp_path / "live" / "runs.jsonl"

    with RecordWriter(file, kind_of=lambda question: question.split()[0]) as records:
        app.invoke({"question": QUESTION}, {"callbacks": [records]})
        app.invoke({"question": "Who wrote the Mord symphony?"}, {"callbacks": [records]})

    first, second = read_records(file)
    assert (first["kind"], first["did_answer"]) == ("When", True)
    assert first["path"][0] == "restate_question"
    assert first["path"][-1] == "finish"
    assert (second["kind"], second["did_answer"]) == ("Who", False)
    assert health([first, second])[0]["of"] == 2


async def test_an_async_app_inside_a_chain_writes_one_record_too(app: Any, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    chain = as_runnable(app, output="text")

    await chain.ainvoke(QUESTION, {"callbacks": [RecordWriter(file)]})

    assert [r["question"] for r in read_records(file)] == [QUESTION]


def test_threads_share_a_writer(app: Any, tmp_path: Path) -> None:
    records = RecordWriter(tmp_path / "runs.jsonl")

    with ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(app.invoke, {"question": QUESTION}, {"callbacks": [records]})
            for _ in range(8)
        ]
        answers = [one.result()["answer"]["text"] for one in asked]

    found = read_records(tmp_path / "runs.jsonl")
    assert len(found) == 8
    assert {tuple(sorted(r["path"])) for r in found} == {tuple(sorted(found[0]["path"]))}
    assert {r["answer"]["text"] for r in found} == set(answers)


def test_figures_can_be_kept_without_a_word_of_the_question(app: Any, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"

    app.invoke({"question": QUESTION}, {"callbacks": [RecordWriter(file, keep_text=False)]})

    written = file.read_text(encoding="utf-8")
    assert not [word for word in ("Brell", "ferry", "pier", "07:40") if word in written]
    assert json.loads(written)["answer"]["spent"]["by_node"]
    assert len(health(read_records(file))) == 5


def test_an_open_span_gets_the_figures(app: Any, tmp_path: Path) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    tracer = sdk.TracerProvider().get_tracer("test")

    with tracer.start_as_current_span("my app") as span:
        records = RecordWriter(tmp_path / "runs.jsonl")
        app.invoke({"question": QUESTION}, {"callbacks": [records]})

    assert span.attributes["ragloop.outcome"] == "answered"
    assert span.attributes["ragloop.path"][-1] == "finish"


def test_of_a_question_that_was_run_again_the_newest_record_counts() -> None:
    old, other, new = record("a", quality=0.0), record("a", "loop"), record("a", quality=1.0)

    found = newest([old, other, new])

    assert [(r["preset"], r["scores"]["contains"]) for r in found] == [
        ("plain", 1.0),
        ("loop", 1.0),
    ]
