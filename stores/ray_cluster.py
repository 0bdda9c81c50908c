"""Work spread over a Ray cluster; the share of a worker that fails is done again.

Every machine of the cluster needs ragloop installed, in the same version.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from .embeddings import matrix_of, name_of
from .errors import RagloopError
from .protocols import Embedder

if TYPE_CHECKING:
    from .embeddings import Matrix

RETRIES = 3
"""How often a share is done again after its worker failed."""
TEXTS = 256
"""Texts that a worker embeds at a time."""


def connect(address: str) -> Any:
    """Connect to a cluster at `HOST:PORT` or `ray://HOST:PORT`; `local` starts one here.

    Gives the module ray. Raises RagloopError when Ray is not installed or nobody is there.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports its use otherwise
    try:
        import ray
    except ImportError:
        raise RagloopError("--ray needs: pip install 'ragloop[ray]'") from None
    if not ray.is_initialized():
        local: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **local)
        except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
            first = str(error).strip().splitlines()[0]
            raise RagloopError(f"No Ray cluster at {address}: {first}") from None
    return ray


def spread(
    address: str, work: Callable[..., Any], shared: Any, shares: Iterable[Any]
) -> Iterator[Any]:
    """Run `work(shared, share)` for every share on the cluster; results as they are ready.

    `shared` is sent to each machine once. Ray does a share again when its worker process or its
    machine dies; an error that `work` raises is raised here.
    """
    ray = connect(address)
    remote = ray.remote(max_retries=RETRIES)(work)
    reference = ray.put(shared)
    waiting = [remote.remote(reference, share) for share in shares]
    with redirect_stdout(sys.stderr):  # where Ray says that a worker has died
        while waiting:
            ready, waiting = ray.wait(waiting, num_returns=1)
            try:
                yield ray.get(ready[0])
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except ray.exceptions.RayError as error:
                line = f"The cluster failed {RETRIES + 1} times at a share: {error}"
                raise RagloopError(line) from None


def _embed(embeddings: Embedder, share: tuple[int, list[str]]) -> tuple[int, Matrix]:
    at, texts = share
    return at, matrix_of(embeddings, texts)


class RayEmbeddings:
    """An embedding whose documents are embedded on a Ray cluster, and queries here."""

    def __init__(self, embeddings: Embedder, address: str) -> None:
        self._inner = embeddings
        self._address = address
        self.name = name_of(embeddings)

    def __getattr__(self, name: str) -> Any:
        """What else the embedding says of itself."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inner, name)

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """Embed documents: rows of unit length, float32, in the order of the texts."""
        import numpy as np

        shares = [(at, list(texts[at : at + TEXTS])) for at in range(0, len(texts), TEXTS)]
        if len(shares) < 2:
            return matrix_of(self._inner, texts)
        rows = dict(spread(self._address, _embed, self._inner, shares))
        return np.concatenate([rows[at] for at, _ in shares])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed documents, as LangChain asks for it."""
        rows: list[list[float]] = self.vectors(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """Embed a query, here."""
        return self._inner.embed_query(text)
