"""Flags become Settings, or one line that says what a setting may be."""

from __future__ import annotations

import json

import pytest

from ragloop.cli.options import settings_from
from ragloop.graph.presets import PRESETS
from ragloop.graph.settings import Settings, preset
from ragloop.stores.errors import SettingsError


def test_without_flags_the_settings_are_those_of_the_loop() -> None:
    assert settings_from() == preset("loop")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_taken_by_its_name(name: str) -> None:
    assert settings_from(preset=name) == preset(name)


def test_flags_stand_above_set_and_set_above_the_preset() -> None:
    settings = settings_from(preset="plain", changes=["k=3", "max_rounds=4"], k="9")

    assert (settings.k, settings.max_rounds, settings.tier) == (9, 4, 0)


@pytest.mark.parametrize(
    ("change", "name", "value"),
    [
        pytest.param("refine=off", "refine", "off", id="text"),
        pytest.param('where={"部门": "财务"}', "where", {"部门": "财务"}, id="object"),
        pytest.param('remedies=["read_whole"]', "remedies", ("read_whole",), id="list"),
        pytest.param("check_support=false", "check_support", False, id="boolean"),
        pytest.param("temperature=null", "temperature", None, id="null"),
        pytest.param(
            "base_url=http://127.0.0.1:1/v1?a=b",
            "base_url",
            "http://127.0.0.1:1/v1?a=b",
            id="text with an equals sign",
        ),
    ],
)
def test_set_reads_json_and_else_text(change: str, name: str, value: object) -> None:
    assert getattr(settings_from(changes=[change]), name) == value


def test_a_model_may_be_named_for_a_single_node() -> None:
    settings = settings_from(model="big", model_for=["grade_passages=small", "generate=good"])

    assert settings.models == {"grade_passages": "small", "generate": "good"}


@pytest.mark.parametrize("value", ["0", "-1", "four", "", "1.5", "1001"])
def test_a_k_that_cannot_be_names_the_setting_and_the_value(value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings_from(k=value)

    assert f"Settings.k is {value!r}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param("max_round=3", "max_rounds", id="near name"),
        pytest.param("selector=best", "novelty", id="choices"),
        pytest.param("k", "NAME=VALUE", id="no value"),
        pytest.param("=3", "NAME=VALUE", id="no name"),
        pytest.param("generate_prompt=Hello", "{", id="prompt without its slots"),
        pytest.param("models=3", "models", id="not an object"),
    ],
)
def test_a_change_that_cannot_be_is_one_line_with_what_can(change: str, told: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings_from(changes=[change])

    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pair", ["small", "grade=small", "=small"])
def test_a_model_for_no_node_is_refused(pair: str) -> None:
    with pytest.raises(SettingsError):
        settings_from(model_for=[pair])


def test_every_setting_can_be_given_by_set() -> None:
    given = Settings().model_dump(mode="json")

    settings = settings_from(changes=[f"{name}={json.dumps(given[name])}" for name in given])

    assert settings == Settings()
