"""The picture and the schemas, compared with those in snapshots/.

Renew them after a change that is meant: RENEW=1 pytest tests/graph/test_pictures.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from small_graph import store_of

from ragloop.graph.build import ARROWS, NODES, Parts, build_graph
from ragloop.graph.prompts import DEFAULTS
from ragloop.graph.settings import Settings

SNAPSHOTS = Path(__file__).with_name("snapshots")


def graph() -> Any:
    return build_graph(Parts(passages=store_of())).compile(name="ragloop")


MADE = {
    "graph.mmd": lambda: graph().get_graph().draw_mermaid(),
    "input.json": lambda: shown(graph().get_input_jsonschema()),
    "output.json": lambda: shown(graph().get_output_jsonschema()),
    "context.json": lambda: shown(graph().get_context_jsonschema()),
}


def shown(schema: Any) -> str:
    """A schema as text, without the parts that LangChain describes."""
    kept = {**schema, "$defs": sorted(schema.get("$defs", {}))}
    return json.dumps(kept, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


@pytest.mark.parametrize("name", MADE)
def test_it_is_as_it_was(name: str) -> None:
    made = MADE[name]()
    if os.environ.get("RENEW"):
        (SNAPSHOTS / name).write_text(made, encoding="utf-8")

    assert made == (SNAPSHOTS / name).read_text(encoding="utf-8")


def test_the_picture_has_every_node_and_every_reason() -> None:
    edges = graph().get_graph().edges

    drawn = {(edge.source, edge.data or edge.target, edge.target) for edge in edges}

    wanted = {
        (node, why, to) for node, (_, reasons) in ARROWS.items() for why, to in reasons.items()
    }
    assert wanted <= drawn
    assert len([edge for edge in edges if edge.conditional]) == len(wanted)
    assert {edge.target for edge in edges} - {"__end__"} == set(NODES)


def test_studio_shows_every_setting_with_its_meaning_and_each_prompt_on_its_node() -> None:
    properties = graph().get_context_jsonschema()["properties"]

    assert set(properties) == set(Settings.model_fields)
    assert all(setting.get("description") for setting in properties.values())
    for node in DEFAULTS:
        on = properties[f"{node}_prompt"]["langgraph_nodes"]
        assert on == ["grade_passages" if node == "judge_sufficiency" else node]


def test_the_studio_entry_hides_nothing_of_what_the_inner_nodes_do() -> None:
    app = build_graph(Parts(passages=store_of()), studio=True).compile()

    steps = list(app.stream({"question": "How deep is the well?"}, stream_mode="updates"))

    assert all(update for step in steps for update in step.values())
    assert "found" in app.get_output_jsonschema()["properties"]
