"""Embeddings by name, and the one that needs nothing: hashing.

`hashing` matches words and parts of words, never meaning: a paraphrase that shares no word scores
about 0. `minilm` (English) and `multilingual` are small models from extras, and any other name is
a model of an OpenAI-compatible endpoint. Cosine scales differ between them, so a threshold belongs
to the embedding that it was fitted with.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from zlib import crc32

from langchain_core.embeddings import Embeddings

from .errors import ModelError, SettingsError
from .protocols import Embedder
from .text import STOP_EN, STOP_ZH, has_cjk, stem, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

EMBEDDINGS = ("hashing", "minilm", "multilingual")
"""Names that need no endpoint."""

DIMS = 4096
_WORD, _PAIR, _PART = 1.0, 0.6, 0.3
"""Weights of a word, of two words in a row and of a part of a word (3 or 4 characters)."""
_STOPPED = 0.15
"""What is left of the weight of a word that carries no topic."""
_STOP_SIGNS = frozenset(sign for word in STOP_ZH if len(word) == 1 for sign in word)


def embeddings_named(
    name: str = "hashing",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    **options: Any,
) -> Embedder:
    """Make the embedding called `name`; a name that is not ours is an endpoint's model.

    Options are those of `EndpointEmbeddings`. Raises `SettingsError` when the extra that the
    embedding needs is not installed.
    """
    if name == "hashing":
        return HashingEmbeddings()
    if name == "minilm":
        from .local_embeddings import MiniLMEmbeddings

        return MiniLMEmbeddings()
    if name == "multilingual":
        from .local_embeddings import MultilingualEmbeddings

        return MultilingualEmbeddings()
    if not name.strip():
        raise SettingsError(f"The embedding has no name. Use one of {', '.join(EMBEDDINGS)}.")
    from .endpoint_embeddings import EndpointEmbeddings

    return EndpointEmbeddings(name, base_url=base_url, api_key=api_key, **options)


def name_of(embeddings: Embedder) -> str:
    """What an embedding is called in a store: its name, its model's name, else its class."""
    for field in ("name", "model", "model_name"):
        if isinstance(value := getattr(embeddings, field, None), str) and value:
            return value
    return type(embeddings).__name__


def matrix_of(embeddings: Embedder, texts: Sequence[str]) -> Matrix:
    """Vectors of texts as rows of unit length, float32. Raises `ModelError` when some are missing.

    Texts must not be blank; no texts give an empty matrix and no call.
    """
    import numpy as np

    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    own = getattr(embeddings, "vectors", None)
    given = own(texts) if own else embeddings.embed_documents(list(texts))
    if len(given) != len(texts):
        raise ModelError(
            f"The embedding {name_of(embeddings)!r} gave {len(given)} vectors for {len(texts)} "
            "texts. Check the server; nothing was stored."
        )
    return unit(np.asarray(given, dtype=np.float32), name_of(embeddings))


def unit(vectors: Matrix, name: str) -> Matrix:
    """Scale rows (or one vector) to length 1; zeros stay. Raises `ModelError` for NaN."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise ModelError(f"The embedding {name!r} gave a vector that holds no numbers (NaN).")
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


class LocalEmbeddings(Embeddings):
    """An embedding computed in this process: subclasses give `vectors`, async runs in a thread."""

    name: str
    dims: int

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """Embed documents: rows of unit length, float32, shape (texts, dims)."""
        raise NotImplementedError

    def query_vector(self, text: str) -> Matrix:
        """Embed a query: one vector of unit length."""
        row: Matrix = self.vectors([text])[0]
        return row

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed documents, as LangChain asks for it."""
        rows: list[list[float]] = self.vectors(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """Embed a query, as LangChain asks for it."""
        numbers: list[float] = self.query_vector(text).tolist()
        return numbers

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        return await asyncio.to_thread(self.embed_query, text)


class HashingEmbeddings(LocalEmbeddings):
    """Words, word pairs and parts of words, hashed into 4,096 numbers with a sign (Weinberger et
    al., arXiv:0902.2206). The same in every process and on every machine; Chinese by characters,
    pairs and runs of 3 and 4.
    """

    name = "hashing"
    dims = DIMS
    fusion_weight = 0.3
    """How much its ranks count beside those of BM25; see `HybridSearch`."""

    def vectors(self, texts: Sequence[str]) -> Matrix:
        import numpy as np

        rows = np.zeros((len(texts), DIMS), dtype=np.float32)
        for number, text in enumerate(texts):
            features = _features(text)
            hashes = np.fromiter(features, dtype=np.int64, count=len(features))
            weights = np.fromiter(features.values(), dtype=np.float32, count=len(features))
            signed = np.where(hashes & 0x80000000, weights, -weights)
            rows[number] = np.bincount(hashes & (DIMS - 1), weights=signed, minlength=DIMS)
        return unit(rows, self.name)


def _features(text: str) -> dict[int, float]:
    """Hashes of a text's features with their weights; a text without words is hashed whole."""
    found = words(text)
    features: dict[int, float] = {}
    for word, count in Counter(found).items():
        often = 1 + math.log(count)
        for feature, weight in _word_features(word):
            features[feature] = features.get(feature, 0.0) + weight * often
    topical = [stem(word) for word in found if word not in STOP_EN and not has_cjk(word)]
    for (first, second), count in Counter(pairwise(topical)).items():
        features[crc32(f"2 {first} {second}".encode())] = _PAIR * (1 + math.log(count))
    return features or {crc32(f"0 {text.strip()}".encode()): 1.0}


@lru_cache(maxsize=100_000)
def _word_features(word: str) -> tuple[tuple[int, float], ...]:
    """Features of one word, or of one run of Chinese."""
    if has_cjk(word):
        parts = [(sign, _STOPPED if sign in _STOP_SIGNS else _PAIR) for sign in word]
        parts += [(word[i : i + 2], _WORD) for i in range(len(word) - 1)]
        parts += [(word[i : i + n], _PART) for n in (3, 4) for i in range(len(word) - n + 1)]
    else:
        share = _STOPPED if word in STOP_EN else 1.0
        edged = f"<{word}>"
        parts = [(stem(word), _WORD * share)]
        parts += [
            ("3 " + edged[i : i + n], _PART * share)
            for n in (3, 4)
            for i in range(len(edged) - n + 1)
        ]
    return tuple((crc32(part.encode()), weight) for part, weight in parts)
