"""`ragloop chat`: a conversation on stdin and stdout."""

from __future__ import annotations

import json
from pathlib import Path

from .shell import command_in, one_line


def test_a_follow_up_is_understood_from_what_was_said(docs: Path, tmp_path: Path) -> None:
    said = "When does the Brell ferry leave Tarn pier?\nAnd how long does it take?\n"

    done = command_in(tmp_path, "chat", "--docs", docs, stdin=said)

    assert done.returncode == 0
    assert "07:40" in done.stdout
    assert "35 minutes" in done.stdout


def test_json_is_one_answer_after_another(docs: Path, tmp_path: Path) -> None:
    said = "When does the Brell ferry leave Tarn pier?\n\n白石渡轮什么时候出发？\n"

    done = command_in(tmp_path, "chat", "--docs", docs, "--json", stdin=said)

    reader, answers, rest = json.JSONDecoder(), [], done.stdout
    while rest := rest.strip():
        answer, end = reader.raw_decode(rest)
        answers.append(answer)
        rest = rest[end:]
    assert [answer["outcome"] for answer in answers] == ["answered", "answered"]
    assert answers[0]["question"] != answers[1]["question"]


def test_no_questions_is_no_failure(docs: Path, tmp_path: Path) -> None:
    done = command_in(tmp_path, "chat", "--docs", docs)

    assert (done.returncode, done.stdout) == (0, "")


def test_nothing_to_ask_is_wrong_use(tmp_path: Path) -> None:
    done = command_in(tmp_path, "chat", stdin="Hello?\n")

    assert done.returncode == 2
    assert "--docs" in one_line(done.stderr)
