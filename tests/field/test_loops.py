"""Loops that never ended, questions that held nothing, stores that were empty."""

from __future__ import annotations

import pytest
from asking import DEPTH, QUESTION, TEXTS, Place

REWRITES = [f'{{"failure": "other", "queries": ["wording {n} of it"]}}' for n in range(9)]


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_a_question_that_nothing_covers_ends_after_its_rounds(rounds: int) -> None:
    with Place({"grade_passages": ["no"], "rewrite_query": REWRITES}) as place:
        flags = ["--max-rounds", str(rounds), "--k", "3", "--set", 'remedies=["search_again"]']

        answer = place.asked(*flags, question="Who forged the bell of Ix?")

        assert answer["outcome"] == "refused"
        assert place.server.calls("rewrite_query") == rounds
        assert len(answer["queries"]) == rounds + 1
        assert place.server.calls("generate") == 0


def test_a_grounding_check_that_always_says_no_is_bounded_without_any_setting() -> None:
    with Place({"check_grounding": ["none"], "generate": [DEPTH]}) as place:
        answer = place.asked()

        assert place.server.calls("generate") <= 4
        assert place.server.calls() <= 40
        assert answer["outcome"] != "answered"
        assert not any(said["verdict"] == "full" for said in answer["grounding"])


@pytest.mark.parametrize("word", ["1", "no", '{"verdict": "2"}', "2 out of 5"])
def test_a_rating_that_is_always_low_is_bounded_and_shown(word: str) -> None:
    with Place({"check_usefulness": [word], "generate": ["The mill grinds rye."]}) as place:
        answer = place.asked("--max-rounds", "1", "--set", "max_drafts=1")

        assert place.server.calls("rewrite_query") <= 1
        assert answer["outcome"] in ("partial", "refused")
        assert answer["usefulness"] in (0, 1, 2)


def test_nothing_relevant_means_that_nothing_is_made_up() -> None:
    script = {
        "grade_passages": ["no"],
        "generate": ["Orm the smith forged it."],
        "read_whole_document": ['{"answerable": false, "answer": "", "missing": "the smith"}'],
    }
    with Place(script) as place:
        answer = place.asked("--max-rounds", "0", question="Who forged the bell of Ix?")

        assert answer["outcome"] == "refused"
        assert "Orm" not in answer["text"]
        assert place.server.calls("generate") == 0


def test_an_empty_or_missing_store_says_that_there_are_no_documents() -> None:
    with Place() as place:
        missing = place.ask()
        place.index()
        for name in TEXTS:
            (place.docs / name).write_text("")
        place.run("index", str(place.docs), *place.where())
        emptied = place.ask()

        assert "no documents" in missing.error
        assert "no documents" in emptied.error
        assert place.server.calls() == 0


def test_more_passages_asked_for_than_there_are() -> None:
    with Place({"generate": [DEPTH]}) as place:
        answer = place.asked("--k", "60")

        assert answer["outcome"] == "answered"
        assert len(answer["grades"]) == 4


@pytest.mark.parametrize("k", ["0", "-3", "three", "1.5"])
def test_a_k_that_is_none_is_refused_before_any_call(k: str) -> None:
    with Place() as place:
        place.index()
        found = place.ask(QUESTION, f"--k={k}")

        assert "Settings.k" in found.error
        assert place.server.calls() == 0


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_a_blank_question_is_refused_before_any_call(question: str) -> None:
    with Place(embed={"reject_blank": True}) as place:
        place.index()
        before = len(place.embedded())
        found = place.ask(question)

        assert "question is empty" in found.error
        assert found.code == 2
        assert (place.server.calls(), len(place.embedded())) == (0, before)


def test_a_pasted_log_as_question_is_cut_and_says_so() -> None:
    with Place({"generate": [DEPTH]}, embed={"max_chars": 6_000}) as place:
        place.index()
        found = place.ask("connection reset, trying again. " * 2_000 + QUESTION)

        assert found.answer["outcome"] == "answered"
        assert "characters" in found.warned
        assert place.server.embeddings_refused == 0
        assert QUESTION in place.prompts("generate")[0]
