"""What a bench compares: presets by name, and the baselines that belong beside them.

`always-passages` and `always-whole` are the two ends that routing lies between, `never-search` asks
the model without any source. `oracle` and `random` are not run: they pick, question by question,
the better of the two ends, or one of them by lot, from what was recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..graph.presets import PRESETS
from ..graph.settings import Settings, preset
from ..nodes.judges.offline import OfflineJudge
from ..nodes.judges.verdict import Verdict
from ..stores.errors import SettingsError
from .records import Record

BASELINES: dict[str, tuple[str, dict[str, Any]]] = {
    "always-passages": ("plain", {}),
    "always-whole": ("whole_document", {}),
    "never-search": ("plain", {"ask_retrieval": True}),
}
"""Baselines that are run: the preset that each one is, with what it changes."""
PICKED = ("oracle", "random")
"""Baselines that are picked from the records of always-passages and always-whole."""


class NeedsNothing(OfflineJudge):
    """The judge of `never-search`: no question needs sources."""

    def retrieve(self, question: str, history: Sequence[str] = ()) -> Verdict:
        """Say no."""
        return Verdict("no", None, "rule", "this baseline never searches")


@dataclass(frozen=True)
class Contender:
    """One that takes part: its settings, and its judge where that is not the settings' own."""

    settings: Settings
    judge: OfflineJudge | None = None


def contenders(
    names: Iterable[str], changes: Mapping[str, Any], budget: int | None = None
) -> dict[str, Contender]:
    """Read names of presets and baselines into what is run, each with the same changes.

    `budget` is the ceiling of the context in tokens; presets that correct their passages may then
    not escape to whole documents, so that all have the same to spend. `oracle` and `random` bring
    the two baselines that they pick from. Raises SettingsError for a name that is neither.
    """
    if budget is not None:
        changes = {**changes, "context_tokens": budget}
    wanted = list(dict.fromkeys(names))
    if not wanted:
        raise SettingsError(f"Name at least one preset: {', '.join([*PRESETS, *BASELINES])}")
    if set(wanted) & set(PICKED):
        wanted = list(dict.fromkeys([*wanted, "always-passages", "always-whole"]))
    made = {name: _contender(name, changes) for name in wanted if name not in PICKED}
    return made if budget is None else {name: _bounded(one) for name, one in made.items()}


def _bounded(one: Contender) -> Contender:
    if not one.settings.grade_retrieval:
        return one
    remedies = [remedy for remedy in one.settings.remedies if remedy != "read_whole"]
    return replace(one, settings=one.settings.changed(remedies=remedies))


def _contender(name: str, changes: Mapping[str, Any]) -> Contender:
    if name in BASELINES:
        base, own = BASELINES[name]
        judge = NeedsNothing() if name == "never-search" else None
        return Contender(preset(base, **{**changes, **own}), judge)
    if name not in PRESETS:
        known = ", ".join([*PRESETS, *BASELINES, *PICKED])
        raise SettingsError(f"There is no preset or baseline {name!r}. There are: {known}")
    return Contender(preset(name, **changes))


def quality(record: Record) -> float | None:
    """How good a run was, 0 to 1: the score that suits the labels; a right refusal is 1.

    None when the data do not say what is right. An unwanted answer is 0, and so is an unwanted
    refusal.
    """
    if not record.get("should_answer", True):
        return float(not record["did_answer"])
    scores = record["scores"]
    return next((scores[name] for name in QUALITY if name in scores), None)


QUALITY = ("accuracy", "rouge_l", "contains")
"""Yes or no, long texts, short answers: of each record the first that it has."""


def picked(name: str, records: Sequence[Record]) -> list[Record]:
    """The records that `oracle` or `random` would have, question by question.

    The oracle takes the better of the two ends and passages when they are equal, being cheaper.
    The lot is drawn by the question's id, so that it is the same every time.
    """
    by_name = {end: {r["task_id"]: r for r in records if r["preset"] == end} for end in ENDS}
    passages, whole = by_name.values()
    pairs = [(record, whole[id]) for id, record in passages.items() if id in whole]
    pick = _better if name == "oracle" else _by_lot
    return [{**pick(*pair), "preset": name} for pair in pairs]


ENDS = ("always-passages", "always-whole")


def _better(passages: Record, whole: Record) -> Record:
    return whole if (quality(whole) or 0.0) > (quality(passages) or 0.0) else passages


def _by_lot(passages: Record, whole: Record) -> Record:
    drawn = hashlib.sha256(passages["task_id"].encode()).digest()[0]
    return whole if drawn % 2 else passages
