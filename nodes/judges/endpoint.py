"""A chat model made ready to be asked: one try a call, and async clients that outlive no loop."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

PUBLIC = "https://api.openai.com/v1"


class Endpoint:
    """A LangChain chat model, with what has to be known to ask it.

    Any chat model will do. Those of langchain-openai (recognised without importing it) get their
    own retries switched off, so that each attempt is counted, and one async client a running loop:
    the library's shared one raises "Event loop is closed" in a second `asyncio.run`.
    """

    def __init__(self, model: BaseChatModel) -> None:
        self.openai_like = _is_openai_like(model)
        self.name = _name(model)
        self.key = _key(model)
        self.server = _server(model) if self.openai_like else type(model).__qualname__
        self.model = _single_try(model) if self.openai_like else model
        self._own_client = getattr(model, "http_async_client", None) is not None
        self._clients: list[tuple[asyncio.AbstractEventLoop, Any, AsyncGenerator[Any, None]]] = []
        self._lock = threading.Lock()

    def chat(self, *, temperature: bool = True) -> Any:
        """The model for blocking calls; without its own temperature when the server refuses one."""
        if self.openai_like and not temperature and self.model_temperature is not None:
            return self.model.model_copy(update={"temperature": None})
        return self.model

    async def achat(self, *, temperature: bool = True) -> Any:
        """The model for calls on the running event loop."""
        model = self.chat(temperature=temperature)
        if not self.openai_like or self._own_client:
            return model
        client = await self._client_of_loop()
        return model.model_copy(
            update={"root_async_client": client, "async_client": client.chat.completions}
        )

    async def aclose(self) -> None:
        """Close the client of the running loop now, instead of when the loop ends."""
        loop = asyncio.get_running_loop()
        with self._lock:
            mine = [one for one in self._clients if one[0] is loop]
            self._clients = [one for one in self._clients if one[0] is not loop]
        for _, _, keeper in mine:
            await keeper.aclose()

    @property
    def model_temperature(self) -> float | None:
        """The temperature that the model itself was made with."""
        return getattr(self.model, "temperature", None)

    async def _client_of_loop(self) -> Any:
        loop = asyncio.get_running_loop()
        with self._lock:
            self._clients = [one for one in self._clients if not one[0].is_closed()]
            for owner, client, _ in self._clients:
                if owner is loop:
                    return client
        keeper = _kept_open(getattr(self.model, "root_async_client"))  # noqa: B009 - no such field in the base class
        client = await anext(keeper)
        with self._lock:
            self._clients.append((loop, client, keeper))
        return client


async def _kept_open(root: Any) -> AsyncGenerator[Any, None]:
    """Give a client, and close it when the loop ends: a loop closes its async generators last."""
    import openai

    http = openai.DefaultAsyncHttpxClient(base_url=root.base_url, timeout=root.timeout)
    async with http:
        yield root.with_options(http_client=http, max_retries=0)


def _is_openai_like(model: Any) -> bool:
    module = sys.modules.get("langchain_openai.chat_models.base")
    base = getattr(module, "BaseChatOpenAI", None)
    # The newer Responses interface takes other parameters: it is asked as any other chat model.
    return base is not None and isinstance(model, base) and not model.use_responses_api


def _single_try(model: Any) -> Any:
    changes: dict[str, Any] = {
        "max_tokens": None,
        "max_retries": 0,
        "use_responses_api": False,
        "root_async_client": (many := model.root_async_client.with_options(max_retries=0)),
        "async_client": many.chat.completions,
    }
    if model.root_client is not None:
        one = model.root_client.with_options(max_retries=0)
        changes |= {"root_client": one, "client": one.chat.completions}
    return model.model_copy(update=changes)


def _name(model: Any) -> str:
    for field in ("model_name", "model", "model_id", "deployment_name"):
        name = getattr(model, field, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__


def _server(model: Any) -> str:
    return str(getattr(model.root_async_client, "base_url", "") or PUBLIC)


def _key(model: Any) -> str:
    for field in ("openai_api_key", "api_key", "anthropic_api_key", "google_api_key"):
        secret = getattr(getattr(model, field, None), "get_secret_value", None)
        if callable(secret):
            return str(secret())
    return ""
