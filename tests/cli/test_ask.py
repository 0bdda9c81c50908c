"""`ragloop ask`, as a user sees it: stdout, stderr, exit code."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .shell import COMMAND, KEY, Done, command_in, environment, one_line, process_in

QUESTION = "When does the Brell ferry leave Tarn pier?"


def answer_of(done: Done) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_folder_is_indexed_and_asked_in_one_go(docs: Path, tmp_path: Path) -> None:
    answer = answer_of(command_in(tmp_path, "ask", "--docs", docs, QUESTION, "--json"))

    assert answer["outcome"] == "answered"
    assert "07:40" in answer["text"]
    assert answer["spent"]["calls"] == 0


def test_a_chinese_question_gets_a_chinese_answer(docs: Path, tmp_path: Path) -> None:
    answer = answer_of(
        command_in(tmp_path, "ask", "--docs", docs, "白石渡轮什么时候出发？", "--json")
    )

    assert answer["outcome"] == "answered"
    assert "七点四十分" in answer["text"]


def test_each_citation_is_verbatim_in_its_file(docs: Path, tmp_path: Path) -> None:
    answer = answer_of(command_in(tmp_path, "ask", "--docs", docs, QUESTION, "--json"))

    [citation] = answer["citations"]
    text = Path(citation["source"]).read_text(encoding="utf-8")
    assert text[citation["start"] : citation["end"]] == citation["quote"]


def test_what_the_folder_does_not_say_is_refused_with_exit_0(docs: Path, tmp_path: Path) -> None:
    question = "What is the capital of Mongolia?"

    answer = answer_of(command_in(tmp_path, "ask", "--docs", docs, question, "--json"))

    assert answer["outcome"] == "refused"
    assert "Ulaanbaatar" not in answer["text"]


def test_stdout_is_the_answer_and_the_rest_goes_to_stderr(docs: Path, tmp_path: Path) -> None:
    done = command_in(tmp_path, "ask", "--docs", docs, QUESTION)

    assert "07:40" in done.stdout
    assert "ferry.txt" in done.stdout
    assert "model call" not in done.stdout
    assert "0 model calls" in done.stderr


def test_a_trace_tells_each_step_on_stderr(docs: Path, tmp_path: Path) -> None:
    done = command_in(tmp_path, "ask", "--docs", docs, QUESTION, "--trace", "--json")

    told = [line.split()[0] for line in done.stderr.splitlines() if line]
    assert answer_of(done)["outcome"] == "answered"
    for node in ("restate_question", "decide_retrieval", "retrieve", "generate", "finish"):
        assert node in told


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_a_blank_question_is_wrong_use(question: str, tmp_path: Path) -> None:
    done = command_in(tmp_path, "ask", question, "--docs", tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "question is empty" in one_line(done.stderr)


@pytest.mark.parametrize("k", ["0", "-1", "four"])
def test_a_k_that_cannot_be_is_wrong_use(k: str, docs: Path, tmp_path: Path) -> None:
    done = command_in(tmp_path, "ask", "--docs", docs, QUESTION, "--k", k)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"Settings.k is '{k}'" in one_line(done.stderr)


def test_with_nothing_to_ask_it_says_what_to_do(tmp_path: Path) -> None:
    done = command_in(tmp_path, "ask", QUESTION)

    assert done.returncode == 2
    assert "--docs PATH" in one_line(done.stderr)


@pytest.mark.parametrize("flag", ["--docs", "--store"])
def test_a_folder_that_is_not_there_is_a_failure(flag: str, tmp_path: Path) -> None:
    done = command_in(tmp_path, "ask", QUESTION, flag, "nowhere")

    assert (done.returncode, done.stdout) == (1, "")
    assert "nowhere" in one_line(done.stderr)
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_without_documents_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    done = command_in(tmp_path, "ask", QUESTION, "--docs", "empty")

    assert (done.returncode, done.stdout) == (1, "")
    assert "no documents" in done.stderr.lower()
    assert "Traceback" not in done.stderr


def test_a_dead_server_is_a_failure(docs: Path, tmp_path: Path) -> None:
    flags = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--retries", "0")

    done = command_in(tmp_path, "ask", "--docs", docs, QUESTION, *flags)

    assert done.returncode == 1
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_key_is_a_failure_that_does_not_show_the_key(
    docs: Path, tmp_path: Path, refusing_server: str
) -> None:
    flags = ("--model", "m", "--base-url", refusing_server)

    done = command_in(tmp_path, "ask", "--docs", docs, QUESTION, *flags)

    assert done.returncode == 1
    assert "key" in done.stderr
    assert KEY not in done.stderr + done.stdout


def test_an_ascii_console_gets_the_answer_too(docs: Path, tmp_path: Path) -> None:
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}

    done = process_in(tmp_path, "ask", "--docs", docs, "白石渡轮什么时候出发？", "--json", env=env)

    assert "七点四十分" in answer_of(done)["text"]
    assert done.stdout.isascii()


def test_bytes_that_are_no_text_do_not_end_the_run(docs: Path, tmp_path: Path) -> None:
    question = b"When does the Brell ferry \xff leave Tarn pier?"

    done = process_in(tmp_path, "ask", "--docs", docs, question, "--json")

    assert answer_of(done)["outcome"] == "answered"
    assert "surrogates" not in done.stderr


def test_tracing_with_a_dead_address_neither_litters_nor_hangs(docs: Path, tmp_path: Path) -> None:
    env = {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_API_KEY": "x",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    }

    done = process_in(tmp_path, "ask", "--docs", docs, QUESTION, "--json", env=env)

    assert answer_of(done)["outcome"] == "answered"
    assert sum("LangSmith" in line for line in done.stderr.splitlines()) == 1


def test_a_conversation_goes_on_in_another_process(docs: Path, tmp_path: Path) -> None:
    kept = ("--docs", docs, "--checkpoint", "talks.sqlite", "--thread", "t1", "--json")

    process_in(tmp_path, "ask", QUESTION, *kept)
    answer = answer_of(command_in(tmp_path, "ask", "And how long does it take?", *kept))

    assert "35 minutes" in answer["text"]


def test_a_checkpoint_without_a_thread_makes_one_and_names_it(docs: Path, tmp_path: Path) -> None:
    done = command_in(
        tmp_path, "ask", "--docs", docs, QUESTION, "--checkpoint", "t.sqlite", "--json"
    )

    assert answer_of(done)["outcome"] == "answered"
    assert "--thread" in done.stderr


def test_a_thread_without_a_checkpoint_is_wrong_use(docs: Path, tmp_path: Path) -> None:
    done = command_in(tmp_path, "ask", "--docs", docs, QUESTION, "--thread", "t1")

    assert done.returncode == 2
    assert "--checkpoint" in one_line(done.stderr)


def test_ctrl_c_ends_with_one_line_and_130(docs: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "chat", "--docs", docs],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin and running.stdout and running.stderr
        running.stdin.write(QUESTION + "\n")
        running.stdin.flush()
        first = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        told = running.stderr.read()

    assert "07:40" in first
    assert running.returncode == 130
    assert told.splitlines()[-1] == "Stopped."
    assert "Traceback" not in told
