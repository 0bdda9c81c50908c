"""What a graph is made of. Anything that searches, reads or answers can be a part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..stores.protocols import DocumentReader, PassageSearch

if TYPE_CHECKING:
    from langchain_core.documents.compressor import BaseDocumentCompressor
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever

    from .judges.offline import OfflineJudge


@dataclass(frozen=True)
class Parts:
    """The things a graph works with. Only `passages` must be given.

    Where a model is not given, `Settings.model` names one; where that is not set either, the
    offline engine judges, writes and reads.
    """

    passages: PassageSearch | BaseRetriever | Any
    """Searches: one of our stores, or any LangChain retriever or vector store."""
    documents: DocumentReader | None = None
    """Reads a whole document by its id. Left out: `passages`, when it can read; else none."""
    elsewhere: PassageSearch | BaseRetriever | Callable[[str], Any] | None = None
    """Searched when the store does not have it: any retriever, tool or callable. Off when None."""
    judge: BaseChatModel | OfflineJudge | None = None
    writer: BaseChatModel | None = None
    reader: BaseChatModel | None = None
    reranker: BaseDocumentCompressor | None = None
    """Orders what was found, before it is graded."""
    embed: Embeddings | None = None
    """Vectors for the budget's semantic layer and for the offline judge."""
    count_tokens: Callable[[str], int] | None = None
    """Counts tokens as the models do. Left out: an estimate that is rather high than low."""
