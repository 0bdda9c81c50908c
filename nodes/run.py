"""What a node works with: the engine that all runs of a graph share, and one run of one node."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from ..graph.limits import Left, allowance, left
from ..graph.settings import Settings, make_settings
from ..graph.state import State
from ..stores.protocols import DocumentReader, PassageSearch
from ..stores.tokens import count_tokens
from .judges.calibration import Calibration, read_calibration
from .judges.ladder import Ladder
from .judges.meter import Meter
from .judges.models import Models
from .judges.offline import OfflineJudge
from .parts import Parts
from .steps import ReaderGone, Role, Started, Steps

NodeSteps = Callable[[State, "Run"], Steps[State]]
FIRST_NODE = "restate_question"
LAST_NODE = "finish"
BESIDE_ANOTHER = "check_usefulness"
READER_GONE = "__ragloop_reader_gone"
"""In a run's `configurable`: a threading.Event that is set when nobody reads the stream any more.
Keys with two underscores in front never get into checkpoints."""


class Engine:
    """What all runs of one graph share: its parts, its models, and what was learned of them."""

    def __init__(self, parts: Parts, defaults: Settings) -> None:
        self.parts = parts
        self.defaults = defaults
        self._settings: tuple[Any, Settings] = (None, defaults)
        self.models = Models()
        self.ladder = Ladder()
        self.calibration: Callable[[str | None], Calibration] = cache(read_calibration)
        judge = parts.judge
        self.judge = judge if isinstance(judge, OfflineJudge) else OfflineJudge(parts.embed)
        self.count_tokens = parts.count_tokens or count_tokens
        self.passages = _search_of(parts.passages)
        self.elsewhere = None if parts.elsewhere is None else _search_of(parts.elsewhere)
        readable = parts.documents or self.passages
        self.documents = readable if isinstance(readable, DocumentReader) else None
        self.reranker: Any = parts.reranker
        self.embed: Any = parts.embed

    def searched(self, elsewhere: bool) -> PassageSearch:
        """The store, or the other source."""
        return self.elsewhere if elsewhere and self.elsewhere else self.passages

    def settings_of(self, context: Settings | dict[str, Any] | None) -> Settings:
        """Give the settings of a run: the graph's own, with what the run's context changes."""
        if not context:
            return self.defaults
        known, made = self._settings
        if known is context and isinstance(context, Settings):  # the same object all through a run
            return made
        changes = context if isinstance(context, dict) else context.model_dump(exclude_unset=True)
        made = make_settings({**self.defaults.model_dump(exclude_unset=True), **changes})
        self._settings = (context, made)
        return made


def _search_of(source: Any) -> PassageSearch:
    lent = sys.modules.get("langchain_core.vectorstores")  # whose stores have another `search`
    if isinstance(source, PassageSearch) and not (lent and isinstance(source, lent.VectorStore)):
        return source
    from ..stores.langchain import from_langchain

    search: PassageSearch = from_langchain(source)
    return search


@dataclass
class Run:
    """What one node may use while it runs once."""

    node: str
    engine: Engine
    settings: Settings
    state: State
    emit: Callable[[Any], None]
    """Writes to the custom stream; does nothing when nobody listens."""
    gone: threading.Event | None = None
    """See READER_GONE."""
    meter: Meter = field(init=False)
    warnings: list[str] = field(default_factory=list)
    beside: list[Started] = field(default_factory=list)
    """Calls that run beside others; none outlives the node."""
    said: str = ""
    """What this node has shown to the reader."""
    on_token: Callable[[str], None] = field(init=False)
    """Gets the words of a streamed reply; `say`, unless the node puts a filter before it."""

    def __post_init__(self) -> None:
        first = self.node == FIRST_NODE
        self.started = time.time() if first else self.state["spent"]["started"]
        self.waited = 0.0 if first else self.state["spent"]["waited"]
        self.on_token = self.say
        self._set_meter()

    def _set_meter(self) -> None:
        rest = self.left()
        deadline = time.monotonic() + rest.seconds
        self.meter = Meter(rest.calls, rest.tokens, deadline, self.engine.count_tokens)

    def forgive_waiting(self) -> None:
        """Take the time since the last node ended for a person's, which no deadline counts."""
        if self.node != FIRST_NODE:
            spent = self.state["spent"]
            self.waited = max(self.waited, time.time() - self.started - spent["seconds"])
            self._set_meter()

    def left(self) -> Left:
        """What this node may spend."""
        if self.node == FIRST_NODE:
            s = self.settings
            return Left(s.max_calls, s.max_tokens, s.deadline_s)
        rest = left(self.state, self.settings, time.time() - self.waited)
        return allowance(self.node, rest, self.settings)

    @property
    def calibration(self) -> Calibration:
        """What `ragloop calibrate` measured; empty when no file is set."""
        return self.engine.calibration(self.settings.calibration)

    def model_name(self, role: Role, node: str = "") -> str | None:
        """The name of the chat model that plays a role, or None: the offline engine does."""
        model = self.engine.models.model_for(
            node or self.node, role, self.settings, self.engine.parts
        )
        return None if model is None else model.name

    def has_model(self, role: Role, node: str = "") -> bool:
        """True when a chat model plays this role; else the offline engine does."""
        return self.model_name(role, node) is not None

    @property
    def judge(self) -> OfflineJudge:
        """The offline judge: the whole judge, the cheap one of a cascade, or the cross-check."""
        return self.engine.judge

    def say(self, text: str, kind: Literal["token", "supplement", "correction"] = "token") -> None:
        """Show words to the reader, in the stream; what was shown stays in the answer."""
        if not text:
            return
        if self.gone is not None and self.gone.is_set():
            raise ReaderGone
        self.said += text
        self.emit({"event": kind, "text": text})

    @property
    def streams_live(self) -> bool:
        """True when words are shown as they are written: of the first draft only."""
        return self.settings.stream == "live" and not self.state["shown"]

    def warn(self, text: str) -> None:
        """Leave a warning in the answer."""
        self.warnings.append(text)

    def count_tokens(self, text: str) -> int:
        """Count tokens as the models do, as well as is known."""
        return self.engine.count_tokens(text)
