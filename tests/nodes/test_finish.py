"""What an answer stands on in the end: citations, open parts, corrections; through the graph."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

import pytest
from loopback import Loopback
from scripted import ScriptedModel
from small_graph import NOTES, QUESTION, compiled, offline, store_of

from ragloop.graph.settings import Settings

LONG = {
    "well": (
        "The well at Orsa is 31 metres deep. It was dug by hand in 1862. Its rim is of red stone."
    ),
    "inn": "The inn at Orsa stands beside the well. Its cellar is cold all year.",
    "井": "奥尔萨的井深三十一米。它是1862年手工挖的。井沿用红石砌成。",
}
ALL = {**NOTES, **LONG}


def settings(**changes: Any) -> Settings:
    return offline(**{"remedies": (), "refine": "off", **changes})


def written(text: str, *, said: Any = "full", route: str = "passages") -> dict[str, Any]:
    """The answer of a run whose model writes a text, over the long notes."""
    script = {"generate": text, "read_whole_document": text, "check_grounding": said}
    changes: dict[str, Any] = {}
    if route == "whole_document":
        script["grade_passages"] = "no"
        changes = {"remedies": ("read_whole",), "max_rounds": 0}
    app = compiled(ScriptedModel(script=script), settings(**changes), passages=store_of(LONG))
    answer: dict[str, Any] = app.invoke({"question": QUESTION})["answer"]
    assert answer["route"] == route
    return answer


def verbatim(answer: Mapping[str, Any]) -> bool:
    """True when every citation stands in its document, to the letter, where it says."""
    return all(
        ALL[each["document_id"]][each["start"] : each["end"]] == each["quote"] != ""
        for each in answer["citations"]
    )


@pytest.mark.parametrize(
    "text",
    [
        'The notes say "was dug by monks in the dark" [1].',
        'They say "The well at Orsa is ... of red stone" [1][2].',
        'They say "is 31 metres deep. It was dug" [2]. And "the inn at Orsa stands" [1].',
        "笔记写道“井沿用红石砌成，深三十一米”[1]。又说“它是手工挖的井”[3]。",
        "It is deep [1], red [2], [9] and cold [3][4].",
    ],
    ids=["made up", "spliced", "shifted to another passage", "Chinese, spliced", "unknown marker"],
)
@pytest.mark.parametrize("route", ["passages", "whole_document"])
def test_whatever_a_model_quotes_the_citations_are_verbatim(text: str, route: str) -> None:
    answer = written(text, route=route)

    assert answer["citations"]
    assert verbatim(answer)


def test_sixty_answers_of_cut_and_shifted_words_cite_to_the_letter() -> None:
    chance = random.Random(7)
    text = " ".join(LONG.values())

    def mixed(_: Any) -> dict[str, Any]:
        cuts = sorted(chance.sample(range(len(text)), 4))
        quote = (
            text[cuts[0] : cuts[1]] + chance.choice([" ... ", "", "……"]) + text[cuts[2] : cuts[3]]
        )
        marks = "".join(chance.choice(["[1]", "[2]", "【3】", "[1, 7]"]) for _ in range(2))
        return {"content": f"It says “{quote}” {marks}. {text[cuts[1] : cuts[3]]} {marks}"}

    with Loopback({"writer": [mixed]}) as server:
        unchecked = settings(check_support=False, grade_retrieval=False,
                             models={"generate": "writer"}, base_url=server.url)  # fmt: skip
        app = compiled(None, unchecked, passages=store_of(LONG))
        answers = [app.invoke({"question": QUESTION})["answer"] for _ in range(60)]

    cited = [each for answer in answers for each in answer["citations"]]
    assert len(cited) >= 100
    assert all(verbatim(answer) for answer in answers)


def test_a_quote_that_was_made_up_is_named() -> None:
    answer = written('The notes say "was dug by monks of the north" [1].')

    assert any("was dug by monks of the north" in line for line in answer["warnings"])


def test_numbers_mean_the_passages_as_they_were_shown() -> None:
    model = ScriptedModel(script={"generate": "See this. [2]"})
    app = compiled(model, settings(k=4))

    answer = app.invoke({"question": "What do the notes say?"})["answer"]

    prompt = next(text for node, text in model.asked if node == "generate")
    second = prompt.split('<passage id="2"')[1].split("</passage>")[0]
    assert answer["citations"][0]["quote"] in second
    assert [each["marker"] for each in answer["citations"]] == [2]


def test_an_answer_over_two_documents_cites_both() -> None:
    answer = written("The well is 31 metres deep [1]. The inn stands beside it [2].")

    quoted = {each["document_id"] for each in answer["citations"]}
    assert len(quoted) == 2


def test_an_answer_without_markers_names_what_it_used_apart_from_what_it_cites() -> None:
    answer = written("The well at Orsa is 31 metres deep.")

    assert answer["citations"] == []
    assert answer["uncited"][0].startswith("well")
    assert "well" in answer["sources"]


def test_the_citation_of_a_removed_sentence_goes_also_when_its_marker_stays() -> None:
    def only_the_depth(prompt: str) -> str:
        return "full" if "31" in prompt.rsplit("<sentence>", 1)[-1] else "none"

    answer = written(
        "The well is 31 metres deep [1]. The rim is of red stone [1].", said=only_the_depth
    )

    assert answer["text"].startswith("The well is 31 metres deep [1].")
    assert [each["quote"] for each in answer["citations"]] == [
        "The well at Orsa is 31 metres deep."
    ]


def test_every_marker_that_is_left_keeps_a_citation() -> None:
    def not_the_last(prompt: str) -> str:
        return "none" if "stone" in prompt.rsplit("<sentence>", 1)[-1] else "full"

    answer = written("It is deep [1]. It is of red stone [1].", said=not_the_last)

    assert "[1]" in answer["text"]
    assert [each["marker"] for each in answer["citations"]] == [1]


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ({"grade_passages": "no"}, "refused"),
        ({"generate": {"answerable": False, "answer": "", "missing": "x"}}, "refused"),
        ({"check_grounding": "none"}, "refused"),
    ],
    ids=["nothing relevant", "not answerable", "nothing borne out"],
)
def test_a_refusal_cites_nothing(script: dict[str, Any], outcome: str) -> None:
    app = compiled(ScriptedModel(script=script), settings(max_rounds=0))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["outcome"], answer["citations"], answer["uncited"]) == (outcome, [], [])


@pytest.mark.parametrize(
    ("notes", "question", "follows", "says"),
    [
        (
            {"new": "Water boils at 80 degrees.", "old": "Water boils at 100 degrees."},
            "At how many degrees does water boil?",
            "Water boils at 80 degrees.",
            "The sources disagree: ",
        ),
        (
            {"新": "水的沸点是80摄氏度。", "旧": "水的沸点是100摄氏度。"},
            "水的沸点是多少摄氏度？",
            "水的沸点是80摄氏度。",
            "来源说法不一：",
        ),
    ],
    ids=["English", "Chinese"],
)
def test_an_answer_that_follows_an_unlikely_source_says_that_another_disagrees(
    notes: dict[str, str], question: str, follows: str, says: str
) -> None:
    def writes(prompt: str) -> str:
        at = re.search(r'<passage id="(\d)"[^>]*>[^<]*80', prompt)
        assert at, "the unlikely source is among the passages"
        return f"{follows} [{at[1]}]"

    model = ScriptedModel(script={"generate": writes, "check_grounding": "full"})
    app = compiled(model, settings(), passages=store_of(notes))

    answer = app.invoke({"question": question})["answer"]

    first, _, second = answer["text"].partition("\n\n")
    assert first.startswith(follows)
    assert second.startswith(says)
    assert {cited["quote"] for cited in answer["citations"]} == set(notes.values())
    assert len(answer["conflicts"]) == 1
