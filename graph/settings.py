"""Settings of a run, the presets, and how both are read.

`Settings` is the graph's `context_schema`, so Studio shows it as a form. A preset is a set of
settings and nothing else: no code asks which preset is on.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ..stores.errors import SettingsError
from . import prompts
from .presets import PRESETS
from .wrong_settings import listed, one_line

Remedy = Literal["search_again", "search_elsewhere", "read_whole"]


def _prompt(node: str) -> Any:
    """A prompt as a setting, which Studio shows on its node."""
    asks_on = "grade_passages" if node == "judge_sufficiency" else node
    return Field(
        default=prompts.DEFAULTS[node],
        description=f"What {node} asks its model.",
        json_schema_extra={"langgraph_nodes": [asks_on], "langgraph_type": "prompt"},
    )


class Settings(BaseModel):
    """Everything that can be set for a run. Limits are upper bounds, checked before spending."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # What is searched
    k: int = Field(default=10, ge=1, le=1000, description="Passages a search brings.")
    where: dict[str, Any] | None = Field(
        default=None, description="Metadata filter for every search and every whole document."
    )

    # What is checked
    ask_retrieval: bool = Field(
        default=False,
        description="Ask the judge whether sources are needed when no rule has settled it.",
    )
    grade_retrieval: bool = Field(default=True, description="Grade each passage before it is used.")
    judge_sufficiency: bool = Field(
        default=False,
        description="Also ask whether the kept passages suffice. One more call a round.",
    )
    check_support: bool = Field(
        default=True, description="Check each sentence against the evidence."
    )
    rate_usefulness: bool = Field(default=True, description="Rate how useful the draft is, 1 to 5.")
    useful_from: int = Field(
        default=3, ge=1, le=5, description="A draft rated lower is off the point."
    )
    pre_route: Literal["off", "facts", "always"] = Field(
        default="off",
        description="Read whole documents before searching: by light facts (kind of question, "
        "length, window; ties go to passages), always, or not.",
    )

    # What is done about it
    remedies: tuple[Remedy, ...] = Field(
        default=("search_again", "search_elsewhere", "read_whole"),
        description="What is tried, in this order, when the evidence does not suffice.",
    )
    refine: Literal["off", "strips", "auto"] = Field(
        default="auto",
        description="Cut kept passages to strips (CRAG). auto: long ones that do not fit.",
    )
    unsupported: Literal["remove", "mark", "regenerate"] = Field(
        default="remove", description="What becomes of a sentence without support."
    )
    max_drafts: int = Field(
        default=2, ge=1, le=10, description="Drafts from the same evidence, at most."
    )
    candidates: int = Field(
        default=1, ge=1, le=10, description="Drafts written at once; the best is kept."
    )
    speculate: bool = Field(
        default=False,
        description="Write from the best passages while they are graded; kept if they are.",
    )
    ask_when_ambiguous: bool = Field(
        default=False,
        description="Ask the person what a question means that refers to nothing said before.",
    )
    approve_above_tokens: int | None = Field(
        default=None,
        ge=0,
        description="Ask the person before whole documents of more tokens are read by a model.",
    )
    only_sources: bool = Field(default=True, description='Tell the writer to use "nothing else".')
    whole_document: Literal["hits", "named", "corpus"] = Field(
        default="hits", description="Which documents are read whole."
    )

    # Limits
    max_rounds: int = Field(
        default=2, ge=0, le=100, description="Rewrites with a new search, at most."
    )
    max_calls: int = Field(
        default=60, ge=0, description="Model calls a question, retries included."
    )
    max_tokens: int = Field(default=200_000, ge=0, description="Tokens in and out a question.")
    deadline_s: float = Field(default=120.0, gt=0, description="Seconds a question may take.")

    # The context
    context_window: int = Field(
        default=16_000, ge=256, description="Tokens the models take, in and out."
    )
    context_tokens: int = Field(
        default=3_000, ge=0, description="Ceiling of the formatted context."
    )
    answer_tokens: int = Field(default=800, ge=16, description="Tokens an answer may have.")
    selector: Literal["auto", "score", "mmr", "coverage", "novelty"] = Field(
        default="auto", description="How passages are chosen under the ceiling."
    )
    mmr_lambda: float = Field(
        default=0.7, ge=0, le=1, description="1 is score order, 0 only novelty."
    )
    agreement_share: float = Field(
        default=0.12,
        ge=0,
        le=1,
        description="Share of the budget kept for independent sources that agree.",
    )
    context_order: Literal["score", "document", "edges"] = Field(
        default="score", description="Order of the chosen passages in the prompt."
    )

    # Models; keys come from the environment only
    model: str | None = Field(
        default=None, description="Chat model for all roles; none: offline engine."
    )
    judge_model: str | None = Field(default=None, description="Chat model of the judges.")
    reader_model: str | None = Field(
        default=None, description="Chat model that reads whole documents."
    )
    models: dict[str, str] = Field(
        default_factory=dict, description="Chat model of a single node: {node: model}."
    )
    base_url: str | None = Field(
        default=None, description="Address of an OpenAI-compatible server."
    )
    temperature: float | None = Field(default=0.0, ge=0, le=2, description="None: not sent at all.")
    timeout_s: float = Field(default=60.0, gt=0, description="Seconds a single call may take.")
    retries: int = Field(default=2, ge=0, le=10, description="Further tries of a call that failed.")
    max_concurrency: int = Field(default=16, ge=1, le=256, description="Calls under way at once.")
    structured: Literal["auto", "json_schema", "function_calling", "json_object", "text"] = Field(
        default="auto", description="How structured replies are asked for; auto finds out."
    )
    logprobs: Literal["auto", "off"] = Field(
        default="auto",
        description="Read soft scores from token probabilities where the server has them.",
    )

    # Judges
    relevance_upper: float = Field(
        default=0.5, ge=0, le=1, description="A passage scored this high makes the search correct."
    )
    relevance_lower: float = Field(
        default=0.3, ge=0, le=1, description="All passages scored lower make the search incorrect."
    )
    worked_examples: bool = Field(
        default=False,
        description="Show the relevance and support judges worked examples; helps small models.",
    )
    cascade: bool = Field(
        default=False, description="Ask the model only where the offline judge is unsure."
    )
    calibration: str | None = Field(
        default=None,
        description="File written by `ragloop calibrate`: thresholds, bands, agreement.",
    )
    require_calibrated: bool = Field(
        default=False,
        description="Do not start with a judge that was not measured, or below the bar.",
    )

    # Operating
    tier: int = Field(
        default=3, ge=0, le=3, description="0 no checks, 1 answer, 2 retrieval, 3 rounds."
    )
    tier_policy: Literal["fixed", "kind", "sample", "hard"] = Field(
        default="fixed", description="How the tier of a question is chosen; see docs/settings.md."
    )
    tier_share: float = Field(
        default=0.1, ge=0, le=1, description="Share of questions that are sampled."
    )
    stream: Literal["off", "live", "checked"] = Field(
        default="off",
        description="live: words as they are written; checked: after the grounding check.",
    )
    history_messages: int = Field(
        default=12, ge=0, le=200, description="Earlier messages that are kept."
    )

    # Prompts
    restate_question_prompt: str = _prompt("restate_question")
    decide_retrieval_prompt: str = _prompt("decide_retrieval")
    answer_directly_prompt: str = _prompt("answer_directly")
    grade_passages_prompt: str = _prompt("grade_passages")
    judge_sufficiency_prompt: str = _prompt("judge_sufficiency")
    rewrite_query_prompt: str = _prompt("rewrite_query")
    generate_prompt: str = _prompt("generate")
    read_whole_document_prompt: str = _prompt("read_whole_document")
    check_grounding_prompt: str = _prompt("check_grounding")
    check_usefulness_prompt: str = _prompt("check_usefulness")

    @field_validator("*", mode="after")
    @classmethod
    def _prompt_keeps_its_slots(cls, value: Any, info: Any) -> Any:
        if info.field_name.endswith("_prompt"):
            default = prompts.DEFAULTS[info.field_name.removesuffix("_prompt")]
            for slot in sorted(prompts.slots(default) - prompts.slots(value)):
                raise ValueError(
                    f"lacks {{{slot}}}. Put it back, or drop the setting to use the default prompt."
                )
        return value

    @field_validator("models", mode="after")
    @classmethod
    def _models_name_nodes(cls, value: dict[str, str]) -> dict[str, str]:
        for node in value:
            if node not in prompts.DEFAULTS:
                raise ValueError(
                    f"{node!r} asks no model. Nodes that do: {listed(prompts.DEFAULTS)}"
                )
        return value

    def changed(self, **changes: Any) -> Settings:
        """Give a copy with some settings changed, checked like new ones."""
        return make_settings({**self.model_dump(exclude_unset=True), **changes})


def preset(name: str, **changes: Any) -> Settings:
    """Give the settings of a preset, with changes of your own.

    All of its settings count as set, so that it replaces the settings of a graph when it is given
    as a run's context, where plain `Settings(k=3)` only changes what it names.

    Raises SettingsError when the name or a change is not known, or a value is out of range.
    """
    if name not in PRESETS:
        raise SettingsError(f"There is no preset {name!r}. Presets: {listed(PRESETS)}")
    return make_settings({**Settings().model_dump(), **PRESETS[name], **changes})


def make_settings(values: dict[str, Any]) -> Settings:
    """Check values and give Settings, or raise SettingsError with one line on what is wrong."""
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError(one_line(error, Settings.model_fields)) from None


def read_change(change: str) -> tuple[str, Any]:
    """Read `NAME=VALUE` of a command line; the value is JSON, or else the text as it stands."""
    name, value = split_pair(change, "--set", "NAME=VALUE")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def split_pair(pair: str, flag: str, shape: str) -> tuple[str, str]:
    """Split a flag's value at the first `=`, or raise SettingsError naming the flag."""
    name, equals, value = pair.partition("=")
    if not (name and equals):
        raise SettingsError(f"{flag} {pair!r} is not {shape}")
    return name.strip(), value
