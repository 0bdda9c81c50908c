"""Names in a text: what a capital says, and what it does not."""

from __future__ import annotations

import pytest

from ragloop.nodes.names import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Nothing is served. Stop at Orsa.", ["Orsa"]),
        ("Documents matter. He reads Documents.", ["Documents"]),
        ("The Rask Mill grinds rye.", ["Rask Mill"]),
        ("Orsa lies north of Dunn.", ["Dunn"]),
        ("《渡轮时刻》记载了白石渡轮。", ["渡轮时刻"]),
    ],
)
def test_a_word_that_only_opens_a_sentence_is_no_name(text: str, names: list[str]) -> None:
    found = names_in(text)

    assert [name for name in found if name in names or text.isascii()] == names
