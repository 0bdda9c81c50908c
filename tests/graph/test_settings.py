"""Settings and presets: what they may be, and what is said when they are not."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import ScriptedModel
from small_graph import QUESTION, compiled

from ragloop.graph.presets import PRESETS
from ragloop.graph.prompts import DEFAULTS, fill, slots
from ragloop.graph.settings import Settings, make_settings, preset
from ragloop.stores.errors import SettingsError

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown, with a near name": (
        {"max_round": 3},
        "no setting 'max_round'. Did you mean max_rounds",
    ),
    "unknown": ({"xyzzy": 1}, "no setting 'xyzzy'."),
    "a word that is no choice": (
        {"refine": "maybe"},
        "'maybe', but must be one of off, strips, auto",
    ),
    "too small": ({"k": 0}, "Settings.k is 0: input should be greater than or equal to 1"),
    "not a number": ({"k": "four"}, "Settings.k is 'four': input should be a valid integer"),
    "no time at all": ({"deadline_s": 0}, "Settings.deadline_s is 0"),
    "a prompt without a slot": (
        {"grade_passages_prompt": "Is {question} answered?"},
        "Settings.grade_passages_prompt lacks {passage}. Put it back, or drop the setting",
    ),
    "a model for a node that asks none": (
        {"models": {"retrieve": "x"}},
        "'retrieve' asks no model. Nodes that do: restate_question",
    ),
    "a remedy that is none": ({"remedies": ["pray"]}, "Settings.remedies"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line_with_what_to_do(case: str) -> None:
    values, said = WRONG[case]

    with pytest.raises(SettingsError) as raised:
        make_settings(values)

    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_preset_names_those_there_are() -> None:
    with pytest.raises(SettingsError, match=r"no preset 'lop'.*loop"):
        preset("lop")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_answers_offline(name: str) -> None:
    answer = compiled(settings=preset(name)).invoke({"question": QUESTION})["answer"]

    assert answer["outcome"] in ("answered", "partial")
    assert "31 metres" in answer["text"]


CALLS = {"plain": 1, "check": 2, "guard": 6, "loop": 7, "self_route": 1, "whole_document": 1}
"""What an undisturbed question costs over the four notes: grades, draft, one sentence, rating."""


@pytest.mark.parametrize("name", CALLS)
def test_what_a_preset_costs(name: str) -> None:
    model = ScriptedModel()

    compiled(model, preset(name)).invoke({"question": QUESTION})

    assert sum(model.calls.values()) == CALLS[name]


def test_a_run_may_change_settings_of_the_graph() -> None:
    model = ScriptedModel()
    app = compiled(model, preset("loop"))

    app.invoke({"question": QUESTION}, context={"k": 2})
    app.invoke({"question": QUESTION}, context=Settings(k=1))

    assert model.calls["grade_passages"] == 3


def test_a_preset_as_context_replaces_all_settings_of_the_graph() -> None:
    model = ScriptedModel()
    app = compiled(model, preset("loop"))

    app.invoke({"question": QUESTION}, context=preset("plain"))

    assert set(model.calls) == {"generate"}


def test_a_wrong_setting_of_a_run_is_said_before_any_call() -> None:
    model = ScriptedModel()

    with pytest.raises((SettingsError, ValueError), match=r"k\b"):
        compiled(model).invoke({"question": QUESTION}, context={"k": 0})

    assert not model.asked


@pytest.mark.parametrize("node", DEFAULTS)
def test_a_prompt_is_filled_in_one_pass_so_braces_in_a_text_stay(node: str) -> None:
    odd = 'a {question} {"b": {c}} {{d}} {0} {} %s $x \\1'

    made = fill(DEFAULTS[node], **dict.fromkeys(slots(DEFAULTS[node]), odd))

    assert made.count(odd) == len(slots(DEFAULTS[node]))


@pytest.mark.parametrize("node", DEFAULTS)
def test_a_prompt_is_short_and_has_a_slot(node: str) -> None:
    assert slots(DEFAULTS[node])
    assert len(DEFAULTS[node].splitlines()) <= 16
