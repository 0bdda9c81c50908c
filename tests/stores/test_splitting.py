"""Pieces tile their document, end at sentences and stay below their size."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragloop.stores.errors import SettingsError, StoreError
from ragloop.stores.passage import Document, Passage
from ragloop.stores.splitting import count_words, headings, join, piece_number, split

SEASONS = (
    "春天来了，花开了。夏天很热，大家去游泳。秋天收获，冬天下雪。"
    "山上的寺庙很安静，钟声每小时响一次。"
)
GUIDE = """\
# Guide { #guide }

Intro words stand here for all to read.

## Install

Run the installer and wait until it is done. It takes a minute or two on most machines.

```sh
# not a heading
install --all
```

## Use

Start the program. Then press the green button to begin.
"""


def cut(text: str, words: int) -> list[Passage]:
    return split({"id": "d", "text": text}, words)


@given(
    st.text(alphabet="ab \n#。，.,;字典\t`-（）1😀é'", max_size=200),
    st.integers(min_value=1, max_value=15),
)
def test_pieces_tile_any_text_within_their_size(text: str, words: int) -> None:
    pieces = cut(text, words)

    assert join(pieces) == (text if text.strip() else "")
    for piece in pieces:
        assert text[piece["start"] : piece["end"]] == piece["text"]
        assert piece["text"].strip()
        assert count_words(piece["text"]) <= words


@pytest.mark.parametrize("size", [2, 5, 13, 20])
def test_chinese_pieces_never_begin_with_a_stop_or_pass_their_size(size: int) -> None:
    pieces = cut(SEASONS, size)

    assert "".join(piece["text"] for piece in pieces) == SEASONS
    assert all(len(piece["text"]) <= size for piece in pieces)
    assert not any(piece["text"][0] in "。，" for piece in pieces)


def test_chinese_pieces_end_at_sentences_where_they_fit() -> None:
    pieces = cut(SEASONS, 20)

    assert [piece["text"][-1] for piece in pieces] == ["。"] * len(pieces)


def test_english_pieces_end_at_sentences() -> None:
    text = "The ferry leaves at 7.40 a.m. from Tarn. Dr. Ors runs it. It takes 35 minutes. " * 10

    pieces = cut(text, 30)

    assert all(piece["text"].rstrip().endswith(".") for piece in pieces)
    assert not any(piece["text"].startswith(("40", "Ors")) for piece in pieces)


@pytest.mark.parametrize("letter", ["A", "字", "ä"])
def test_one_line_without_a_space_is_cut_hard(letter: str) -> None:
    pieces = cut(letter * 100_000, 300)

    assert join(pieces) == letter * 100_000
    assert max(len(piece["text"]) for piece in pieces) <= 6_000


def test_a_piece_carries_the_path_of_its_headings() -> None:
    pieces = cut(GUIDE, 12)

    sections = list(dict.fromkeys(piece["section"] for piece in pieces))
    assert sections == ["Guide", "Guide > Install", "Guide > Use"]


def test_a_comment_in_code_is_no_heading() -> None:
    found = headings(GUIDE)

    assert [mark.title for mark in found] == ["Guide", "Install", "Use"]


def test_an_underlined_heading_counts() -> None:
    found = headings("渡轮\n====\n\n它七点四十分开。\n")

    assert [(mark.level, mark.title) for mark in found] == [(1, "渡轮")]


def test_a_heading_is_not_left_at_the_end_of_a_piece() -> None:
    text = "# One\n\n" + "Word and word again. " * 6 + "\n\n## Two\n\n" + "Other words here. " * 6

    pieces = cut(text, 27)

    assert not any(piece["text"].rstrip().endswith("## Two") for piece in pieces)


def test_blank_space_between_headings_makes_no_piece_of_its_own() -> None:
    pieces = cut("# Ferry\n\n\n\n\n\n# Times\n\nThe Brell ferry leaves at 07:40.\n\n\n\n", 4)

    assert all(piece["text"].strip() for piece in pieces)


def test_a_blank_document_has_no_pieces() -> None:
    assert cut("\n \n\t\n", 300) == []


def test_ids_differ_where_the_text_repeats() -> None:
    pieces = cut("Page intentionally left blank.\n\n" * 50, 4)

    assert len({piece["id"] for piece in pieces}) == len(pieces) == 50


def test_ids_name_the_document_and_the_place_in_it() -> None:
    pieces = split({"id": "a#b.md", "text": SEASONS}, 20)

    assert [piece["id"] for piece in pieces] == ["a#b.md#0", "a#b.md#1", "a#b.md#2"]
    assert [piece_number(piece["id"]) for piece in pieces] == [0, 1, 2]
    assert piece_number("from elsewhere") is None


def test_a_piece_knows_what_its_document_says_of_itself() -> None:
    document: Document = {
        "id": "d", "text": SEASONS, "title": "四季", "source": "d.md", "metadata": {"tenant": "a"},
    }  # fmt: skip

    piece = split(document, 20)[1]

    assert (piece["title"], piece["source"], piece["metadata"]) == ("四季", "d.md", {"tenant": "a"})


def test_a_missing_piece_is_named_when_joining() -> None:
    pieces = cut(SEASONS, 20)

    with pytest.raises(StoreError, match=r"do not meet at character 20"):
        join([pieces[0], pieces[2]])


def test_a_size_below_one_is_refused() -> None:
    with pytest.raises(SettingsError, match="words is 0"):
        cut(SEASONS, 0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_real_pages_come_back_exactly(shared_data: Path, language: str) -> None:
    for page in (shared_data / "fastapi_docs" / language / "tutorial").glob("*.md"):
        text = page.read_text(encoding="utf-8")

        pieces = cut(text, 300)

        assert join(pieces) == text
        assert max(count_words(piece["text"]) for piece in pieces) <= 300
