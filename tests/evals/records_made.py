"""Records of runs that were never run, for what reads records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ragloop.evals.records import Record, line_of


def record(
    task: str = "q1",
    preset: str = "plain",
    *,
    quality: float = 1.0,
    should: bool = True,
    did: bool = True,
    kind: str = "",
    path: tuple[str, ...] = ("retrieve", "generate", "finish"),
    by_node: dict[str, tuple[int, int, int, float]] | None = None,
    **answer: Any,
) -> Record:
    """A record with what matters given and the rest as it is in an undisturbed run.

    `by_node` gives calls, tokens in, tokens out and seconds of each node.
    """
    names = ("calls", "input_tokens", "output_tokens", "seconds")
    nodes = {node: dict(zip(names, cost, strict=True)) for node, cost in (by_node or {}).items()}
    total = {name: sum(cost[name] for cost in nodes.values()) for name in names}
    return {
        "run": preset,
        "data": "made",
        "task_id": task,
        "preset": preset,
        "question": f"What is {task}?",
        "kind": kind,
        "language": "en",
        "source": "",
        "should_answer": should,
        "did_answer": did,
        "scores": {"contains": quality} if should else {},
        "evidence_needed": [],
        "evidence_held": [],
        "context_ids": [],
        "context_tokens": 100,
        "answer_in_context": True,
        "path": list(path),
        "answer": {
            "question": f"What is {task}?",
            "text": "It is so. [1]" if did else "The sources do not say.",
            "outcome": "answered" if did else "refused",
            "route": "passages",
            "citations": [],
            "grounding": [],
            "corrections": [],
            "missing": "",
            "stopped_by": "done",
            "rounds": 0,
            "queries": [],
            "grades": [],
            "decision": {"needs_sources": True},
            "tier": {"level": 0, "why": ""},
            "selection": {"selector": "score", "fell_back": "", "tokens": 100},
            "conflicts": [],
            "spent": {**total, "by_node": nodes, "started": 0.0},
            "token_ratio": {"predicted": 0.1, "actual": 0.2},
            "over_window": False,
            "warnings": [],
            **answer,
        },
    }


def query(verdict: str, round: int = 0, failure: str = "") -> dict[str, Any]:
    """What is kept of a query."""
    return {
        "query": "words",
        "reason": "",
        "failure": failure,
        "passage_ids": [],
        "verdict": verdict,
        "round": round,
        "where": "store",
    }


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records into a new file."""
    path.write_text("".join(map(line_of, records)), encoding="utf-8")
