"""Which chat model a node uses, and making it from its name."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from ...stores.errors import ModelAuthError
from ..steps import Role
from .endpoint import PUBLIC, Endpoint

if TYPE_CHECKING:
    from ...graph.settings import Settings


class HasModels(Protocol):
    """The chat models that were given in Python, by role; anything else is not a model."""

    @property
    def judge(self) -> Any: ...
    @property
    def writer(self) -> Any: ...
    @property
    def reader(self) -> Any: ...


class Models:
    """Makes each model once. One lives in each built graph; safe for threads."""

    def __init__(self) -> None:
        self._named: dict[tuple[str, str], Endpoint] = {}
        self._given: dict[int, Endpoint] = {}
        self._lock = threading.Lock()

    def model_for(
        self, node: str, role: Role, settings: Settings, parts: HasModels
    ) -> Endpoint | None:
        """The model of a node, or None: the offline engine.

        First comes a name for this node (`Settings.models`), then a model given in Python for the
        role, then a name for the role, then `Settings.model`. Raises ModelAuthError when a named
        model needs a key that is not there.
        """
        if name := settings.models.get(node):
            return self.named(name, settings.base_url, settings.timeout_s)
        given = getattr(parts, role, None)
        if given is not None:
            return self._of(given) if _is_chat_model(given) else None
        by_role = {"judge": settings.judge_model, "reader": settings.reader_model}.get(role)
        if name := by_role or settings.model:
            return self.named(name, settings.base_url, settings.timeout_s)
        return None

    def named(self, name: str, base_url: str | None = None, timeout_s: float = 60.0) -> Endpoint:
        """The model of that name on an OpenAI-compatible server.

        Without `base_url`, OPENAI_BASE_URL says where; without that, the public endpoint, which
        needs OPENAI_API_KEY. A server of one's own may do without a key.
        """
        url = base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
        url = (url or PUBLIC).strip().rstrip("/")
        with self._lock:
            if (name, url) not in self._named:
                self._named[name, url] = _made(name, url, timeout_s)
            return self._named[name, url]

    def _of(self, model: Any) -> Endpoint:
        with self._lock:
            if id(model) not in self._given:
                self._given[id(model)] = Endpoint(model)
            return self._given[id(model)]


def _made(name: str, url: str, timeout_s: float) -> Endpoint:
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key and (urlsplit(url).hostname or "").endswith("openai.com"):
        raise ModelAuthError(
            f"The model {name} needs a key: set OPENAI_API_KEY, or give the address of a server of "
            "your own as Settings.base_url (or OPENAI_BASE_URL)."
        )
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    return Endpoint(
        ChatOpenAI(
            model=name,
            base_url=url,
            api_key=SecretStr(key or "none-needed"),
            max_retries=0,
            timeout=timeout_s,
            use_responses_api=False,
        )
    )


def _is_chat_model(part: Any) -> bool:
    from langchain_core.language_models import BaseChatModel

    return isinstance(part, BaseChatModel)
