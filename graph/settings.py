"""Settings of a run, the presets, and how both are read.

`Settings` is the graph's `context_schema`, so Studio shows it as a form. A preset is a set of
settings and nothing else: no code asks which preset is on.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ..stores.errors import SettingsError
from . import prompts

Remedy = Literal["search_again", "search_elsewhere", "read_whole"]
NODES_THAT_ASK = (
    "restate_question",
    "decide_retrieval",
    "answer_directly",
    "grade_passages",
    "rewrite_query",
    "select_context",
    "generate",
    "read_whole_document",
    "check_grounding",
    "check_usefulness",
)


def _prompt(node: str) -> Any:
    """A prompt as a setting: editable on its node in Studio, checked for its slots."""
    default = prompts.DEFAULTS[node]

    def has_slots(text: str) -> str:
        for slot in prompts.slots(default):
            if slot not in prompts.slots(text):
                raise ValueError(
                    f"Settings.{node}_prompt lacks {{{slot}}}. "
                    "Put it back, or drop the setting to use the default prompt."
                )
        return text

    return Annotated[
        str,
        AfterValidator(has_slots),
        Field(
            default=default,
            description=f"What {node} asks its model.",
            json_schema_extra={"langgraph_nodes": [node], "langgraph_type": "prompt"},
        ),
    ]


class Settings(BaseModel):
    """Everything that can be set for a run. All counts are upper bounds; 0 means none."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)
