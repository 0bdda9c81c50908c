"""`select` as a LangChain document compressor and transformer, for an existing chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
from langchain_core.embeddings import Embeddings
from pydantic import ConfigDict

from .budget import Order
from .duplicates import LAYERS, Layer
from .selection import Selection, select
from .selectors import Selector

_SCORES = ("relevance_score", "score")


class BudgetSelector(BaseDocumentCompressor, BaseDocumentTransformer):
    """Keep the documents that add most to a question, within a token budget.

    As a compressor it goes into a `ContextualCompressionRetriever` or a
    `DocumentCompressorPipeline` after the reranker; as a transformer it uses the `question` given
    here. Scores are read from the metadata (`relevance_score`, `score`), else the order of the
    documents counts. With `embeddings` the semantic layer and `mmr` work; question and texts are
    embedded in one batch.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: int
    """Tokens of the formatted context."""
    question: str = ""
    """Only for `transform_documents`, which gets none."""
    selector: Selector = "auto"
    order: Order = "score"
    layers: tuple[Layer, ...] = LAYERS
    mmr_lambda: float = 0.7
    agreement_share: float = 0.12
    embeddings: Embeddings | None = None
    count_tokens: Callable[[str], int] | None = None

    def selection(self, documents: Sequence[Document], question: str) -> Selection:
        """The whole result, with what was dropped and why."""
        candidates = [_candidate(d, at, len(documents)) for at, d in enumerate(documents)]
        question_vector: Sequence[float] | None = None
        if self.embeddings is not None and candidates:
            texts = [question, *(c["text"] for c in candidates)]
            question_vector, *vectors = self.embeddings.embed_documents(texts)
            for candidate, vector in zip(candidates, vectors, strict=True):
                candidate["vector"] = vector
        return select(
            candidates,
            question,
            self.budget,
            selector=self.selector,
            count_tokens=self.count_tokens,
            order=self.order,
            layers=self.layers,
            mmr_lambda=self.mmr_lambda,
            agreement_share=self.agreement_share,
            question_vector=question_vector,
        )

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The chosen documents, in the order in which the model should read them."""
        return _chosen(documents, self.selection(documents, query))

    def transform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """The same for the fixed `question`."""
        return _chosen(documents, self.selection(documents, self.question))


def _id(document: Document) -> str:
    """The document's own id, else one made from its content."""
    if document.id:
        return document.id
    where = repr(sorted(document.metadata.items(), key=lambda item: str(item[0])))
    text = document.page_content.encode("utf-8", "surrogatepass")
    return sha256(text + where.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _candidate(document: Document, at: int, total: int) -> dict[str, Any]:
    metadata = document.metadata
    score = next((metadata[key] for key in _SCORES if metadata.get(key) is not None), None)
    start = metadata.get("start", metadata.get("start_index"))
    candidate = {
        "id": _id(document),
        "text": document.page_content,
        "score": score if score is not None else float(total - at),
        "document_id": metadata.get("document_id") or metadata.get("source") or _id(document),
        "metadata": metadata,
    }
    if start is not None:
        candidate |= {"start": start, "end": int(start) + len(document.page_content)}
    for key in ("title", "section", "source", "version", "date"):
        if metadata.get(key) is not None:
            candidate[key] = str(metadata[key])
    return candidate


def _chosen(documents: Sequence[Document], selection: Selection) -> list[Document]:
    """The documents again, with what was cut off cut off and their metadata as they were."""
    by_id = {_id(document): document for document in documents}
    out = []
    for passage in selection.passages:
        document = by_id[passage["id"]]
        metadata = dict(document.metadata)
        if passage["text"] != document.page_content:
            metadata |= {"start": passage["start"], "end": passage["end"]}
        out.append(Document(id=document.id, page_content=passage["text"], metadata=metadata))
    return out
