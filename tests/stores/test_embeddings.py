"""Embeddings by name: the same everywhere, in English and Chinese."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import numpy as np
import pytest

from ragloop.stores.embeddings import HashingEmbeddings, embeddings_named, matrix_of, name_of
from ragloop.stores.errors import ModelError, SettingsError
from ragloop.stores.local_embeddings import MiniLMEmbeddings, packaged_file


def cosine(first: str, second: str) -> float:
    rows = HashingEmbeddings().vectors([first, second])
    return float(rows[0] @ rows[1])


def test_hashing_gives_rows_of_unit_length() -> None:
    rows = HashingEmbeddings().vectors(["The ferry leaves.", "渡轮开了。", "?!", "的"])

    assert rows.shape == (4, 4096)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("When do ferries leave?", "The ferry leaves at 07:40.", "Tea is brewed for two minutes."),
        ("渡轮几点开？", "渡轮七点四十分开。", "茶要泡两分钟。"),
        ("declare path parameters", "Path parameter declaration", "Query strings"),
    ],
)
def test_hashing_is_nearer_where_words_are_shared(question: str, near: str, far: str) -> None:
    assert cosine(question, near) > cosine(question, far) + 0.1


def test_hashing_is_the_same_in_another_process() -> None:
    code = (
        "from ragloop.stores.embeddings import HashingEmbeddings as H;"
        "print(H().vectors(['Ferry 渡轮']).tobytes().hex())"
    )

    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "7"},
    )  # fmt: skip

    assert other.stdout.strip() == HashingEmbeddings().vectors(["Ferry 渡轮"]).tobytes().hex()


def test_async_twins_give_the_same() -> None:
    hashing = HashingEmbeddings()

    async def ask() -> tuple[list[float], list[list[float]]]:
        return await hashing.aembed_query("渡轮"), await hashing.aembed_documents(["渡轮"])

    assert asyncio.run(ask()) == (hashing.embed_query("渡轮"), hashing.embed_documents(["渡轮"]))


def test_an_embedding_is_called_by_its_name_or_its_models() -> None:
    assert name_of(HashingEmbeddings()) == "hashing"
    assert name_of(embeddings_named("e8", base_url="http://127.0.0.1:9/v1")) == "e8"


def test_a_blank_name_is_refused() -> None:
    with pytest.raises(SettingsError, match="hashing, minilm, multilingual"):
        embeddings_named(" ")


class _Broken:
    """An embedding that gives too little, or what is no number."""

    name = "broken"

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.rows

    def embed_query(self, text: str) -> list[float]:
        return self.rows[0]


@pytest.mark.parametrize(
    ("rows", "said"),
    [([[1.0, 0.0]], "1 vectors for 2 texts"), ([[1.0], [float("nan")]], "holds no numbers")],
)
def test_an_embedding_that_fails_is_noticed(rows: list[list[float]], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        matrix_of(_Broken(rows), ["a", "b"])


def test_a_missing_package_names_the_extra_to_install() -> None:
    with pytest.raises(SettingsError, match=r"pip install 'ragloop\[minilm\]'"):
        packaged_file("no-such-package", "model.onnx", "0" * 64, "minilm")


def test_a_file_that_is_not_the_official_one_is_refused() -> None:
    with pytest.raises(SettingsError, match="not the file"):
        packaged_file("numpy", "numpy/__init__.py", "0" * 64, "minilm")


@pytest.mark.parametrize("name", ["minilm", "multilingual"])
def test_a_small_model_knows_a_paraphrase(name: str) -> None:
    try:
        model = embeddings_named(name)
    except SettingsError as error:
        pytest.skip(str(error))
    rows = matrix_of(
        model,
        ["The ship departs early.", "The boat leaves in the morning.", "Tea needs hot water."],
    )

    assert rows.shape[1] == 384
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.05


def test_minilm_does_not_depend_on_its_batch() -> None:
    try:
        model = MiniLMEmbeddings()
    except SettingsError as error:
        pytest.skip(str(error))
    texts = ["Short.", "A longer sentence about the ferry and its times. " * 8, "Tea."]

    together = model.vectors(texts)
    alone = np.concatenate([model.vectors([text]) for text in texts])

    assert np.allclose((together * alone).sum(axis=1), 1, atol=0.02)
