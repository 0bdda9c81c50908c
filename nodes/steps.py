"""How a node is written once and runs both ways.

A node is a generator function `(state, run) -> Steps`: it yields what it wants asked, searched or
read, gets the replies back, and returns the keys of the state that it owns. It touches no model and
no store, so a test drives it with replies of its own. `as_node` turns it into a LangGraph node with
a sync and an async side.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

from ..stores.passage import Passage

if TYPE_CHECKING:
    pass

T = TypeVar("T")
Role = Literal["judge", "writer", "reader"]


class ReaderGone(Exception):
    """Ends a streamed call whose words nobody will see."""


@dataclass(frozen=True)
class Ask:
    """Single questions to a model, all asked at once; the reply is a list of `Reply`, in order."""

    node: str
    """The node that asks; settles which model, see `Settings.models`."""
    role: Role
    prompts: tuple[str, ...]
    shape: type[BaseModel]
    """What a reply must hold. Its field names and descriptions are all the model sees of it."""
    scale: tuple[str, ...] = ()
    """For a verdict: the labels that its first field may have, best first. Empty for free text."""
    text_field: str = ""
    """For free text: the field that takes the whole reply when a model answers in plain words."""
    max_tokens: int = 256
    least_temperature: float = 0.0
    """Drafts that must differ are asked for at this temperature, unless the settings have more."""
    stream: bool = False
    """Pass the words of `text_field` on as they come. Only the writer and the reader do."""


@dataclass(frozen=True)
class Usage:
    """What a request cost. Every attempt that reached a server counts as a call."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


Finish = Literal["stop", "cut off", "refused", "empty", "unreadable", "failed", "not asked"]
"""How a reply ended. `not asked`: a limit was reached before the call."""


@dataclass(frozen=True)
class Reply:
    """What came back for one prompt."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """The reply in the asked shape; empty when it could not be read."""
    text: str = ""
    """The reply's own words, reasoning stripped."""
    label: str = ""
    """For a scale: one of its labels, or `unclear`."""
    score: float | None = None
    """Soft score from token probabilities, normalised over the scale; None where there are none."""
    finish: Finish = "stop"
    error: str = ""
    """One line for people when it did not end well; never holds a key."""
    usage: Usage = Usage()
    rung: str = ""
    """How structured output was got: json_schema, function_calling, json_object, text."""


@dataclass(frozen=True)
class Search:
    """Queries to the passage search, all at once; the reply is a list of lists of Passage."""

    queries: tuple[str, ...]
    k: int
    where: Mapping[str, Any] | None = None
    elsewhere: bool = False
    """Ask `Parts.elsewhere` instead of the store."""


@dataclass(frozen=True)
class ListDocuments:
    """The ids of all documents; the reply is a list, empty where the reader cannot tell."""


@dataclass(frozen=True)
class Read:
    """Whole documents by id; the reply is a list of Document, unknown ids left out."""

    document_ids: tuple[str, ...]


@dataclass(frozen=True)
class Embed:
    """Vectors for texts, from `Parts.embed`; the reply is a list of lists of numbers, in order."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Rerank:
    """Passages in a reranker's order, with its scores; the reply is a list of Passage."""

    query: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class Start:
    """Questions to a model that run beside what is asked next; the reply is a `Started`.

    What is still under way when the node is done is cancelled.
    """

    ask: Ask


class Started(Protocol):
    """Calls under way, see `Start`."""

    seconds: float
    """How long they took; 0 until they are done."""

    def result(self) -> Any:
        """Wait for them; raises what they raised."""

    async def aresult(self) -> Any:
        """Wait for them on the event loop."""

    def cancel(self) -> None:
        """End them, as far as they can be ended."""


@dataclass(frozen=True)
class Wait:
    """Wait for what was started; the reply is a list of `Reply`."""

    started: Started


@dataclass(frozen=True)
class AskPerson:
    """A question to whoever runs the graph, which waits for the reply; the reply is what comes.

    None, at once, where no checkpointer keeps the run while it waits. The node runs again from its
    beginning when the reply is there, so ask before anything is spent.
    """

    asks: Literal["clarify", "approve"]
    message: str
    about: Mapping[str, Any]
    """What the person should know, as JSON."""


Request = AskPerson | Start | Wait | Ask | Search | ListDocuments | Read | Embed | Rerank
Steps = Generator[Request, Any, T]
