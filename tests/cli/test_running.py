"""What of an answer is written when its words were shown as they came."""

from __future__ import annotations

import pytest

from ragloop.cli.running import Live, checked_question
from ragloop.stores.errors import QuestionError


def test_after_a_stream_only_the_rest_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    live = Live()
    for word in ("It leaves ", "at 07:40."):
        live.token(word)

    rest = live.rest_of("It leaves at 07:40. [1] ferry.txt")

    assert capsys.readouterr().out + rest == "It leaves at 07:40. [1] ferry.txt"


def test_an_answer_that_nobody_streamed_is_written_whole() -> None:
    assert Live().rest_of("七点四十分。") == "七点四十分。"


def test_a_draft_that_was_thrown_away_is_followed_by_the_whole_answer() -> None:
    live = Live()
    live.token("It leaves at 08:00.")

    assert live.rest_of("The sources do not say.") == "\n\nThe sources do not say."


@pytest.mark.parametrize("text", ["", " \t\n", "　"], ids=["nothing", "blanks", "ideographic"])
def test_a_blank_question_is_refused(text: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        checked_question(text)
