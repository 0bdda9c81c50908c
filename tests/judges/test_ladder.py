from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from ragloop.nodes.judges.faults import Fault
from ragloop.nodes.judges.ladder import Ladder, Manner
from ragloop.nodes.judges.replies import Written
from ragloop.nodes.judges.rungs import prompt_on, schema_of
from ragloop.nodes.steps import Ask


@dataclass(frozen=True)
class Model:
    name: str = "m"
    server: str = "http://127.0.0.1:1/v1/"
    openai_like: bool = True


def refused(line: str, status: int = 400) -> Fault:
    return Fault("refused", line, status)


@pytest.mark.parametrize(
    ("server", "cap"),
    [
        ("https://api.openai.com/v1/", "max_completion_tokens"),
        ("https://x.openai.azure.com/", "max_completion_tokens"),
        ("http://127.0.0.1:8000/v1/", "max_tokens"),
    ],
)
def test_the_name_of_the_cap_is_the_one_that_the_server_surely_knows(server: str, cap: str) -> None:
    assert Ladder().manner(Model(server=server)).cap == cap


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("response_format is not supported", {"rung": "function_calling"}),
        ("Unknown field: json_schema", {"rung": "function_calling"}),
        ("'temperature' does not support 0", {"temperature": False}),
        ("top_logprobs must be at most 5", {"top_logprobs": 5}),
        ("unknown field stream_options", {"stream_usage": False}),
        (
            "max_tokens: extra fields",
            {"cap": "max_completion_tokens", "cap_tried": ("max_tokens",)},
        ),
    ],
)
def test_a_refusal_changes_what_it_names_and_nothing_else(
    line: str, changed: dict[str, object]
) -> None:
    ladder = Ladder()
    before = ladder.manner(Model())

    after = ladder.after_refusal(Model(), before, refused(line))

    assert after == replace(before, **changed)
    assert ladder.manner(Model()) == after
    assert ladder.notes[0].startswith("m: ")


@pytest.mark.parametrize("status", [400, 500])
def test_a_refusal_about_something_else_changes_nothing(status: int) -> None:
    ladder = Ladder()

    after = ladder.after_refusal(Model(), ladder.manner(Model()), refused("internal", status))

    assert after is None
    assert not ladder.known(Model())


def test_a_passing_fault_is_not_about_how_it_was_asked() -> None:
    ladder = Ladder()
    ladder.worked(Model(), Manner(rung="json_object"), readable=True)
    another_way = Manner(rung="text")

    busy = ladder.after_refusal(Model(), another_way, Fault("passing", "429 slow down", 429))
    broken = ladder.after_refusal(Model(), another_way, Fault("passing", "500 oops", 500))

    assert (busy, broken) == (None, None)


def test_a_server_error_about_the_tools_is_a_refusal() -> None:
    ladder = Ladder()
    tools = Manner(rung="function_calling")

    after = ladder.after_refusal(Model(), tools, Fault("passing", "500 tools require a flag", 500))

    assert after is not None
    assert after.rung == "json_object"


def test_a_late_refusal_does_not_undo_what_was_learned() -> None:
    ladder = Ladder()
    first = ladder.manner(Model())
    ladder.after_refusal(Model(), first, refused("no response_format"))
    ladder.after_refusal(Model(), ladder.manner(Model()), refused("no tools"))

    late = ladder.after_refusal(Model(), first, refused("no response_format"))

    assert late is not None
    assert late.rung == ladder.rung(Model()) == "json_object"


def test_another_model_of_the_server_starts_with_what_is_the_servers() -> None:
    ladder = Ladder()
    learned = Manner(rung="json_object", temperature=False, more_room=True, top_logprobs=0)
    ladder.worked(Model(), learned, readable=True)

    other = ladder.manner(Model(name="other"))

    assert other == Manner(rung="json_object", top_logprobs=0)
    assert not ladder.known(Model(server="http://127.0.0.1:2/v1/"))


def test_what_is_missing_need_not_be_filled_in() -> None:
    schema = schema_of(Written)

    assert schema["required"] == ["answerable", "answer"]
    assert schema["additionalProperties"] is False


def test_a_strict_schema_is_closed_and_needs_every_key() -> None:
    schema = schema_of(Written, strict=True)

    assert schema["required"] == ["answerable", "answer", "missing"]
    assert schema["additionalProperties"] is False
    assert "default" not in schema["properties"]["missing"]


def test_in_words_a_writer_is_asked_for_the_answer_alone() -> None:
    asked = Ask("generate", "writer", ("Q",), Written, text_field="answer")

    prompt = prompt_on("Q", asked, Manner(rung="text"))

    assert prompt.startswith("Q\n\nReply with the answer in plain words")
    assert '{"answerable": false' in prompt
