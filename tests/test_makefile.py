"""What `make demo` promises: three questions about ragloop, one that the docs do not answer."""

from __future__ import annotations

import json
import re
from pathlib import Path

from .cli.shell import command_in

ROOT = Path(__file__).parents[1]
DEMO = re.search(r"^demo:.*?^$", (ROOT / "Makefile").read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_the_demo_answers_two_questions_and_refuses_one(tmp_path: Path) -> None:
    assert DEMO
    questions = re.findall(r'^\t +"(.+)"', DEMO.group(), re.MULTILINE)

    done = [command_in(tmp_path, "ask", "--docs", ROOT / "docs", "--json", q) for q in questions]

    answers = [json.loads(one.stdout) for one in done]
    assert [answer["outcome"] for answer in answers] == ["answered", "answered", "refused"]
    assert all(answer["citations"] for answer in answers[:2])
