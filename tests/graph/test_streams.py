"""Five hundred runs as streams: what was shown is the answer, in order, and nothing else."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from small_graph import NOTES, QUESTION, OtherPassagesEachTime, compiled
from talking import BREAK, TalkingModel

from ragloop.graph.build import NODES
from ragloop.graph.events import astream, stream
from ragloop.graph.presets import PRESETS
from ragloop.graph.settings import preset
from ragloop.nodes.writers import markers

RUNS = 500
TEXT = ("token", "supplement", "correction")
JUDGED = "WORDS-OF-A-JUDGE"
UNANSWERABLE = {"answerable": False, "answer": "", "missing": "the depth"}
DRAFTS: list[Any] = [
    "The well is 31 metres deep. [1]",
    "It is deep [1]. It is old [2][3]. It is wide [9].",
    "井深三十一米。[1] 井很古老【2】。",
    {"answerable": True, "answer": "It is 31 metres deep [1, 2].", "missing": ""},
    {"answerable": True, "answer": "It is 31 metres deep [1].", "missing": "its width"},
    f"The well is 31 metres [1] deep {BREAK} and old.",
    f"{BREAK}",
    UNANSWERABLE,
    "No marker at all. And [a link](http://x/y), `code [1]` and [2020].",
]
FAILS = RuntimeError("broken for good")


@dataclass
class Told:
    """One run: how it was made, and its events."""

    mode: str
    events: list[Any]
    kinds: list[str] = field(init=False)
    answer: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.kinds = [event["event"] for event in self.events]
        self.answer = self.events[-1].get("answer", {})

    @property
    def shown(self) -> str:
        """All words that the reader was shown."""
        return "".join(event["text"] for event in self.events if event["event"] in TEXT)

    @property
    def nodes(self) -> list[str]:
        """The nodes that ran."""
        return [event["node"] for event in self.events if event["event"] == "step"]


def labels(dice: random.Random, *words: str) -> list[Any]:
    """Some verdicts; now and then one in the judge's own words, or none that can be read."""
    said = [dice.choice(words) for _ in range(3)]
    strange = [f"{JUDGED}: well, hm", {"verdict": said[0], "why": JUDGED}]
    return [*said, *(strange if dice.random() < 0.3 else [])]


def script_of(dice: random.Random) -> dict[str, Any]:
    """What the model says, by chance."""
    script = {
        "restate_question": QUESTION,
        "decide_retrieval": dice.choice(["yes", "yes", "no", JUDGED]),
        "answer_directly": dice.choice(["Hello there. [1]", f"Hel{BREAK}lo", ""]),
        "grade_passages": labels(dice, "yes", "no", *dice.choice([["no"] * 4, ["yes"] * 4])),
        "rewrite_query": [{"failure": dice.choice(["other", "implicit"]), "queries": [JUDGED]}],
        "generate": [dice.choice(DRAFTS) for _ in range(3)],
        "read_whole_document": [dice.choice(DRAFTS)],
        "check_grounding": labels(dice, "full", "full", "partial", "none"),
        "check_usefulness": labels(dice, "1", "3", "5"),
    }
    if dice.random() < 0.08:
        script[dice.choice(sorted(script))] = FAILS
    return script


def a_run(seed: int) -> Told:
    """A run of random settings, parts and replies, in one of the two modes, one of the two ways."""
    dice = random.Random(seed)
    settings = preset(
        dice.choice([*PRESETS, *["loop"] * 6]),
        max_rounds=dice.randint(0, 2),
        max_calls=dice.choice([0, 1, 3, 6, 9, 14, 40, 40, 40, 40]),
        max_tokens=dice.choice([0, 900, 3_000, 200_000, 200_000, 200_000]),
        deadline_s=dice.choice([1e-6, *[120.0] * 9]),
        unsupported=dice.choice(["remove", "mark", "regenerate"]),
        ask_retrieval=dice.random() < 0.3,
        retries=0,
        speculate=dice.random() < 0.3,
    )
    model = TalkingModel(script=script_of(dice))
    parts: dict[str, Any] = {}
    if dice.random() < 0.4:
        parts["passages"] = OtherPassagesEachTime()
    if dice.random() < 0.4:
        parts["elsewhere"] = lambda query: [NOTES["well"]]
    app = compiled(model if dice.random() < 0.9 else None, settings, **parts)
    mode: Any = dice.choice(["live", "live", "checked"])
    asked = dice.choice([QUESTION, QUESTION, QUESTION, "Good morning!", "奥尔萨水井有多深？"])
    if dice.random() < 0.5:
        return Told(mode, list(stream(app, asked, mode=mode, steps=True)))

    async def all_events() -> list[Any]:
        return [event async for event in astream(app, asked, mode=mode, steps=True)]

    return Told(mode, asyncio.run(all_events()))


@pytest.fixture(scope="module")
def runs() -> Iterator[list[Told]]:
    yield [a_run(seed) for seed in range(RUNS)]


def test_the_runs_take_every_node_every_outcome_and_every_limit(runs: list[Told]) -> None:
    nodes = Counter(node for run in runs for node in run.nodes)
    kinds = Counter(kind for run in runs for kind in run.kinds)
    stopped = Counter(run.answer["stopped_by"] for run in runs)
    ahead = Counter(run.answer["ahead"].get("kept") for run in runs)
    outcomes = Counter(run.answer["outcome"] for run in runs)

    assert set(nodes) == set(NODES)
    assert {*TEXT, "decision", "retrieval", "grades", "answer"} <= set(kinds)
    assert {"done", "max_rounds", "no_progress", "max_calls", "max_tokens", "deadline"} <= set(
        stopped
    )
    assert set(ahead) == {True, False, None}
    assert set(outcomes) == {"answered", "partial", "direct", "refused"}


def test_what_was_shown_is_the_answer_to_the_letter(runs: list[Told]) -> None:
    assert [seed for seed, run in enumerate(runs) if run.shown != run.answer["text"]] == []


def test_the_answer_comes_last_and_once(runs: list[Told]) -> None:
    assert all(run.kinds[-1] == "answer" and run.kinds.count("answer") == 1 for run in runs)


def test_what_comes_before_what(runs: list[Told]) -> None:
    for seed, run in enumerate(runs):
        told = [kind for kind in run.kinds if kind != "step"]
        first = {kind: told.index(kind) for kind in told}

        assert first.get("decision", 0) == 0, seed
        if "grades" in first:
            assert first["retrieval"] < first["grades"], seed
            assert first["grades"] < first.get("token", 99), seed
        late = [kind for kind in told if kind in TEXT]
        assert late == sorted(late, key=lambda kind: kind != "token"), seed


def test_nothing_of_the_judges_is_shown(runs: list[Told]) -> None:
    shown = [run.shown for run in runs if run.answer["outcome"] != "refused"]

    assert len(shown) > 100
    assert not any(JUDGED in text or "verdict" in text for text in shown)


def test_in_checked_mode_no_word_shows_before_the_checks_are_done(runs: list[Told]) -> None:
    for run in runs:
        if run.mode == "checked":
            words = [at for at, kind in enumerate(run.kinds) if kind in TEXT]
            steps = [at for at, event in enumerate(run.events) if event["event"] == "step"]

            assert not words or words[0] > steps[-2]  # all but `finish` itself


def test_every_marker_that_was_shown_leads_to_a_citation(runs: list[Told]) -> None:
    for seed, run in enumerate(runs):
        if run.answer["route"] != "direct":
            known = {citation["marker"] for citation in run.answer["citations"]}
            used = {n for marker in markers.find(run.answer["text"]) for n in marker.numbers}

            assert used <= known, (seed, run.answer["text"])


def test_a_broken_stream_is_never_a_whole_answer(runs: list[Told]) -> None:
    for seed, run in enumerate(runs):
        text = run.answer["text"]
        if "metres [1] deep" in text and "metres [1] deep and" not in text:
            assert run.answer["outcome"] != "answered" or "\n\n" in text, seed
