"""The whole of `select`: ceiling, order, reasons, fallbacks."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragloop.nodes.context import format_context, select
from ragloop.nodes.context.selectors import Thrift
from ragloop.stores.errors import SettingsError
from ragloop.stores.tokens import count_tokens

WORDS_EN = [
    "ferry",
    "pier",
    "Tarn",
    "07:40",
    "leaves.",
    "not",
    "14",
    "days.",
    "harbour",
    "</passage>",
]
WORDS_ZH = ["渡轮", "码头", "七点", "离开。", "不", "十四天", "港口，", "票价", "三十天。", "塔恩"]


def texts() -> st.SearchStrategy[str]:
    english = st.lists(st.sampled_from(WORDS_EN), max_size=40).map(" ".join)
    chinese = st.lists(st.sampled_from(WORDS_ZH), max_size=40).map("".join)
    return st.one_of(english, chinese)


@st.composite
def candidate_sets(draw: st.DrawFn) -> list[dict[str, Any]]:
    size = draw(st.integers(0, 9))
    with_vectors = draw(st.booleans())
    found = []
    for at in range(size):
        text = draw(texts())
        row: dict[str, Any] = {
            "id": f"p{at}",
            "document_id": draw(st.sampled_from(["a", "b", f"d{at}"])),
            "text": text,
            "score": draw(st.sampled_from([0.0, 0.5, 0.5, 1.0, 7.25, float("nan")])),
        }
        if draw(st.booleans()):
            row["start"] = draw(st.integers(0, 60))
            row["end"] = row["start"] + len(text)
        if draw(st.booleans()):
            row["version"] = draw(st.sampled_from(["1", "1.10", "1.9"]))
        if draw(st.booleans()):
            row["title"] = draw(st.sampled_from(['Tarn "pier" <1>', "塔恩码头", "x" * 300]))
        if with_vectors:
            row["vector"] = draw(
                st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=3, max_size=3)
            )
        found.append(row)
    return found


SELECTORS = st.sampled_from(["auto", "score", "mmr", "coverage", "novelty"])
QUESTIONS = st.sampled_from(
    [
        "When does the Tarn ferry leave the pier, and is 14 days enough?",
        "塔恩码头的渡轮几点离开？",
        "",
    ]
)


def holds_its_promises(
    candidates: list[dict[str, Any]], question: str, budget: int, selector: Any, seed: int
) -> None:
    options: dict[str, Any] = {"selector": selector, "question_vector": [1.0, 0.5, 0.0]}
    selection = select(candidates, question, budget, **options)
    chosen = [p["id"] for p in selection.passages]

    assert count_tokens(format_context(selection.passages)) == selection.tokens <= budget
    assert len(set(chosen)) == len(chosen)
    assert {d["passage_id"] for d in selection.dropped}.isdisjoint(chosen)
    assert len(chosen) + len(selection.dropped) == len(candidates)
    assert all(d["why"] for d in selection.dropped)
    by_id = {c["id"]: c for c in candidates}
    for passage in selection.passages:
        given_row = by_id[passage["id"]]
        offset = passage["start"] - int(given_row.get("start") or 0)
        assert given_row["text"][offset : offset + len(passage["text"])] == passage["text"]
    shuffled = random.Random(seed).sample(candidates, len(candidates))
    again = select(shuffled, question, budget, **options)
    assert again.passages == selection.passages
    assert again.summary() == selection.summary()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(candidate_sets(), QUESTIONS, st.integers(0, 400), SELECTORS, st.integers(0, 9))
def test_ceiling_order_and_reasons_hold_for_random_sets(
    candidates: list[dict[str, Any]], question: str, budget: int, selector: Any, seed: int
) -> None:
    holds_its_promises(candidates, question, budget, selector, seed)


@pytest.mark.slow
@settings(
    max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(candidate_sets(), QUESTIONS, st.integers(0, 400), SELECTORS, st.integers(0, 9))
def test_ceiling_order_and_reasons_hold_for_ten_thousand_sets(
    candidates: list[dict[str, Any]], question: str, budget: int, selector: Any, seed: int
) -> None:
    holds_its_promises(candidates, question, budget, selector, seed)


def passage(name: str, text: str, score: float = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "document_id": more.pop("document_id", name),
        "text": text,
        "score": score,
    } | more


FERRY = [
    passage("ferry", "The Brell ferry leaves Tarn pier at 07:40 and takes 35 minutes.", 0.9),
    passage("lamp", "The Osk lamp runs on 12 volts and must not be used outdoors.", 0.2),
    passage("tea", "Vell tea is brewed at 80 degrees for two minutes.", 0.3),
]


def test_a_budget_of_nothing_buys_nothing() -> None:
    selection = select(FERRY, "When does the Brell ferry leave?", 0)

    assert selection.passages == []
    assert selection.tokens == 0
    assert [d["why"] for d in selection.dropped] == ["over the budget"] * 3


def test_no_candidates_make_an_empty_context() -> None:
    selection = select([], "When does the Brell ferry leave?", 500)

    assert (selection.passages, selection.tokens, selection.dropped) == ([], 0, [])


def test_a_hundred_shuffles_choose_the_same_passages() -> None:
    candidates = [
        passage(f"p{at}", f"Pier {at % 7} opens in season {at % 3}.", 0.5) for at in range(40)
    ]
    first = [p["id"] for p in select(candidates, "Which pier opens in season 2?", 300).passages]

    for seed in range(100):
        shuffled = random.Random(seed).sample(candidates, len(candidates))
        assert [
            p["id"] for p in select(shuffled, "Which pier opens in season 2?", 300).passages
        ] == first


def test_a_passage_longer_than_the_budget_is_cut_to_its_best_sentences() -> None:
    filler = "The weather on the island changes quickly in spring. " * 40
    text = filler + "The Brell ferry leaves Tarn pier at 07:40. " + filler
    selection = select([passage("long", text)], "When does the Brell ferry leave Tarn pier?", 120)

    [kept] = selection.passages
    assert "07:40" in kept["text"]
    assert text[kept["start"] : kept["end"]] == kept["text"]
    assert selection.trimmed == ["long"]


def test_the_budget_stays_unfilled_when_nothing_else_helps() -> None:
    unrelated = [
        passage(f"n{at}", f"莱拉在第{at}页写到了茶。", 0.0, score_kind="bm25") for at in range(20)
    ]
    useful = FERRY[0] | {"score_kind": "bm25"}
    selection = select([useful, *unrelated], "When does the Brell ferry leave?", 2000)

    assert [p["id"] for p in selection.passages] == ["ferry"]
    assert {d["why"] for d in selection.dropped} == {"adds too little"}


def test_the_plateau_stops_before_the_weak_ones() -> None:
    everything = select(FERRY, "When does the Brell ferry leave?", 2000)
    steep = select(FERRY, "When does the Brell ferry leave?", 2000, thrift=Thrift(plateau=0.5))

    assert len(everything.passages) == 3
    assert [p["id"] for p in steep.passages] == ["ferry"]


@pytest.mark.parametrize(
    ("selector", "question", "reason"),
    [
        ("auto", "什么是量子计算？", "too few"),
        ("coverage", "", "names nothing"),
        ("mmr", "When does the ferry leave?", "no vector"),
        ("novelty", "When does the ferry leave?", "no vector"),
    ],
)
def test_a_selector_without_its_inputs_falls_back_and_says_why(
    selector: Any, question: str, reason: str
) -> None:
    selection = select(FERRY, question, 500, selector=selector)

    assert selection.selector == "score"
    assert reason in selection.fell_back
    assert len(selection.passages) == 3


def test_the_only_passage_that_covers_a_slot_is_chosen_though_it_is_long() -> None:
    short = [
        passage(f"s{at}", f"Ferries of Tarn are blue, white or {c}.", 0.9)
        for at, c in enumerate(["red", "green", "grey", "black", "brown", "pink", "teal"])
    ]
    long = passage(
        "sole",
        "The Brell crossing takes 35 minutes in calm weather. " + "It is a fine trip. " * 12,
        0.2,
    )
    selection = select([*short, long], "How long does the Brell crossing take from Tarn?", 180)

    assert "sole" in [p["id"] for p in selection.passages]


def test_many_tiny_passages_do_not_crowd_out_a_useful_one() -> None:
    tiny = [passage(f"t{at}", f"Ferry {at}.", 0.9) for at in range(12)]
    useful = passage(
        "useful", "The Brell ferry leaves Tarn pier at 07:40 and takes 35 minutes.", 0.8
    )
    selection = select([*tiny, useful], "When does the Brell ferry leave Tarn pier?", 70)

    assert "useful" in [p["id"] for p in selection.passages]


def test_the_second_hop_is_found_through_a_title_that_the_first_names() -> None:
    hop = [
        passage("river", "The Bubye River is a tributary in Zimbabwe.", 0.9, title="Bubye River"),
        passage("other", "Tully Falls is a waterfall of Oz.", 0.2, title="Tully Falls"),
        passage("zim", "Its best known sight is Victoria Falls.", 0.1, title="Zimbabwe"),
    ]
    question = "What is the name of the waterfall in the country of the Bubye River?"
    selection = select(hop, question, 80)

    assert {p["id"] for p in selection.passages} >= {"river", "zim"}


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("score", ["a2", "b1", "a1", "b2"]),
        ("document", ["a1", "a2", "b1", "b2"]),
        ("edges", ["a2", "a1", "b2", "b1"]),
    ],
)
def test_the_order_of_the_context_is_what_was_asked_for(order: Any, expected: list[str]) -> None:
    rows = [
        passage("a1", "First red.", 0.5, document_id="a", start=0, end=10),
        passage("a2", "Second blue.", 0.9, document_id="a", start=50, end=62),
        passage("b1", "Third green.", 0.7, document_id="b", start=0, end=12),
        passage("b2", "Fourth pink.", 0.3, document_id="b", start=90, end=102),
    ]
    selection = select(rows, "colours", 500, selector="score", order=order)

    assert [p["id"] for p in selection.passages] == expected


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"budget": -1}, "budget of -1"),
        ({"selector": "best"}, "no selector 'best'"),
        ({"order": "random"}, "no order 'random'"),
        ({"layers": ("fuzzy",)}, "no layer 'fuzzy'"),
        ({"mmr_lambda": 1.5}, "mmr_lambda is 1.5"),
        ({"candidates": [{"id": "x"}]}, "needs an id and a text"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(changes: dict[str, Any], says: str) -> None:
    call: dict[str, Any] = {"candidates": FERRY, "question": "q", "budget": 10} | changes

    with pytest.raises(SettingsError, match=says):
        select(**call)


def test_the_given_counter_is_the_one_that_holds_the_ceiling() -> None:
    selection = select(FERRY, "When does the Brell ferry leave?", 100, count_tokens=len)

    assert selection.tokens == len(format_context(selection.passages)) <= 100


@pytest.mark.parametrize(
    ("question", "about", "answer", "other"),
    [
        (
            "What is the Tarn ferry known for?",
            "The Tarn ferry is a ferry on the Tarn. The Tarn ferry was built in the last century. ",
            "Visitors come from afar for its brass band. ",
            "A ferry is a boat that carries people over water. ",
        ),
        (
            "塔恩渡轮以什么闻名？",
            "塔恩渡轮是塔恩河上的一艘渡轮。塔恩渡轮建于上个世纪。",
            "游客远道而来是为了听它的铜管乐队。",
            "渡轮是载人渡水的船只。",
        ),
    ],
    ids=["English", "Chinese"],
)
def test_the_best_passage_is_not_halved_for_passages_that_add_next_to_nothing(
    question: str, about: str, answer: str, other: str
) -> None:
    filler = [f"{other[:-1].rstrip('.。')} {at}. " for at in range(40)]
    best = {"id": "best", "text": about * 5 + answer * 12, "score": 0.9}
    weak = [
        {"id": f"weak{at}", "text": "".join(filler[at * 10 : at * 10 + 10]), "score": 0.05}
        for at in range(4)
    ]
    whole = count_tokens(format_context([best]))

    selection = select([best, *weak], question, int(1.5 * whole), selector="coverage")

    assert selection.passages[0]["text"] == best["text"]
    assert "best" not in selection.trimmed
