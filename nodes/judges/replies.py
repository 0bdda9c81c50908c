"""The shapes in which models reply. Descriptions are all that a model sees of them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Relevance(BaseModel):
    """Whether one passage helps to answer the question."""

    verdict: Literal["yes", "no"]


class Support(BaseModel):
    """Whether one statement is borne out by the evidence."""

    verdict: Literal["full", "partial", "none"]
    missing: str = Field(default="", description="What the evidence does not say; empty for full.")


class Usefulness(BaseModel):
    """How useful an answer is."""

    verdict: Literal["5", "4", "3", "2", "1"]


class Retrieval(BaseModel):
    """Whether a message needs facts from documents."""

    verdict: Literal["yes", "no", "continue"]


class Sufficiency(BaseModel):
    """Whether the passages hold everything the answer needs."""

    verdict: Literal["yes", "no"]
    missing: str = Field(default="", description="What is lacking, in a few words; empty for yes.")


class Restated(BaseModel):
    """The newest message as a question that stands alone."""

    question: str


class Rewritten(BaseModel):
    """Why the search failed, and what to search for next."""

    failure: Literal["multi-step", "general", "complex", "implicit", "vocabulary", "other"]
    queries: list[str] = Field(
        description="One to three new search queries.", json_schema_extra={"maxItems": 3}
    )


class Written(BaseModel):
    """An answer, or the finding that there is none in the sources."""

    answerable: bool = Field(description="False when the sources do not hold the answer.")
    answer: str = Field(description="The answer with its [markers]; empty when not answerable.")
    missing: str = Field(default="", description="What the sources lack; empty when nothing does.")


class Direct(BaseModel):
    """A reply that needs no source."""

    answer: str
