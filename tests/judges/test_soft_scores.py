from __future__ import annotations

import pytest
from judges.asking import Asker, grade
from loopback import Loopback
from loopback_replies import tokens

from ragloop.nodes.judges.soft_scores import score_from_tokens
from ragloop.nodes.judges.verdict import RELEVANT, RETRIEVE, SUPPORTED, USEFUL


@pytest.mark.parametrize(
    ("made", "scale", "label", "score"),
    [
        pytest.param(
            tokens(("Yes", {"Yes": 0.6, "No": 0.2, "The": 0.2})), RELEVANT, "yes", 0.75, id="yes/no"
        ),
        pytest.param(
            tokens(("yes", {"yes": 0.3, " Yes": 0.3, "no": 0.2})),
            RELEVANT,
            "yes",
            0.75,
            id="the spellings of a label are added up",
        ),
        pytest.param(
            tokens(('{"', {}), ("verdict", {}), ('":"', {}), ("no", {"no": 0.75, "yes": 0.25})),
            RELEVANT,
            "no",
            0.25,
            id="inside JSON",
        ),
        pytest.param(
            tokens(('{"verdict":', {}), (' "yes', {' "yes': 0.9, ' "no': 0.1}), ('"}', {})),
            RELEVANT,
            "yes",
            0.9,
            id="a token that begins before the label",
        ),
        pytest.param(
            tokens(("full", {"full": 0.5, "partial": 0.25, "none": 0.25}), ("y", {})),
            SUPPORTED,
            "full",
            0.625,
            id="full + half partial",
        ),
        pytest.param(
            tokens(("Part", {"Part": 0.5, "Full": 0.5}), ("ially", {})),
            SUPPORTED,
            "partial",
            0.75,
            id="a label of two tokens",
        ),
        pytest.param(
            tokens(("4", {"4": 0.5, "5": 0.25, "3": 0.25})), USEFUL, "4", 0.75, id="1 to 5"
        ),
        pytest.param(
            tokens(("yes", {"yes": 0.3, "no": 0.1, "continue": 0.6})),
            RETRIEVE,
            "yes",
            0.75,
            id="retrieve leaves continue out",
        ),
        pytest.param(tokens(("是", {"是": 0.8, "否": 0.2})), RELEVANT, "yes", 0.8, id="Chinese"),
        pytest.param(
            tokens(("<think>no</think>", {}), ("yes", {"yes": 0.9, "no": 0.1})),
            RELEVANT,
            "yes",
            0.9,
            id="after thoughts",
        ),
    ],
)
def test_a_score_is_normalised_inside_its_labels(
    made: list[dict[str, object]], scale: tuple[str, ...], label: str, score: float
) -> None:
    assert score_from_tokens(made, scale, label, "verdict") == pytest.approx(score)


def test_a_higher_probability_of_yes_is_a_higher_score() -> None:
    shares = [0.01, 0.2, 0.4, 0.6, 0.99]

    scores = [
        score_from_tokens(tokens(("yes", {"yes": p, "no": 1 - p})), RELEVANT, "yes") for p in shares
    ]

    assert scores == pytest.approx(shares)


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([], id="no tokens"),
        pytest.param(tokens(("The", {"The": 1.0})), id="no label"),
        pytest.param(tokens(("yes", {"maybe": 0.97, "yes": 0.01})), id="no share to speak of"),
    ],
)
def test_where_there_is_nothing_to_read_there_is_no_score(made: list[dict[str, object]]) -> None:
    assert score_from_tokens(made, RELEVANT, "yes") is None


def test_scores_come_through_the_client_where_the_server_gives_them() -> None:
    made = tokens(("Yes", {"Yes": 0.6, "No": 0.2}), (".", {}))
    with Loopback({"judge": [{"content": "Yes.", "logprobs": made}]}) as server:
        asker = Asker(server)

        with_scores = asker.ask(grade(2), structured="text")
        without = asker.ask(grade(1), structured="text", logprobs="off")

        assert [reply.score for reply in with_scores] == [pytest.approx(0.75)] * 2
        assert "logprobs" in server.chats()[0]
        assert "logprobs" not in server.chats()[2]
        assert without[0].label == "yes"
