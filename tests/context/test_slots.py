"""What a question asks for, in both languages."""

from __future__ import annotations

from typing import Any

import pytest

from ragloop.nodes.context.candidates import read_candidates
from ragloop.nodes.context.dates import named_dates
from ragloop.nodes.context.parts import named_fields, part_relevance
from ragloop.nodes.context.slots import asked, cover, find_slots, question_parts


def names(question: str, kind: str) -> list[str]:
    return [slot.name for slot in find_slots(question) if slot.kind == kind]


def rows(*texts: str, **more: Any) -> list[Any]:
    return read_candidates(
        [
            {"id": f"p{at}", "text": text, "score": 1.0 - at / 10} | more
            for at, text in enumerate(texts)
        ]
    )


@pytest.mark.parametrize(
    ("question", "kind", "expected"),
    [
        ("Which waterfall lies in the country of the Bubye River?", "entity", ["Bubye River"]),
        ("Did 'The Age' and TechCrunch agree?", "entity", ["The Age", "TechCrunch"]),
        ("《流浪地球2》的主演和导演是谁？", "entity", ["流浪地球2"]),
        (
            "Sales after 2023 in the east above 1 million",
            "constraint",
            ["after 2023", "above 1 million"],
        ),
        ("超过100万元的合同有哪些？", "constraint", ["100万"]),
    ],
)
def test_entities_and_constraints_are_found(question: str, kind: str, expected: list[str]) -> None:
    assert names(question, kind) == expected


@pytest.mark.parametrize(
    ("question", "count"),
    [
        (
            "What did the Verge say on November 6, 2023 of Epic, and what did Fortune say later?",
            2,
        ),
        ("美团前两季度营收以及净利润分别是多少？", 2),
        ("When does the Brell ferry leave?", 1),
    ],
)
def test_a_question_is_cut_at_its_joints_but_not_inside_a_date(question: str, count: int) -> None:
    assert len(question_parts(question)) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on november 6, 2023", ["2023-11-06"]),
        ("6 nov 2023", ["2023-11-06"]),
        ("in november 2023", ["2023-11"]),
        ("2023年11月6日", ["2023-11-06"]),
        ("2023-11-06", ["2023-11-06"]),
        ("on 6 november", []),
    ],
)
def test_dates_are_read_in_both_languages(text: str, expected: list[str]) -> None:
    assert named_dates(text) == expected


def test_a_named_source_and_date_count_for_a_passage() -> None:
    [both] = rows("Text.", source="The Verge", date="2023-11-06T10:00:00")
    [neither] = rows("Text.", source="Fortune", date="2021-01-01")

    found = named_fields("What did The Verge report on November 6, 2023?", [both, neither])

    assert found.tolist() == [3.0, 1.0]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "When was the pier built and who runs the ferry?",
            ["The pier was built in 1901.", "Lim runs the ferry."],
        ),
        ("码头建于哪年以及渡轮由谁经营？", ["码头建于一九零一年。", "渡轮由林家经营。"]),
    ],
)
def test_each_part_of_a_question_has_its_own_best_passage(question: str, texts: list[str]) -> None:
    candidates = rows(*texts)

    found = part_relevance(question, candidates, asked([question], candidates))

    assert found.tolist() == [1.0, 1.0]


def test_a_slot_that_one_candidate_covers_weighs_more() -> None:
    question = "pier ferry"
    candidates = rows(
        "The pier.", "The ferry.", "The ferry again.", "The ferry, still.", "Tea.", "Lamp."
    )
    wanted = asked([question], candidates)

    covering = cover(find_slots(question), wanted)

    pier, ferry = covering.weights
    plain = (
        wanted.rarity[wanted.words.index("pier")]
        / wanted.rarity[wanted.words.index("ferri" if "ferri" in wanted.words else "ferry")]
    )
    assert pier / ferry == pytest.approx(1.5 * plain)


def test_confidence_is_low_when_nothing_asked_for_is_there() -> None:
    question = "Who invented the Osk lamp?"
    candidates = rows("Vell tea is brewed at 80 degrees.", "莱拉的茶。")

    assert cover(find_slots(question), asked([question], candidates)).confidence == 0.0
