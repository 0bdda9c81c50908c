"""All citations of 500 answers, in both languages, stand in their source to the letter."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ragloop.evals.writer_cases import Case, all_cases
from ragloop.nodes.judges.verdict import Verdict
from ragloop.nodes.writers.citing import resolve
from ragloop.nodes.writers.draft import Citation
from ragloop.nodes.writers.extractive import write
from ragloop.stores.passage import Passage


class Lenient:
    """A judge that holds every passage relevant, so that many questions are answered."""

    def relevant(self, question: str, passage: Passage) -> Verdict:
        return Verdict("yes", 1.0)


def stands(citation: Citation, documents: dict[str, str]) -> bool:
    text = documents[citation["document_id"]]
    return citation["quote"] == text[citation["start"] : citation["end"]] != ""


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[Case]:
    found = all_cases(shared_data, ("clapnq", "cmrc"))
    found = [case for case in found if case.group in ("clapnq top 5", "cmrc")]
    return random.Random(0).sample(found, 540)


def trimmed(case: Case, chance: random.Random) -> tuple[list[Passage], dict[str, str]]:
    """Its passages cut at random places, as a context is, and the whole documents."""
    passages = []
    for each in case.passages:
        start = chance.randrange(len(each["text"]) // 4 + 1)
        end = len(each["text"]) - chance.randrange(len(each["text"]) // 4 + 1)
        passages.append(
            Passage(
                id=each["id"],
                document_id=each["document_id"],
                text=each["text"][start:end],
                start=start,
                end=end,
            )
        )
    return passages, {each["document_id"]: each["text"] for each in case.passages}


def test_the_offline_writer_cites_500_answers_to_the_letter(cases: list[Case]) -> None:
    chance, answers, citations, languages = random.Random(1), 0, [], set()
    for case in cases:
        passages, documents = trimmed(case, chance)
        draft = write(case.question, passages, Lenient())
        answers += draft["answerable"]
        languages |= {case.language} if draft["answerable"] else set()
        citations += [stands(citation, documents) for citation in draft["citations"]]
        assert draft["answerable"] == bool(draft["citations"])

    assert answers >= 500
    assert languages == {"en", "zh"}
    assert all(citations)


def test_made_up_spliced_and_shifted_quotes_never_get_through(cases: list[Case]) -> None:
    chance, found, warned = random.Random(2), [], 0
    for case in cases[:500]:
        passages, documents = trimmed(case, chance)
        first, last = passages[0]["text"], passages[-1]["text"]
        cut = len(first) // 3
        false = [
            (1, first[:cut] + last[-cut:]),
            (1, first[cut : cut + 40][::-1]),
            (2, first[cut : cut + 60]),
            (1, first[:30] + " ... " + first[-30:]),
        ]
        answer = f"{first[:cut]} [1]. {last[:60]} [2, 9]。"

        _, citations, warnings = resolve(answer, passages, quotes=false, question=case.question)

        found += [stands(citation, documents) for citation in citations]
        warned += bool(warnings)

    assert len(found) >= 500
    assert all(found)
    assert warned == 500
