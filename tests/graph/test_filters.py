"""A metadata filter holds for searches, rewrites, other sources and whole documents."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import ScriptedModel
from small_graph import compiled, document

from ragloop.graph.settings import preset
from ragloop.stores.memory import MemoryStore

ASK = "What is the door code?"


def two_tenants() -> MemoryStore:
    store = MemoryStore()
    store.add_documents(
        [
            document("acorn", "The door code of the house is 1111.", tenant="acorn"),
            document("birch", "The door code of the house is 2222.", tenant="birch"),
        ]
    )
    return store


def seen(model: ScriptedModel) -> str:
    return "\n".join(prompt for _, prompt in model.asked)


WAYS: dict[str, dict[str, Any]] = {
    "the search": {},
    "a search after a rewrite": {"grade_passages": ["no", "yes"]},
    "whole documents after passages": {"grade_passages": "no"},
    "whole documents after a draft": {"generate": {"answerable": False, "missing": "it"}},
}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_another_tenant_reaches_a_model(way: str) -> None:
    model = ScriptedModel(script=dict(WAYS[way]))
    app = compiled(model, preset("loop", max_rounds=1), passages=two_tenants())

    app.invoke({"question": ASK, "where": {"tenant": "acorn"}})

    assert "1111" in seen(model)
    assert "2222" not in seen(model)


def test_nothing_of_another_tenant_is_read_whole_at_once() -> None:
    model = ScriptedModel()
    app = compiled(model, preset("whole_document"), passages=two_tenants())

    app.invoke({"question": ASK, "where": {"tenant": "birch"}})

    assert "2222" in seen(model)
    assert "1111" not in seen(model)


def test_no_request_loosens_what_the_settings_demand() -> None:
    model = ScriptedModel()
    settings = preset("loop", where={"tenant": "acorn"})
    app = compiled(model, settings, passages=two_tenants())

    app.invoke({"question": ASK, "where": {"tenant": "birch"}})

    assert "2222" not in seen(model)


def test_nothing_of_another_tenant_comes_from_elsewhere() -> None:
    model = ScriptedModel(script={"grade_passages": "no"})
    settings = preset("loop", max_rounds=0, remedies=["search_elsewhere"])
    app = compiled(model, settings, passages=MemoryStore(), elsewhere=two_tenants())

    app.invoke({"question": ASK, "where": {"tenant": "acorn"}})

    assert "1111" in seen(model)
    assert "2222" not in seen(model)
