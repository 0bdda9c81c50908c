from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from judges.asking import grade
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from loopback import Loopback

from ragloop.graph.settings import Settings
from ragloop.nodes.judges import clients
from ragloop.nodes.judges.ask import AskOptions, aask
from ragloop.nodes.judges.endpoint import Endpoint
from ragloop.nodes.judges.ladder import Ladder
from ragloop.nodes.judges.meter import Meter
from ragloop.nodes.judges.models import Models
from ragloop.stores.errors import ModelAuthError

LOCAL = "http://127.0.0.1:1/v1"


@dataclass
class Given:
    judge: Any = None
    writer: Any = None
    reader: Any = None


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    yield


def chosen(node: str, role: Any, given: Given | None = None, **settings: Any) -> str | None:
    made = Models().model_for(node, role, Settings(base_url=LOCAL, **settings), given or Given())
    return made.name if made else None


@pytest.mark.parametrize(
    ("node", "role", "settings", "name"),
    [
        ("generate", "writer", {}, None),
        ("generate", "writer", {"model": "m"}, "m"),
        ("grade_passages", "judge", {"model": "m", "judge_model": "j"}, "j"),
        ("generate", "writer", {"model": "m", "judge_model": "j"}, "m"),
        ("read_whole_document", "reader", {"model": "m", "reader_model": "r"}, "r"),
        ("grade_passages", "judge", {"judge_model": "j", "models": {"grade_passages": "n"}}, "n"),
    ],
)
def test_the_nearest_name_wins(
    node: str, role: str, settings: dict[str, Any], name: str | None
) -> None:
    assert chosen(node, role, **settings) == name


def test_a_model_given_in_python_goes_before_the_name_of_its_role() -> None:
    given = Given(judge=FakeListChatModel(responses=["yes"]))

    assert chosen("grade_passages", "judge", given, model="m") == "FakeListChatModel"
    assert chosen("grade_passages", "judge", given, models={"grade_passages": "n"}) == "n"


def test_a_judge_that_is_no_chat_model_means_the_offline_engine() -> None:
    assert chosen("grade_passages", "judge", Given(judge=object()), model="m") is None


def test_the_public_endpoint_needs_a_key_and_says_so_before_any_call() -> None:
    with pytest.raises(ModelAuthError, match="OPENAI_API_KEY") as error:
        Models().model_for("generate", "writer", Settings(model="m"), Given())

    assert "\n" not in str(error.value)


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", LOCAL)

    made = Models().model_for("generate", "writer", Settings(model="m"), Given())

    assert made is not None
    assert made.server == f"{LOCAL}/"


def test_a_model_is_made_once() -> None:
    models = Models()
    settings = Settings(model="m", base_url=LOCAL)

    first = models.model_for("generate", "writer", settings, Given())
    second = models.model_for("grade_passages", "judge", settings, Given())

    assert first is second


def test_retries_of_the_client_itself_are_off_and_the_given_model_is_left_alone() -> None:
    given = ChatOpenAI(model="m", base_url=LOCAL, api_key="none", max_retries=7, max_tokens=9)

    endpoint = Endpoint(given)

    assert endpoint.model.root_client.max_retries == 0
    assert endpoint.model.root_async_client.max_retries == 0
    assert (given.root_client.max_retries, given.max_tokens) == (7, 9)


def test_a_client_is_kept_for_its_loop_and_closed_when_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clients, "IDLE_S", 0.05)

    async def twice(endpoint: Endpoint) -> list[Any]:
        seen = []
        for pause in (0.0, 0.2):
            async with endpoint.achat() as chat:
                seen.append(chat.root_async_client)
            await asyncio.sleep(pause)
        async with endpoint.achat() as chat:
            return [*seen, chat.root_async_client]

    endpoint = Models().named("m", LOCAL)

    first, second, third = asyncio.run(twice(endpoint))

    assert first is second
    assert first.is_closed()
    assert third is not first
    assert third.is_closed()


def test_a_model_may_be_dropped_while_its_loop_goes_on() -> None:
    async def ask_and_drop(url: str) -> list[str]:
        endpoint = Models().named("judge", url)
        replies = await aask(
            grade(3), endpoint, meter=Meter(), ladder=Ladder(), options=AskOptions()
        )
        return [reply.label for reply in replies]

    with Loopback() as server:
        labels = asyncio.run(ask_and_drop(server.url))

    assert labels == ["yes"] * 3


def test_nothing_heavy_is_imported_before_a_model_is_made() -> None:
    code = (
        "import sys, ragloop.nodes.judges.ask, ragloop.nodes.judges.models\n"
        "print([m for m in ('langchain_openai', 'openai', 'httpx2') if m in sys.modules])"
    )

    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert out.stdout.strip() == "[]"
