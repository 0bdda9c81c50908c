"""A chat model made ready to be asked: one try a call, and async clients that outlive no loop."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from .clients import Clients

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from pydantic import BaseModel

PUBLIC = "https://api.openai.com/v1"


class Endpoint:
    """A LangChain chat model, with what has to be known to ask it.

    Any chat model will do. Those of langchain-openai (recognised without importing it) get their
    own retries switched off, so that each attempt is counted, and one async client a running loop
    (see clients.py).
    """

    def __init__(self, model: BaseChatModel) -> None:
        self.given = model
        """The model as it came; the one that is asked may be a copy."""
        self.openai_like = _is_openai_like(model)
        self.name = _name(model)
        self.key = _key(model)
        self.server = _server(model) if self.openai_like else type(model).__qualname__
        self.model = _single_try(model) if self.openai_like else model
        own_client = getattr(model, "http_async_client", None) is not None
        root = getattr(self.model, "root_async_client", None)
        self._structured: dict[type[BaseModel], Any] = {}
        self._clients = Clients(root) if self.openai_like and not own_client else None

    def chat(self, *, temperature: bool = True) -> Any:
        """The model for blocking calls; without its own temperature when the server refuses one."""
        if self.openai_like and not temperature and self.model_temperature is not None:
            return self.model.model_copy(update={"temperature": None})
        return self.model

    @asynccontextmanager
    async def achat(self, *, temperature: bool = True) -> AsyncIterator[Any]:
        """The model for one call on the running event loop."""
        model = self.chat(temperature=temperature)
        if self._clients is None:
            yield model
            return
        async with self._clients.on_loop() as client:
            yield model.model_copy(
                update={"root_async_client": client, "async_client": client.chat.completions}
            )

    def structured(self, shape: type[BaseModel]) -> Any:
        """The model with its own library's way of asking for a shape, made once a shape."""
        if shape not in self._structured:
            made = self.model.with_structured_output(shape, include_raw=True)
            self._structured[shape] = made
        return self._structured[shape]

    async def aclose(self) -> None:
        """Close the connections of the running loop now, instead of when they are idle."""
        if self._clients is not None:
            await self._clients.aclose()

    @property
    def model_temperature(self) -> float | None:
        """The temperature that the model itself was made with."""
        return getattr(self.model, "temperature", None)


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
