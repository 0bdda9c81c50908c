"""`BudgetSelector` inside LangChain, and what importing the package costs."""

from __future__ import annotations

import subprocess
import sys

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableLambda

from ragloop.nodes.context import BudgetSelector, format_context
from ragloop.stores.tokens import count_tokens

DOCUMENTS = [
    Document(
        "The Brell ferry leaves Tarn pier at 07:40.", metadata={"source": "a.md", "title": "Ferry"}
    ),
    Document("The Brell ferry leaves Tarn pier at 07:40.", metadata={"source": "b.md"}),
    Document("渡轮七点四十分离开码头。", metadata={"source": "zh.md"}),
]
QUESTION = "When does the Brell ferry leave?"


class CountingEmbeddings(Embeddings):
    def __init__(self) -> None:
        self.batches: list[int] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(len(texts))
        return [[float(len(text)), 1.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        raise AssertionError("the question belongs to the batch")


def test_it_drops_into_a_chain_after_a_retriever() -> None:
    selector = BudgetSelector(budget=200)
    chain = RunnableLambda(lambda question: selector.compress_documents(DOCUMENTS, question))

    found = chain.invoke(QUESTION)

    sources = [d.metadata["source"] for d in found]
    assert sources[0] == "a.md"
    assert "b.md" not in sources


def test_it_transforms_for_a_fixed_question() -> None:
    selector = BudgetSelector(budget=60, question=QUESTION)

    [document] = selector.transform_documents(DOCUMENTS)

    assert document.metadata == {"source": "a.md", "title": "Ferry"}


def test_the_ceiling_is_that_of_the_formatted_context() -> None:
    selection = BudgetSelector(budget=60).selection(DOCUMENTS, QUESTION)

    assert count_tokens(format_context(selection.passages)) == selection.tokens <= 60


def test_question_and_texts_are_embedded_in_one_batch() -> None:
    embeddings = CountingEmbeddings()

    BudgetSelector(budget=200, selector="mmr", embeddings=embeddings).selection(DOCUMENTS, QUESTION)

    assert embeddings.batches == [4]


def test_a_document_that_was_cut_says_where() -> None:
    text = "The weather changes. " * 60 + "The Brell ferry leaves at 07:40. " + "Tea is sold. " * 60
    [document] = BudgetSelector(budget=100).compress_documents([Document(text)], QUESTION)

    start, end = document.metadata["start"], document.metadata["end"]
    assert text[start:end] == document.page_content


def test_plain_select_loads_no_langchain() -> None:
    code = "import sys; import ragloop.nodes.context; print('langchain_core' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "False"
