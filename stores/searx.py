"""Search of the web, or of an intranet, through a SearXNG server's JSON endpoint.

    Parts(passages=store, elsewhere=SearxSearch("http://127.0.0.1:8888"))

The server must allow `format=json` (`search.formats` in its settings.yml). Nothing is asked of it
unless it is made a part. API: docs.searxng.org, "Search API".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .dense import check_k
from .errors import SettingsError, StoreError
from .langchain_passages import passages_from
from .metadata import check_where, clean_metadata, holds
from .passage import Passage
from .protocols import Where

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 10.0
LONGEST_QUERY = 400
"""Characters; the engines behind the server cut longer queries, each in its own way."""


class SearxSearch:
    """Finds pages: the snippet is the text, with title, url (as `source`) and date.

    `language` and `categories` are SearXNG's own. `metadata` is put on every result: a result of
    the web belongs to no tenant, so under a filter it is used only where this says that it may be.
    """

    def __init__(
        self,
        base_url: str,
        *,
        language: str = "all",
        categories: str = "general",
        timeout_s: float = TIMEOUT_S,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise SettingsError(
                f"{base_url!r} is no address of a SearXNG server. Give one such as "
                "http://127.0.0.1:8888."
            )
        self.base_url = base_url.rstrip("/")
        self._fixed = {"format": "json", "language": language, "categories": categories}
        self._timeout_s = timeout_s
        self._metadata = clean_metadata(metadata or {})

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Find at most k pages, best first. Raises `StoreError` when the server gives no results.

        A blank query finds nothing, and is not sent.
        """
        import httpx

        check_k(k)
        wanted = check_where(where)
        if not query.strip():
            return []
        try:
            with httpx.Client(timeout=self._timeout_s) as client:
                reply = client.get(f"{self.base_url}/search", params=self._params(query))
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        return self._meeting(reply, wanted)[:k]

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Like `search`, without a thread."""
        import httpx

        check_k(k)
        wanted = check_where(where)
        if not query.strip():
            return []
        try:
            async with httpx.AsyncClient(timeout=self._timeout_s) as client:
                reply = await client.get(f"{self.base_url}/search", params=self._params(query))
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        return self._meeting(reply, wanted)[:k]

    def _params(self, query: str) -> dict[str, str]:
        return {**self._fixed, "q": " ".join(query.split())[:LONGEST_QUERY]}

    def _unreachable(self, error: Exception) -> StoreError:
        reason = str(error) or type(error).__name__
        return StoreError(
            f"The search server at {self.base_url} does not answer ({reason}). "
            "Start it, or leave `elsewhere` out."
        )

    def _meeting(self, reply: httpx.Response, wanted: Mapping[str, list[Any]]) -> list[Passage]:
        """The results that meet a checked filter."""
        return [passage for passage in self._found(reply) if holds(passage, wanted)]

    def _found(self, reply: httpx.Response) -> list[Passage]:
        """The results of a reply; one page that several engines found comes once."""
        if reply.status_code == 403:
            raise StoreError(
                f"The search server at {self.base_url} refuses JSON. Add `json` to search.formats "
                "in its settings.yml."
            )
        if reply.status_code != 200:
            raise self._unusable(reply)
        try:
            results = list(reply.json()["results"])
        except (ValueError, KeyError, TypeError) as error:
            raise self._unusable(reply) from error
        pages: dict[str, dict[str, Any]] = {}
        for result in results:
            if isinstance(result, dict) and (url := str(result.get("url") or "")):
                pages.setdefault(url, result)
        return [
            passage
            for url, result in pages.items()
            for passage in passages_from([self._page(url, result)])
        ]

    def _page(self, url: str, result: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "text": str(result.get("content") or result.get("title") or ""),
            "title": str(result.get("title") or ""),
            "source": url,
            "document_id": url,
            "date": str(result.get("publishedDate") or result.get("pubdate") or ""),
            **self._metadata,
        }

    def _unusable(self, reply: httpx.Response) -> StoreError:
        return StoreError(
            f"The search server at {self.base_url} gave no results that can be read "
            f"(status {reply.status_code}). Is it a SearXNG server?"
        )
