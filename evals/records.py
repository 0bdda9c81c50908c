"""Records of runs: one JSON object a line, written by `bench` or live by an app, read by the rest.

    with RecordWriter("runs.jsonl") as records:
        app.invoke({"question": "..."}, {"callbacks": [records]})

`ragloop health`, `ragloop ledger` and `ragloop report` read such a file wherever it comes from.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Self, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from typing_extensions import TypedDict

from ..graph.answer import Answer
from ..stores.errors import EvaluationError
from ..stores.text import language


class Record(TypedDict, total=False):
    """One question under one preset. A line of the records file."""

    run: str
    """Hash of the data, the settings and the code: what must be equal to be compared."""
    data: str
    """Name of the data set; "live" for records that an app wrote."""
    task_id: str
    preset: str
    question: str
    kind: str
    language: str
    source: str
    expected: list[list[str]]
    """Parts that are all needed, each with its spellings; empty when not known or none is right."""
    should_answer: bool
    """Left out where nobody has said so."""
    did_answer: bool
    scores: dict[str, float]
    """0 to 1 each. Empty when the data do not say what is right."""
    evidence_needed: list[str]
    evidence_held: list[str]
    """Documents with evidence of which a part stands in the context, or which were read whole."""
    context_ids: list[str]
    context_tokens: int
    """Tokens of the selected passages, and of the documents that were read whole."""
    answer_in_context: bool | None
    """True when the right answer stands in the context; None when nothing is known to be right."""
    path: list[str]
    """Nodes in the order in which they ended."""
    answer: Answer
    """What `ragloop ask --json` prints."""


def read_records(path: Path) -> list[Record]:
    """Read a records file; none when there is no file. A last line that a crash cut off is left.

    Raises EvaluationError when another line is not a record.
    """
    if not path.exists():
        return []
    records: list[Record] = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path} cannot be read as records: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            if number == len(lines):  # every whole line ends with a line break
                break
            raise EvaluationError(f"{path}, line {number}: not a record.") from None
        if not isinstance(record, dict) or "answer" not in record:
            raise EvaluationError(f"{path}, line {number}: a record has an 'answer'.")
        records.append(cast(Record, record))
    return records


def newest(records: Iterable[Record]) -> list[Record]:
    """The last record of each question under each preset: settings and code may have changed."""
    last = {(r["data"], r["preset"], r["task_id"]): r for r in records}
    return list(last.values())


def cut_torn_line(path: Path) -> None:
    """Remove what a crash left of a last line, so that the next record begins a line of its own."""
    if not path.exists():
        return
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        path.write_bytes(content[: content.rfind(b"\n") + 1])


def line_of(record: Mapping[str, Any]) -> str:
    """A record as it stands in a file."""
    return json.dumps(record, ensure_ascii=False) + "\n"


class RecordWriter(BaseCallbackHandler):
    """A LangChain callback that appends a record for every run of the graph, alone or in a chain.

    `kind_of` sorts questions into kinds for `ragloop health`. With `keep_text=False` neither the
    question nor the answer, its quotes or queries are written: figures only. Safe for threads.
    Where OpenTelemetry is in use, the span that is open at the end gets `ragloop.*` attributes.
    """

    raise_error = True  # a disk that is full must not lose records without a word

    def __init__(
        self,
        path: str | Path,
        *,
        kind_of: Callable[[str], str] | None = None,
        keep_text: bool = True,
    ) -> None:
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        cut_torn_line(self._path)
        self._kind_of = kind_of
        self._keep_text = keep_text
        self._lock = threading.Lock()
        self._nodes: dict[UUID, str] = {}
        self._paths: dict[UUID | None, list[str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held open: each record is on the disk when its run has ended."""

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **told: Any,
    ) -> None:
        """Remember which node a run is."""
        node = (metadata or {}).get("langgraph_node")
        if node and told.get("name") == node:
            with self._lock:
                self._nodes[run_id] = node

    def on_chain_end(
        self, outputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """Write the record when the node `finish` has ended."""
        with self._lock:
            node = self._nodes.pop(run_id, None)
            if node is None:
                self._paths.pop(run_id, None)  # the graph itself has ended
                return
            path = self._paths.setdefault(parent_run_id, [])
            path.append(node)
        if node == "finish" and isinstance(outputs, dict) and "answer" in outputs:
            self._write(outputs["answer"], list(path), str(run_id))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Forget a run that broke off."""
        with self._lock:
            self._nodes.pop(run_id, None)
            self._paths.pop(run_id, None)

    def _write(self, answer: Answer, path: list[str], run_id: str) -> None:
        question = answer["question"]
        record: Record = {
            "run": "live",
            "data": "live",
            "task_id": run_id,
            "preset": "live",
            "question": question if self._keep_text else "",
            "kind": self._kind_of(question) if self._kind_of else "",
            "language": language(question),
            "did_answer": did_answer(answer),
            "scores": {},
            "evidence_needed": [],
            "evidence_held": [],
            "context_ids": [],
            "answer_in_context": None,
            "context_tokens": int(answer["selection"].get("tokens", 0)),
            "path": path,
            "answer": answer if self._keep_text else without_text(answer),
        }
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(line_of(record))
        _mark_span(record)


def did_answer(answer: Answer) -> bool:
    """True for an answer in full or in part; the offline engine's "set a model" is none."""
    if answer["outcome"] != "direct":
        return answer["outcome"] != "refused"
    return bool(answer["spent"]["calls"] or answer["decision"].get("rule"))


def without_text(answer: Answer) -> Answer:
    """An answer with its figures and verdicts, but without anything that was asked or written."""
    kept: dict[str, Any] = {
        key: answer[key]  # type: ignore[literal-required]
        for key in _FIGURES
        if key in answer
    }
    kept["question"] = kept["text"] = ""
    kept["grounding"] = [{"verdict": said["verdict"]} for said in answer["grounding"]]
    kept["queries"] = [{k: v for k, v in q.items() if k in _OF_QUERY} for q in answer["queries"]]
    kept["selection"] = {
        k: v for k, v in answer["selection"].items() if k not in ("dropped", "conflicts")
    }
    return cast(Answer, kept)


_FIGURES = (
    "outcome", "route", "stopped_by", "rounds", "tier", "spent", "token_ratio", "usefulness",
    "over_window",
)  # fmt: skip
_OF_QUERY = ("failure", "verdict", "round", "where")


def _mark_span(record: Record) -> None:
    """Add attributes to the open OpenTelemetry span, where the app has a tracer."""
    if "opentelemetry.trace" not in sys.modules:
        return
    from opentelemetry.trace import get_current_span

    span = get_current_span()
    if not span.is_recording():
        return
    answer = record["answer"]
    spent = answer["spent"]
    span.set_attributes(
        {
            "ragloop.outcome": answer["outcome"],
            "ragloop.route": answer["route"],
            "ragloop.stopped_by": answer["stopped_by"],
            "ragloop.rounds": answer["rounds"],
            "ragloop.path": record["path"],
            "ragloop.calls": spent["calls"],
            "ragloop.input_tokens": spent["input_tokens"],
            "ragloop.output_tokens": spent["output_tokens"],
        }
    )
