"""What is shown of an unfinished answer is always a prefix of the finished one."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ragloop.nodes.writers.citing import resolve, settled
from ragloop.stores.passage import Passage

PASSAGES = [Passage(id=str(n), document_id="d", text="Text.", start=0, end=5) for n in range(3)]
PIECES = st.sampled_from(
    re.split(
        r"\|",
        "It is fast| [1]| [9]|[2, 8]|【3】|. |。|\n|\n\n|`x[9]`|$a[9]$|`|[9](http://a.test)|[docs][1]|"
        "[2020]|```\ny [9]\n```\n|[1]: http://a.test\n|[|\n- item [7]|](|(x)|array [1, 2]| |$",
    )
)


def test_words_are_shown_as_they_come_and_markers_when_they_are_whole() -> None:
    steps = [settled("It is fast [1, 9]. Yes"[:end], 3) for end in (5, 13, 17, 18, 22)]

    assert steps == ["It is", "It is fast", "It is fast", "It is fast [1].", "It is fast [1]. Yes"]


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12))
def test_every_unfinished_text_is_a_prefix_of_the_finished_one(pieces: list[str]) -> None:
    whole = "".join(pieces)
    finished, _, _ = resolve(whole, PASSAGES)

    shown = [settled(whole[:end], len(PASSAGES)) for end in range(len(whole) + 1)]

    assert all(finished.startswith(each) for each in shown)
    assert all(len(a) <= len(b) for a, b in pairwise(shown))
