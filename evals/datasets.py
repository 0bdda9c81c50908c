"""Labelled data in one shape, whatever schema it comes in.

`load(path)` recognises a file by its keys. A user's own file is JSON Lines or CSV (UTF-8), one row
a line, with these columns; `lang` and `source` are optional everywhere:

    relevance   question, passage, label (yes, no), title
    support     sentence, evidence (text, or a list of texts), label (full, partial, none), question
    retrieve    question, label (yes, no, continue), history (a list of earlier messages)
    useful      question, answer, label (1 to 5)
    suffices    question, passages (a list of texts), label (yes, no)
    qa          question, answers (a text, or a list), document (the text it is about), doc_id
    qa          question, answers, and as you like: kind, evidence (files that hold the answer)

true/false, 1/0, grounded/ungrounded, retrieve/no_retrieve and 是/否 are understood as labels.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..stores.errors import EvaluationError
from ..stores.passage import Document
from ..stores.text import language

Kind = Literal["relevance", "support", "retrieve", "useful", "suffices", "qa"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Labelled:
    """One row that a judge is measured on."""

    id: str
    label: str
    """A label of the judge's own scale."""
    question: str = ""
    texts: tuple[str, ...] = ()
    """The passage, the evidence or the passages, as the judge needs them."""
    title: str = ""
    sentence: str = ""
    """What is checked against `texts`, or the answer that is rated."""
    history: tuple[str, ...] = ()
    language: str = "en"
    source: str = ""
    tier: str = ""
    group: str = ""
    """Rows of one group (question, document) are never split over two folds."""


@dataclass(frozen=True)
class Task:
    """A question to be answered over a corpus, with what is known of the right answer."""

    id: str
    question: str
    answers: tuple[tuple[str, ...], ...]
    """Parts that are all needed; of each part any spelling will do. Empty: not known."""
    answerable: bool = True
    evidence_ids: tuple[str, ...] = ()
    """Ids of the documents that hold the evidence; empty where the data do not say."""
    document_ids: tuple[str, ...] = ()
    """The corpus of this one task; empty means all documents of the data set."""
    history: tuple[tuple[str, str], ...] = ()
    """Earlier messages as (role, text)."""
    language: str = "en"
    source: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Dataset:
    """What a file holds: rows for a judge, or tasks with their documents."""

    name: str
    kind: Kind
    sha256: str
    rows: tuple[Labelled, ...] = ()
    tasks: tuple[Task, ...] = ()
    documents: dict[str, Document] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows) or len(self.tasks)


YES = {
    "yes",
    "true",
    "1",
    "y",
    "relevant",
    "grounded",
    "retrieve",
    "full",
    "supported",
    "是",
    "相关",
}
NO = {
    "no", "false", "0", "n", "irrelevant", "ungrounded", "no_retrieve", "none", "unsupported",
    "否", "不相关", "not supported",
}  # fmt: skip


def read_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Rows of a JSON Lines or CSV file with their line numbers (from 1).

    Raises EvaluationError with the line when it is not readable.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise EvaluationError(
            f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8."
        ) from error
    if path.suffix.lower() == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))
        for row in reader:
            yield reader.line_num, {k: v for k, v in row.items() if k is not None}
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise EvaluationError(f"{path}, line {number}: not JSON ({error}).") from error
        if not isinstance(row, dict):
            raise EvaluationError(f"{path}, line {number}: must be a JSON object.")
        yield number, row


def load(path: str | Path, limit: int | None = None) -> Dataset:
    """Read a file in any known schema; `limit` keeps every n-th row, so that all sources stay.

    Corpora that stand in a file beside it (`mtrag_corpus` for `mtrag_tasks`) are read with it.
    Raises EvaluationError that names the line, the key and what is expected.
    """
    from . import schemas

    path = Path(path)
    rows = list(read_rows(path))
    if not rows:
        raise EvaluationError(
            f"{path} holds no rows: one JSON object a line, or a CSV with a head."
        )
    schema = schemas.recognise(path, rows[0][1])
    if limit is not None and 0 < limit < len(rows):
        rows = [rows[i * len(rows) // limit] for i in range(limit)]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if schema.labelled is not None:
        found = [at for n, row in rows for at in _adapt(schema.labelled, path, n, row)]
        return Dataset(path.stem, schema.kind, digest, rows=tuple(found))
    assert schema.task is not None
    documents = dict(schema.corpus(path)) if schema.corpus else {}
    tasks: list[Task] = []
    for n, row in rows:
        for task, own in _adapt(schema.task, path, n, row):
            tasks.append(task)
            documents.update({d["id"]: d for d in own})
    return Dataset(path.stem, schema.kind, digest, tasks=tuple(tasks), documents=documents)


def _adapt(adapt: Callable[[Row], Any], path: Path, number: int, row: Row) -> list[Any]:
    """Adapt one row; what is wrong with it is said with its line."""
    try:
        found = adapt(row)
    except KeyError as error:
        raise EvaluationError(f"{path}, line {number}: lacks {error.args[0]!r}.") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise EvaluationError(f"{path}, line {number}: {error}.") from error
    return [] if found is None else [found]


def text_of(row: Row, key: str) -> str:
    """A text that must be there. Raises KeyError or ValueError, which become one plain line."""
    value = row[key]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{key!r} must be a text that is not blank, not {value!r}")
    return value


def texts_of(row: Row, key: str) -> tuple[str, ...]:
    """A text or a list of texts; a CSV cell may hold a JSON list."""
    value = row[key]
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            value = [value]
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Sequence) or not all(isinstance(v, str) for v in value):
        raise ValueError(f"{key!r} must be a text or a list of texts, not {value!r:.60}")
    return tuple(value)


def label_of(value: Any, scale: Sequence[str]) -> str:
    """A label of the scale, from the words that data sets use. Raises ValueError for others."""
    word = str(value).strip().casefold()
    if word in scale:
        return word
    yes, no = scale[0], scale[-1] if "continue" not in scale else scale[1]
    if word in YES and len(scale) < 5:
        return yes
    if word in NO and len(scale) < 5:
        return no
    raise ValueError(f"'label' is {value!r}, but must be one of {', '.join(scale)}")


def language_of(row: Row, text: str) -> str:
    """The row's `lang`, or what its text looks like."""
    return str(row.get("lang") or "") or language(text)
