"""What `make results` writes: the table of the README and the page docs/results.md."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from ..nodes.judges.logistic import FOLDER
from .statistics import RESAMPLES

VERSIONS = ("ragloop", "langgraph", "langchain-core", "bm25s", "numpy", "rouge-score")


@dataclass(frozen=True)
class Planned:
    """A set of questions to be measured."""

    name: str
    file: str
    presets: tuple[str, ...]
    limit: int | None = None
    evidence: bool = False
    """True where all of the labelled evidence is needed, so that its coverage means something."""
    without_evidence: bool = False
    """True where the evidence is taken away, so that only a refusal is right."""


@dataclass(frozen=True)
class Measured:
    """What came out for a set."""

    planned: Planned
    sha256: str
    told: dict[str, Any]
    """As `summary.summarise` gives it."""


def compact(measured: Iterable[Measured]) -> list[str]:
    """The table of the README: a row a set, the first preset against the loop."""
    lines = [
        "| questions | plain | loop | loop − plain | all evidence in context |",
        "|---|---|---|---|---|",
    ]
    for one in measured:
        told = one.told["presets"]
        plain, loop = told[one.planned.presets[0]], told["loop"]
        evidence = ""
        if one.planned.evidence:
            evidence = " → ".join(f"{f['evidence_coverage_all']:.1%}" for f in (plain, loop))
        lines.append(
            f"| {one.planned.name} ({plain['questions']}) | {plain['quality']:.1%} "
            f"| {loop['quality']:.1%} | {gained(one.told, 'loop')} | {evidence} |"
        )
    return lines


JUDGES = {
    "relevant_en": "relevance, English",
    "relevant_zh": "relevance, Chinese",
    "supported_en": "support, English",
    "supported_zh": "support, Chinese",
}


def judges() -> list[str]:
    """The table of the offline judges: what they got on rows that they were not fitted on.

    The figures stand in the shipped file of coefficients; `python -m ragloop.evals.fit --data DIR`
    makes both again.
    """
    shipped = json.loads((FOLDER / "offline.json").read_text(encoding="utf-8"))
    lines = [
        "| offline judge | rows | other questions | other sources | plain word overlap |",
        "|---|---|---|---|---|",
    ]
    for name, words in JUDGES.items():
        figures = list(shipped[name]["held_out"].values())
        cells = " | ".join(f"{figure['balanced_accuracy']:.1%}" for figure in figures)
        lines.append(f"| {words} | {figures[0]['rows']} | {cells} |")
    return lines


def gained(told: dict[str, Any], preset: str) -> str:
    """What a preset gained in quality, in points, with the ends of the interval."""
    gain, low, high = (100 * value for value in told["gains"][preset]["quality"])
    return f"{gain:+.1f} ({low:+.1f} to {high:+.1f})"


def verdicts(measured: Iterable[Measured]) -> list[str]:
    """Where the loop surely helps, where it surely harms, and where nothing can be said."""
    sorted_out: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for one in measured:
        _, low, high = one.told["gains"]["loop"]["quality"]
        where = "better" if low > 0 else "worse" if high < 0 else "open"
        sorted_out[where].append(one.planned.name)
    say = {
        "better": "The loop is surely better than plain on: {}.",
        "worse": "The loop is surely worse than plain on: {}.",
        "open": "No sure difference on: {}.",
    }
    return [say[key].format("; ".join(names)) for key, names in sorted_out.items() if names]


def full(measured: Sequence[Measured], engine: str) -> str:
    """The page docs/results.md."""
    versions = ", ".join(f"{name} {version(name)}" for name in VERSIONS)
    parts = [
        "# Results",
        "",
        f"Written by `make results`; every number comes from a run of {engine}.",
        "Quality is 1 for a right answer or a right refusal: accuracy for yes or no, *contains*",
        "for short answers, ROUGE-L for long ones. In brackets are 95 % bootstrap intervals",
        f"({RESAMPLES:,} resamples, seed 0); differences are paired, question by question, in",
        "points.",
        "",
        *compact(measured),
        "",
        *verdicts(measured),
        "",
    ]
    for one in measured:
        parts += [*_set(one), ""]
    known = {one.planned.file: one.sha256 for one in measured}
    hashes = [f"| {file} | `{sha256[:16]}` |" for file, sha256 in known.items()]
    parts += ["## Data and versions", "", "| file | SHA-256 begins with |", "|---|---|", *hashes]
    python = ".".join(map(str, sys.version_info[:3]))
    return "\n".join([*parts, "", f"{versions}, Python {python}.", ""])


ROWS = (
    ("quality", "quality"),
    ("exact match", "exact_match"),
    ("F1", "f1"),
    ("contains", "contains"),
    ("yes or no right", "accuracy"),
    ("ROUGE-L", "rouge_l"),
    ("all evidence in context", "evidence_coverage_all"),
    ("settled by passages", "answerable_share"),
)
AMOUNTS = (
    ("tokens / whole document, predicted", "token_ratio_predicted"),
    ("tokens / whole document, actual", "token_ratio_actual"),
    ("context tokens", "context_tokens"),
    ("rounds", "rounds"),
    ("model calls", "calls"),
    ("tokens in", "input_tokens"),
    ("seconds", "seconds"),
)


def _set(one: Measured) -> list[str]:
    told = one.told["presets"]
    lines = [f"## {one.planned.name}", "", "| | " + " | ".join(told) + " |"]
    lines.append("|---" * (len(told) + 1) + "|")

    def row(words: str, cells: Sequence[str]) -> None:
        if any(cells):
            lines.append(f"| {words} | {' | '.join(cells)} |")

    row("questions", [str(figures["questions"]) for figures in told.values()])
    for words, key in ROWS:
        if key != "evidence_coverage_all" or one.planned.evidence:
            row(words, [_share(figures, key) for figures in told.values()])
    gains = [gained(one.told, name) if name in one.told["gains"] else "" for name in told]
    row(f"quality − {one.told['compared_with']}", gains)
    row("answered, of those with an answer", [_of(f, "should", "did") for f in told.values()])
    row("refused, of those without", [_of(f, "should_not", "refused") for f in told.values()])
    for words, key in AMOUNTS:
        if any(figures.get(key) for figures in told.values()):
            row(words, [_amount(figures.get(key)) for figures in told.values()])
    if found := one.told.get("histogram"):
        lines += [
            "",
            f"{found['passages']} and {found['whole']} score the same on {found['equal']:.0%} of "
            f"the questions, and within 10 points of each other on {found['within_10']:.0%}.",
        ]
    return lines


def _share(figures: dict[str, Any], key: str) -> str:
    if key not in figures:
        return ""
    low, high = figures[f"{key}_interval"]
    return f"{figures[key]:.1%} ({low:.0%} to {high:.0%})"


def _of(figures: dict[str, Any], should: str, did: str) -> str:
    table = figures["abstention"]
    every = table[f"{should}_did"] + table[f"{should}_refused"]
    return f"{table[f'{should}_{did}']} of {every}" if every else ""


def _amount(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
