"""Markers are told from every other bracket."""

from __future__ import annotations

import pytest

from ragloop.nodes.writers import markers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        pytest.param("It is fast [1].", [(1,)], id="plain"),
        pytest.param("It is fast [2][3].", [(2,), (3,)], id="side by side"),
        pytest.param("It is fast [1, 2].", [(1, 2)], id="list"),
        pytest.param("It is fast [1-3].", [(1, 2, 3)], id="range"),
        pytest.param("它很快【1】。", [(1,)], id="Chinese brackets"),
        pytest.param("它很快［2］。", [(2,)], id="full-width brackets"),
        pytest.param("它很快[1、2]。", [(1, 2)], id="Chinese list"),
        pytest.param("It is fast 【4†doc.md】.", [(4,)], id="dagger"),
        pytest.param("It is fast [^1].", [(1,)], id="footnote"),
        pytest.param("It is fast [Source 2].", [(2,)], id="with a word"),
        pytest.param("它很快[来源2]。", [(2,)], id="with a Chinese word"),
        pytest.param("(see [1])", [(1,)], id="in parentheses"),
        pytest.param("It is fast. [0]", [(0,)], id="zero behind a sentence"),
        pytest.param("It is fast [1][0].", [(1,), (0,)], id="zero beside another"),
        pytest.param("它很快[0]。", [(0,)], id="zero at a Chinese sentence's end"),
    ],
)
def test_a_marker_is_found_in_every_usual_form(text: str, numbers: list[tuple[int, ...]]) -> None:
    found = markers.find(text)

    assert [marker.numbers for marker in found] == numbers


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Founded in [2020].", id="year"),
        pytest.param("The array [1, 2, 3] is sorted.", id="array in prose"),
        pytest.param("数组[1, 2]已排序。", id="array in Chinese prose"),
        pytest.param("Set x = [1].", id="assignment"),
        pytest.param("Call `items[1]` now.", id="inline code"),
        pytest.param("```\nx = [1]\ny [2]\n```\n", id="code block"),
        pytest.param("See [1](http://a.test/x).", id="link with a number"),
        pytest.param("[1]: http://a.test", id="link definition"),
        pytest.param("See [docs][1].", id="reference link"),
        pytest.param("sys.argv[1] holds it.", id="index"),
        pytest.param("Item [0] is first.", id="zero"),
        pytest.param("$a[1] = b$", id="formula"),
    ],
)
def test_what_is_no_marker_is_left_alone(text: str) -> None:
    found = markers.find(text)

    assert found == []


def test_masking_keeps_every_offset() -> None:
    text = "It is fast [1, 2]. 它很快【3】。"

    masked = markers.mask(text)

    assert len(masked) == len(text)
    assert masked.replace(" ", "") == "Itisfast.它很快。"
