"""Any LangChain retriever, vector store, tool or function as a passage search, and the way back.

A filter is never ignored: it is handed to what is known to take it, and what comes back is held
against it once more.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .dense import check_k
from .errors import SettingsError
from .langchain_passages import passages_from
from .metadata import Scalar, check_where, holds
from .passage import Passage, ScoreKind, scored
from .protocols import PassageSearch, Where

if TYPE_CHECKING:
    from langchain_core.vectorstores import VectorStore

T = TypeVar("T")
MakeFilter = Callable[[Mapping[str, list[Scalar]]], Any]
"""Makes a store's own filter of key -> values that will do."""
_WIDEN, _MOST = 5, 1000
"""Where a filter can only be held against results, how many times k is asked for, and at most."""


def from_langchain(
    source: Any, *, make_filter: MakeFilter | None = None, score_kind: ScoreKind | None = None
) -> PassageSearch:
    """Make a passage search of a LangChain retriever, vector store, tool, runnable or function.

    A function takes the query and gives documents, dictionaries or texts; it may be async.
    `make_filter` turns a `where` into the filter of a vector store that has one of its own;
    `score_kind` says how its scores are meant where that is known. Raises `SettingsError` for
    anything else.
    """
    from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

    if isinstance(source, VectorStore):
        return VectorStoreSearch(source, make_filter=make_filter, score_kind=score_kind)
    if isinstance(source, VectorStoreRetriever) and source.search_type == "similarity":
        fixed = dict(source.search_kwargs)
        if set(fixed) <= {"k"}:
            return VectorStoreSearch(
                source.vectorstore, make_filter=make_filter, score_kind=score_kind
            )
    if isinstance(source, PassageSearch):
        return source
    if hasattr(source, "invoke") or callable(source):
        return CallableSearch(source)
    raise SettingsError(
        f"A {type(source).__name__} cannot search. Give a LangChain retriever, vector store, tool "
        "or a function of the query."
    )


class CallableSearch:
    """A retriever, runnable, tool or function as a passage search; filters hold on its results."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._runnable = hasattr(source, "invoke")
        call = source if inspect.isroutine(source) else getattr(source, "__call__", source)  # noqa: B004
        self._is_async = not self._runnable and inspect.iscoroutinefunction(call)

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Ask the source and keep the first k of what it gives that meet the filter."""
        check_k(k)
        wanted = check_where(where)
        if self._runnable:
            given = self._source.invoke(self._asked(query))
        elif self._is_async:
            given = _run(self._source(query))
        else:
            given = self._source(query)
        return _kept(passages_from(given), k, wanted)

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Like `search`, awaiting the source's own async side where it has one."""
        check_k(k)
        wanted = check_where(where)
        if self._runnable:
            given = await self._source.ainvoke(self._asked(query))
        elif self._is_async:
            given = await self._source(query)
        else:
            given = await asyncio.to_thread(self._source, query)
        return _kept(passages_from(given), k, wanted)

    def _asked(self, query: str) -> Any:
        """The input: a tool with one argument takes it under that argument's name."""
        arguments = getattr(self._source, "args", None)
        if isinstance(arguments, dict) and arguments:
            name = "query" if "query" in arguments else next(iter(arguments))
            return {name: query}
        return query


class VectorStoreSearch:
    """A LangChain vector store as a passage search, with its scores.

    Which way scores run is told by their order: rising ones are distances.
    """

    def __init__(
        self,
        store: VectorStore,
        *,
        make_filter: MakeFilter | None = None,
        score_kind: ScoreKind | None = None,
    ) -> None:
        self._store = store
        self._make_filter = make_filter or _known_filter(store)
        self._kind = score_kind or _known_kind(store)

    def search(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Find the k nearest passages that meet the filter, best first."""
        check_k(k)
        wanted = check_where(where)
        if not query.strip() or not all(wanted.values()):
            return []
        count, options = self._first(k, wanted)
        while True:
            pairs = self._pairs(query, count, options)
            found = self._kept(pairs, k, wanted)
            if len(found) == k or len(pairs) < count or count >= _MOST:
                return found
            count = min(_MOST, count * _WIDEN)

    async def asearch(self, query: str, k: int, where: Where | None = None) -> list[Passage]:
        """Like `search`, over the store's own async side."""
        check_k(k)
        wanted = check_where(where)
        if not query.strip() or not all(wanted.values()):
            return []
        count, options = self._first(k, wanted)
        while True:
            pairs = await self._apairs(query, count, options)
            found = self._kept(pairs, k, wanted)
            if len(found) == k or len(pairs) < count or count >= _MOST:
                return found
            count = min(_MOST, count * _WIDEN)

    def _first(self, k: int, wanted: Mapping[str, list[Scalar]]) -> tuple[int, dict[str, Any]]:
        """How many to ask for at first, and the filter where the store takes one."""
        if wanted and self._make_filter:
            return k, {"filter": self._make_filter(wanted)}
        return (k * _WIDEN if wanted else k), {}

    def _pairs(self, query: str, count: int, options: dict[str, Any]) -> list[tuple[Any, Any]]:
        try:
            return list(self._store.similarity_search_with_score(query, k=count, **options))
        except NotImplementedError:
            found = self._store.similarity_search(query, k=count, **options)
            return [(document, None) for document in found]

    async def _apairs(
        self, query: str, count: int, options: dict[str, Any]
    ) -> list[tuple[Any, Any]]:
        try:
            found = await self._store.asimilarity_search_with_score(query, k=count, **options)
            return list(found)
        except NotImplementedError:
            plain = await self._store.asimilarity_search(query, k=count, **options)
            return [(document, None) for document in plain]

    def _kept(
        self, pairs: list[tuple[Any, Any]], k: int, wanted: Mapping[str, list[Scalar]]
    ) -> list[Passage]:
        scores = [float(score) for _, score in pairs if score is not None]
        kind: ScoreKind = self._kind or ("distance" if _rising(scores) else "unknown")
        found = passages_from([document for document, _ in pairs])
        if len(scores) == len(found):
            found = [scored(one, score, kind) for one, score in zip(found, scores, strict=True)]
        return _kept(found, k, wanted)


def _rising(scores: list[float]) -> bool:
    return len(scores) > 1 and scores[0] < scores[-1]


def _kept(found: list[Passage], k: int, wanted: Mapping[str, list[Scalar]]) -> list[Passage]:
    return [passage for passage in found if holds(passage, wanted)][:k]


def _known_kind(store: VectorStore) -> ScoreKind | None:
    return "cosine" if type(store).__name__ == "InMemoryVectorStore" else None


def _known_filter(store: VectorStore) -> MakeFilter | None:
    """The filter of the stores whose words we know; others are filtered afterwards."""
    if type(store).__name__ == "InMemoryVectorStore":
        return lambda wanted: lambda document: holds(passages_from([document])[0], wanted)
    if type(store).__module__.startswith(
        ("langchain_chroma", "langchain_community.vectorstores.ch")
    ):
        return _chroma_filter
    return None


def _chroma_filter(wanted: Mapping[str, list[Scalar]]) -> dict[str, Any]:
    tests: list[dict[str, Any]] = [{key: {"$in": list(values)}} for key, values in wanted.items()]
    return tests[0] if len(tests) == 1 else {"$and": tests}


def _run(waiting: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end from sync code, also where a loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(waiting)
    result: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            result.append(asyncio.run(waiting))
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return result[0]
