"""Every citation leads to words that are really in the source."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragloop.nodes.writers.citing import resolve, uncited
from ragloop.nodes.writers.draft import Citation
from ragloop.stores.passage import Passage

TEXT = (
    "FastAPI is a web framework. It was made by Sebastián Ramírez in 2018. "
    "It uses Starlette and Pydantic. Version 0.5 needs Python 3.6 or newer.\n\n"
    "渡轮早上八点离开码头。航程为三十五分钟，票价为12元。周一停航。"
)


def piece(identity: str, start: int = 0, end: int = len(TEXT)) -> Passage:
    return Passage(
        id=identity, document_id="doc", text=TEXT[start:end], start=start, end=end, title="Notes"
    )


PASSAGES = [piece("whole"), piece("trimmed", TEXT.index("It uses"))]


def holds(citation: Citation) -> bool:
    return TEXT[citation["start"] : citation["end"]] == citation["quote"] != ""


def test_a_statement_is_cited_with_the_shortest_span_that_carries_it() -> None:
    text, citations, warnings = resolve("Ramírez made it in 2018 [1].", PASSAGES)

    assert text == "Ramírez made it in 2018 [1]."
    assert [c["quote"] for c in citations] == ["It was made by Sebastián Ramírez in 2018."]
    assert warnings == []


def test_a_statement_from_two_sentences_is_cited_with_both() -> None:
    _, citations, _ = resolve("The framework was made in 2018 by Ramírez [1].", PASSAGES[:1])

    assert holds(citations[0])
    assert citations[0]["quote"].startswith("FastAPI is a web framework.")


def test_a_chinese_statement_is_cited_in_chinese() -> None:
    text, citations, _ = resolve("票价是12元【2】。", PASSAGES)

    assert text == "票价是12元[2]。"
    assert citations[0]["quote"] == "航程为三十五分钟，票价为12元。"
    assert holds(citations[0])


def test_each_marker_in_a_sentence_stands_on_its_own_words() -> None:
    answer = "It uses Starlette and Pydantic [1], and the ferry 渡轮早上八点离开 [2]."

    _, citations, _ = resolve(answer, PASSAGES)

    quotes = {c["marker"]: c["quote"] for c in citations}
    assert quotes == {1: "It uses Starlette and Pydantic.", 2: "渡轮早上八点离开码头。"}


def test_unknown_markers_are_removed_with_a_warning() -> None:
    text, citations, warnings = resolve("Made in 2018 [1, 9]. It is fast [7].", PASSAGES)

    assert text == "Made in 2018 [1]. It is fast."
    assert [c["marker"] for c in citations] == [1]
    assert ["[9]" in warnings[0], "[7]" in warnings[1]] == [True, True]


def test_a_marker_from_zero_leads_nowhere_and_is_removed_with_a_warning() -> None:
    text, citations, warnings = resolve("它很快[0]。Made in 2018. [0] It is fast [1].", PASSAGES)

    assert text == "它很快。Made in 2018. It is fast [1]."
    assert [c["marker"] for c in citations] == [1]
    assert len(warnings) == 1 and "[0]" in warnings[0]


def test_code_links_and_arrays_survive_untouched() -> None:
    answer = "Use `x[9]` and [9](http://a.test), array [7, 8], in [2020] [1].\n\n```\ny[9] [8]\n```"

    text, _, warnings = resolve(answer, PASSAGES)

    assert text == answer
    assert warnings == []


@pytest.mark.parametrize(
    ("quote", "becomes", "warned"),
    [
        pytest.param(
            "It was made by Sebastián Ramírez in 2018.",
            "It was made by Sebastián Ramírez in 2018.",
            "",
            id="real",
        ),
        pytest.param(
            "it was made by  “Sebastian Ramirez”",
            "It was made by Sebastián Ramírez in 2018.",
            "replaced",
            id="reworded",
        ),
        pytest.param(
            "It was made by Sebastián ... in 2018. ... It uses Starlette",
            "It was made by Sebastián Ramírez in 2018.",
            "replaced",
            id="spliced",
        ),
        pytest.param(
            "It was made by Sebastián Ramírez in 2021.",
            "It was made by Sebastián Ramírez in 2018.",
            "dropped",
            id="shifted figure",
        ),
        pytest.param(
            "Monks in Paris wrote it long ago",
            "It was made by Sebastián Ramírez in 2018.",
            "dropped",
            id="made up",
        ),
    ],
)
def test_a_quote_of_the_model_is_kept_repaired_or_dropped(
    quote: str, becomes: str, warned: str
) -> None:
    answer = "It was made by Sebastián Ramírez in 2018 [1]."

    _, citations, warnings = resolve(answer, PASSAGES, quotes=[(1, quote)])

    assert [c["quote"] for c in citations] == [becomes]
    assert bool(warnings) == bool(warned) and all(warned in each for each in warnings)


def test_spacing_case_accents_and_width_do_not_make_a_quote_false() -> None:
    _, citations, warnings = resolve(
        "Made by Ramírez [1].", PASSAGES, quotes=[(1, "IT WAS MADE BY\nSebastian  Ramirez")]
    )

    assert citations[0]["quote"] == "It was made by Sebastián Ramírez"
    assert warnings == []


def test_a_marker_without_a_shared_word_still_leads_to_its_passage() -> None:
    _, citations, _ = resolve("See this. [2]", PASSAGES)

    assert [(c["marker"], c["passage_id"]) for c in citations] == [(2, "trimmed")]
    assert holds(citations[0])


def test_sources_used_without_a_marker_are_named_apart() -> None:
    other = Passage(id="other", document_id="o", text="Bread is baked.", start=0, end=15)

    named = uncited("It uses Starlette and Pydantic.", [*PASSAGES, other], [])

    assert named == ["whole", "trimmed"]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000))
def test_whatever_a_model_quotes_every_citation_is_verbatim_at_its_offsets(seed: int) -> None:
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(len(TEXT)), 4))
    spliced = TEXT[cuts[0] : cuts[1]] + chance.choice(["", " ... ", "……"]) + TEXT[cuts[2] : cuts[3]]
    shifted = "".join(chance.choice(c + "7x员") if c.isalnum() else c for c in spliced)
    passages = [piece("a", cuts[0], cuts[2]), piece("b", cuts[1])]
    marks = "".join(chance.choice(["[1]", "[2]", "【3】", "[1, 2]", " ", "。"]) for _ in range(3))
    quotes = [(chance.randint(0, 4), chance.choice([spliced, shifted])) for _ in range(3)]

    text, citations, _ = resolve(shifted + marks + spliced + marks, passages, quotes=quotes)

    assert all(holds(citation) for citation in citations)
    assert all(citation["marker"] in (1, 2) for citation in citations)
    assert "[3]" not in text.removeprefix(TEXT)
