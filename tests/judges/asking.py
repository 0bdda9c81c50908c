"""What the tests of asking share: a question of each kind, and one line to ask it."""

from __future__ import annotations

from functools import cache
from typing import Any

from langchain_openai import ChatOpenAI
from loopback import Loopback

from ragloop.nodes.judges.ask import AskOptions, aask, ask
from ragloop.nodes.judges.endpoint import Endpoint
from ragloop.nodes.judges.ladder import Ladder
from ragloop.nodes.judges.meter import Meter
from ragloop.nodes.judges.replies import Relevance, Written
from ragloop.nodes.steps import Ask, Reply

KEY = "sk-test-1234567890abcdef"
YES = '{"verdict": "yes"}'
NO = '{"verdict": "no"}'


def grade(count: int = 1, max_tokens: int = 256) -> Ask:
    """`count` passages to grade."""
    prompts = tuple(f"Does passage number {i} help?" for i in range(count))
    return Ask(
        "grade_passages", "judge", prompts, Relevance, scale=("yes", "no"), max_tokens=max_tokens
    )


def write(stream: bool = False) -> Ask:
    """An answer to write."""
    prompt = ("When does the ferry leave?",)
    return Ask(
        "generate", "writer", prompt, Written, text_field="answer", max_tokens=64, stream=stream
    )


def model(server: Loopback, name: str = "judge", **more: Any) -> Endpoint:
    """A real client for a scripted model. Loading certificates takes long, so it is done once."""
    base = _base()
    one = base.root_client.with_options(base_url=server.url)
    many = base.root_async_client.with_options(base_url=server.url)
    clients = {
        "root_client": one,
        "client": one.chat.completions,
        "root_async_client": many,
        "async_client": many.chat.completions,
    }
    return Endpoint(base.model_copy(update={"model_name": name, **clients, **more}))


@cache
def _base() -> ChatOpenAI:
    return ChatOpenAI(model="judge", base_url="http://127.0.0.1:1/v1", api_key=KEY)


class Asker:
    """Asks with one ladder, and keeps the meter of the last ask and the tokens passed on."""

    def __init__(self, server: Loopback, name: str = "judge", **more: Any) -> None:
        self.endpoint = model(server, name, **more)
        self.ladder = Ladder()
        self.meter = Meter()
        self.passed: list[str] = []

    def ask(self, asked: Ask, meter: Meter | None = None, **options: Any) -> list[Reply]:
        """Ask, blocking."""
        return ask(asked, self.endpoint, **self._how(meter, options))

    async def aask(self, asked: Ask, meter: Meter | None = None, **options: Any) -> list[Reply]:
        """Ask on the running loop."""
        return await aask(asked, self.endpoint, **self._how(meter, options))

    def _how(self, meter: Meter | None, options: dict[str, Any]) -> dict[str, Any]:
        self.meter = meter or Meter()
        self.passed = []
        return {
            "meter": self.meter,
            "ladder": self.ladder,
            "options": AskOptions(**options),
            "on_token": self.passed.append,
        }
