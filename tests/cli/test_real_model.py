"""The command with a real chat model. CONTRIBUTING.md says how to start one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .shell import command_in

URL = os.environ.get("RAGLOOP_TEST_BASE_URL", "")
MODEL = os.environ.get("RAGLOOP_TEST_MODEL", "local")

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(not URL, reason="RAGLOOP_TEST_BASE_URL names no model server"),
]


@pytest.mark.parametrize(
    ("question", "held"),
    [
        pytest.param("When does the Brell ferry leave Tarn pier?", "07:40", id="english"),
        pytest.param("白石渡轮什么时候从塔恩码头出发？", "七点四十", id="chinese"),
    ],
)
def test_a_model_answers_from_what_it_was_given(
    question: str, held: str, docs: Path, tmp_path: Path
) -> None:
    flags = ("--preset", "plain", "--model", MODEL, "--base-url", URL, "--json")

    done = command_in(tmp_path, "ask", "--docs", docs, question, *flags)

    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert held in answer["text"]
    assert answer["spent"]["calls"] == 1
    assert answer["spent"]["output_tokens"] > 0
