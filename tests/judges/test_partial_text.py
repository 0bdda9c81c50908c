from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragloop.nodes.judges.partial_text import PartialText


def fed(chunks: list[str], flag: str = "answerable") -> list[str]:
    partial = PartialText("answer", flag)
    return [given for chunk in chunks if (given := partial.feed(chunk))]


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({min(p, len(text)) for p in places})
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from('"\\\n\t😀é是{}[]:,')),
    max_size=40,
)
PLACES = st.lists(st.integers(0, 200), max_size=12)


@given(TEXTS, PLACES, st.booleans(), st.sampled_from([None, 2]))
def test_json_gives_its_text_wherever_the_chunks_end(
    text: str, places: list[int], ascii_only: bool, indent: int | None
) -> None:
    reply = {"answerable": True, "answer": text, "missing": '"answer": "no"'}
    whole = json.dumps(reply, ensure_ascii=ascii_only, indent=indent)

    assert "".join(fed(cut(whole, places))) == text.strip()


@given(TEXTS, PLACES)
def test_an_unanswerable_reply_gives_nothing(text: str, places: list[int]) -> None:
    whole = json.dumps({"answerable": False, "answer": text, "missing": text})

    assert fed(cut(whole, places)) == []


@given(PLACES, st.sampled_from(["think", "reasoning", "Thought"]))
def test_thoughts_give_nothing(places: list[int], tag: str) -> None:
    assert fed(cut(f"  <{tag}>It may be 07:40.</{tag}>At 08:00.", places)) == []


@given(TEXTS.filter(lambda t: t.strip()[:1] not in tuple("{<`~") and t.strip()), PLACES)
def test_plain_words_are_given_as_they_come(text: str, places: list[int]) -> None:
    partial = PartialText("answer", "answerable")

    given_ = [partial.feed(chunk) for chunk in cut(text, places)]

    assert "".join([*given_, partial.finish(text.strip())]) == text.strip()


def test_the_text_waits_for_the_word_that_there_is_an_answer() -> None:
    partial = PartialText("answer", "answerable")

    before = partial.feed('{"answer": "At 07:40.", ')
    after = partial.feed('"answerable": true}')

    assert (before, after) == ("", "At 07:40.")


def test_a_key_inside_another_value_is_not_the_text() -> None:
    whole = '{"answerable": true, "why": {"answer": "no"}, "answer": "At 07:40."}'

    assert "".join(fed([whole])) == "At 07:40."


def test_half_of_a_character_is_held_back() -> None:
    partial = PartialText("answer")

    given_ = [partial.feed(part) for part in ('{"answer": "a\\ud83d', "\\ude00", 'b"}')]

    assert given_ == ["a", "😀", "b"]


@pytest.mark.parametrize("start", ["<b>Bold</b> words are here.", "< 5 minutes, it says."])
def test_an_ordinary_angle_bracket_is_a_word(start: str) -> None:
    assert "".join(fed([*start])) == start


def test_the_rest_is_given_at_the_end_once() -> None:
    partial = PartialText("answer")
    partial.feed("```\nAt 07:40.\n```")

    assert (partial.finish("At 07:40."), partial.finish("At 07:40.")) == ("At 07:40.", "")


def test_thoughts_after_the_first_words_are_held_back() -> None:
    given_ = fed([*"At 07:40. <think>or 08:00?</think>"])

    assert "".join(given_) == "At 07:40."


@pytest.mark.parametrize("text", ["a <b> c", "x < y", "the <title> tag", "1 <t> 2"])
def test_other_tags_and_signs_are_words(text: str) -> None:
    assert "".join(fed([*text])) == text
