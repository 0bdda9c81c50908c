"""Embeddings of an OpenAI-compatible endpoint, through langchain-openai.

Sent are strings only, never token numbers, and no tokenizer file is fetched
(`check_embedding_ctx_length=False`): local servers take nothing else, and offline nothing else
works.
"""

from __future__ import annotations

import os
import re
import ssl
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING

from langchain_core.embeddings import Embeddings

from .errors import (
    ModelAuthError,
    ModelError,
    ModelQuotaError,
    ModelTimeout,
    ModelUnreachable,
    RagloopWarning,
)

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings

MAX_CHARS = 8000
"""Longest text sent. A piece of 300 words has about 2,000 characters."""
_LEAST_CHARS = 200
_TOO_LONG = re.compile(
    "too (long|large|big|many)|at most|maximum|max_|context|exceed|longer than|limit", re.I
)


class EndpointEmbeddings(Embeddings):
    """The embedding model `name` of an endpoint; `base_url` and the key default to the
    environment (`OPENAI_BASE_URL`, `OPENAI_API_KEY`).

    A text over `max_chars` is cut, and one that the server still refuses as too long is halved
    until it is taken; both with a `RagloopWarning`.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        batch: int = 64,
        max_chars: int = MAX_CHARS,
        timeout: float = 60.0,
        retries: int = 2,
    ) -> None:
        self.name = name
        self.batch = batch
        self.max_chars = max_chars
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self._key = api_key or os.environ.get("OPENAI_API_KEY") or ""
        self._timeout, self._retries = timeout, retries
        self._lock = threading.Lock()
        self._made: OpenAIEmbeddings | None = None

    @property
    def _client(self) -> OpenAIEmbeddings:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> OpenAIEmbeddings:
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        if not self._key and not self._base_url:
            raise ModelAuthError(
                f"The embedding model {self.name!r} needs OPENAI_API_KEY, or --base-url for a "
                "server of your own."
            )
        return OpenAIEmbeddings(
            model=self.name,
            base_url=self._base_url,
            api_key=SecretStr(self._key or "none"),
            check_embedding_ctx_length=False,
            chunk_size=self.batch,
            timeout=self._timeout,
            max_retries=self._retries,
        )

    @asynccontextmanager
    async def _on_loop(self) -> AsyncIterator[OpenAIEmbeddings]:
        """The client for one call on the running loop: connections must not outlive their loop."""
        import openai

        given = self._client
        root = given.async_client._client
        http = openai.DefaultAsyncHttpxClient(
            base_url=root.base_url, timeout=self._timeout, verify=_certificates()
        )
        async with http:
            own = root.with_options(http_client=http).embeddings
            yield given.model_copy(update={"async_client": own})

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed documents in batches. Raises `ModelError` and its kinds."""
        vectors: list[list[float]] = []
        for first in range(0, len(texts), self.batch):
            vectors.extend(self._embed([self._cut(t) for t in texts[first : first + self.batch]]))
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed a query. Raises `ModelError` and its kinds."""
        return self._embed([self._cut(text)])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for first in range(0, len(texts), self.batch):
            sent = [self._cut(text) for text in texts[first : first + self.batch]]
            vectors.extend(await self._aembed(sent))
        return vectors

    async def aembed_query(self, text: str) -> list[float]:
        return (await self._aembed([self._cut(text)]))[0]

    def _cut(self, text: str) -> str:
        if not text.strip():
            raise ModelError("A blank text cannot be embedded.")
        if len(text) <= self.max_chars:
            return text
        self._note(len(text), self.max_chars)
        return text[: self.max_chars]

    def _note(self, had: int, kept: int) -> None:
        warnings.warn(
            f"A text of {had} characters is over what {self.name!r} takes: its first {kept} were "
            "embedded. Use a smaller --chunk-words.",
            RagloopWarning,
            stacklevel=4,
        )

    def _embed(self, texts: list[str]) -> list[list[float]]:
        try:
            return self._checked(self._client.embed_documents(texts), texts)
        except _errors() as error:
            shorter = self._shorter(error, texts)
        if len(texts) > 1:
            return [vector for text in texts for vector in self._embed([text])]
        return self._embed(shorter)

    async def _aembed(self, texts: list[str]) -> list[list[float]]:
        try:
            async with self._on_loop() as client:
                return self._checked(await client.aembed_documents(texts), texts)
        except _errors() as error:
            shorter = self._shorter(error, texts)
        if len(texts) > 1:
            return [vector for text in texts for vector in await self._aembed([text])]
        return await self._aembed(shorter)

    def _shorter(self, error: Exception, texts: list[str]) -> list[str]:
        """Half of a single text that was refused as too long; every other failure is raised."""
        refused = getattr(error, "status_code", 0) in (400, 413, 422)
        too_long = refused and _TOO_LONG.search(str(error))
        if not too_long or (len(texts) == 1 and len(texts[0]) < 2 * _LEAST_CHARS):
            raise self._plain(error) from error
        half = texts[0][: len(texts[0]) // 2]
        if len(texts) == 1:
            self._note(len(texts[0]), len(half))
        return [half]

    def _checked(self, vectors: Sequence[Sequence[float]], texts: list[str]) -> list[list[float]]:
        if len(vectors) != len(texts):
            raise ModelError(
                f"The embedding model {self.name!r} gave {len(vectors)} vectors for {len(texts)} "
                "texts. Check the server; nothing was stored."
            )
        return [list(vector) for vector in vectors]

    def _plain(self, error: Exception) -> ModelError:
        """An error of the client as one of ours, in one line and without the key."""
        import openai

        where = f"at {self._base_url}" if self._base_url else "at OpenAI"
        status = getattr(error, "status_code", None)
        said = " ".join(str(error).split())[:200]
        if self._key:
            said = said.replace(self._key, "***")
        kinds: list[tuple[bool, Callable[[str], ModelError], str]] = [
            (status in (401, 403), ModelAuthError, "refused the key. Check OPENAI_API_KEY"),
            (
                getattr(error, "code", "") == "insufficient_quota",
                ModelQuotaError,
                "is out of quota",
            ),
            (isinstance(error, openai.APITimeoutError), ModelTimeout, "did not answer in time"),
            (
                isinstance(error, openai.APIConnectionError),
                ModelUnreachable,
                "cannot be reached. Is the server running?",
            ),
        ]
        for applies, kind, words in kinds:
            if applies:
                return kind(f"The embedding model {self.name!r} {where} {words}".rstrip(".") + ".")
        return ModelError(f"The embedding model {self.name!r} {where} failed: {said}")


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than a call on loopback."""
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def _errors() -> tuple[type[Exception], ...]:
    """What the client raises when a server refuses, fails or answers rubbish."""
    import openai

    return (openai.OpenAIError, ValueError, TypeError, KeyError, AttributeError)
