"""An answer is cut into the statements to ground."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragloop.nodes.writers.units import units

ANSWER = """\
# Speed

FastAPI is **fast** [1]. It uses Starlette.[2][3] See [the docs](http://a.test).

Do this:

1. Install it [1]. Then run it.
2. Done.

| a | b |
|---|---|
| 1 | 2 [3] |

```python
x = [1]
```

第一句。[1]第二句【2】。
"""


def test_sentences_items_tables_and_code_are_units_and_headings_are_not() -> None:
    kinds = [unit.kind for unit in units(ANSWER)]

    expected = ["sentence"] * 4 + ["item"] * 2 + ["table", "code"] + ["sentence"] * 2
    assert kinds == expected


def test_markers_are_stripped_for_judging_and_their_numbers_kept() -> None:
    found = units(ANSWER)

    assert (found[0].text, found[0].markers) == ("FastAPI is fast.", (1,))
    assert (found[1].text, found[1].markers) == ("It uses Starlette.", (2, 3))
    assert (found[8].text, found[8].markers) == ("第一句。", (1,))
    assert (found[9].text, found[9].markers) == ("第二句。", (2,))


def test_a_number_in_a_code_block_is_no_marker() -> None:
    code = next(unit for unit in units(ANSWER) if unit.kind == "code")

    assert code.markers == ()
    assert code.text == "```python\nx = [1]\n```"


def test_a_unit_carries_the_three_statements_before_it() -> None:
    item = next(unit for unit in units(ANSWER) if unit.kind == "item")

    assert item.before == ("It uses Starlette.", "See the docs.", "Do this:")


def test_offsets_give_back_the_unit_as_written() -> None:
    found = units(ANSWER)

    assert ANSWER[found[1].start : found[1].end] == "It uses Starlette.[2][3]"
    assert ANSWER[found[6].start : found[6].end].startswith("| a | b |")


@given(st.text(alphabet="ab .。\n#-|`[1]【2】*", max_size=60))
def test_units_never_overlap_and_stay_inside_the_text(text: str) -> None:
    found = units(text)

    edges = [edge for unit in found for edge in (unit.start, unit.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)
