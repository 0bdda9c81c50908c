"""Whole documents: which, whether they fit, and when reading them is pointless."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import ScriptedModel
from small_graph import NOTES, QUESTION, compiled, document, run_of, state_of, store_of

from ragloop.graph.settings import Settings, preset
from ragloop.nodes.whole import adds_nothing, around_hits, named_in, packed, room_for, wanted
from ragloop.stores.memory import MemoryStore
from ragloop.stores.passage import Passage
from ragloop.stores.tokens import count_tokens

UNANSWERABLE = {"answerable": False, "answer": "", "missing": "the depth"}
LONG = " ".join(f"Line {n} of the log says nothing of interest." for n in range(900))
LOG = f"{LONG} The mark is 4417. {LONG}"


def hit(name: str, start: int = 0, end: int = 10, **more: Any) -> Passage:
    made = {"id": f"{name}#0", "document_id": name, "text": "x", "start": start, "end": end}
    return {**made, **more}  # type: ignore[typeddict-item]


def test_documents_of_the_best_passages_come_first() -> None:
    state = state_of(kept=[hit("b")], found=[hit("a"), hit("b")])

    assert wanted(state, Settings()) == ("b", "a")


def test_what_was_found_elsewhere_has_no_document_to_read() -> None:
    state = state_of(kept=[hit("web", metadata={"origin": "elsewhere"}), hit("a")])

    assert wanted(state, Settings()) == ("a",)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        pytest.param("What does the mill-report say?", ["docs/mill_report.md"], id="file name"),
        pytest.param("Summarise docs/mill_report.md", ["docs/mill_report.md"], id="id"),
        pytest.param("What is in Kiln Rules?", ["k1"], id="title"),
        pytest.param("水井手册里说了什么？", ["水井手册"], id="Chinese"),
        pytest.param("What is in it?", [], id="none"),
    ],
)
def test_a_question_names_documents_by_title_id_or_file_name(
    question: str, named: list[str]
) -> None:
    ids = ["docs/mill_report.md", "k1", "水井手册"]

    assert named_in(question, ids, {"k1": "Kiln Rules"}) == named


@pytest.mark.parametrize(
    ("policy", "read"),
    [
        pytest.param("named", ("kiln",), id="named"),
        pytest.param("corpus", ("well", "kiln", "mill"), id="corpus"),
        pytest.param("hits", ("well",), id="hits"),
    ],
)
def test_the_setting_says_which_documents_are_meant(policy: Any, read: tuple[str, ...]) -> None:
    state = state_of(kept=[hit("well")], question="What does the kiln sheet say?")

    assert wanted(state, Settings(whole_document=policy), ["kiln", "mill", "well"]) == read


def test_documents_are_packed_best_first_while_they_fit() -> None:
    documents = [document("a", "one two three."), document("b", LONG)]

    read, over = packed(documents, [hit("a")], 100, run_of())

    assert ([d["id"] for d in read], over) == (["a"], True)


@pytest.mark.parametrize("room", [50, 333, 1000, 5000])
def test_of_a_document_that_does_not_fit_a_stretch_around_the_hit_is_read(room: int) -> None:
    start = LOG.index("The mark")
    found = hit("log", start, start + 17)

    part = around_hits(document("log", LOG), [found], room, run_of())

    assert part is not None
    offset = part["metadata"]["part_start"]
    assert "The mark is 4417." in part["text"]
    assert LOG[offset : offset + len(part["text"])] == part["text"]
    assert count_tokens(part["text"]) <= room


def test_without_a_hit_or_without_room_there_is_no_part() -> None:
    assert around_hits(document("log", LOG), [hit("other")], 500, run_of()) is None
    assert around_hits(document("log", LOG), [hit("log", 0, 5000)], 20, run_of()) is None


@pytest.mark.parametrize(
    ("spans", "nothing"),
    [
        pytest.param([(0, 12), (12, 24)], True, id="all of it was read"),
        pytest.param([(0, 11), (12, 24)], True, id="all but white space"),
        pytest.param([(0, 24)], False, id="one passage is read again by the reader"),
        pytest.param([(0, 6), (6, 12)], False, id="the end is new"),
        pytest.param([(12, 24)], False, id="the beginning is new"),
        pytest.param([(0, 5), (12, 24)], False, id="the middle is new"),
        pytest.param([], False, id="all of it is new"),
    ],
)
def test_a_document_that_the_passages_hold_adds_nothing(
    spans: list[tuple[int, int]], nothing: bool
) -> None:
    text = "Eleven char\nand then 11."

    used = [hit("d", start, end) for start, end in spans]

    assert adds_nothing([document("d", text)], used) is nothing


def test_no_call_is_made_when_nothing_new_would_be_read() -> None:
    model = ScriptedModel(script={"generate": UNANSWERABLE})
    store = MemoryStore(words=8)
    text = "The well at Orsa is old. It was dug by hand. Nobody knows how deep the well at Orsa is."
    store.add_documents([document("well", text)])
    app = compiled(model, preset("self_route", k=4), passages=store)

    answer = app.invoke({"question": QUESTION})["answer"]

    assert len(store) > 1
    assert model.calls["read_whole_document"] == 0
    assert answer["outcome"] == "refused"


def log_and_notes() -> MemoryStore:
    return store_of({**NOTES, "well": f"The well at Orsa is old. {LOG}"})


def test_one_call_answers_when_the_passages_do() -> None:
    model = ScriptedModel(script={"generate": "It is 31 metres deep. [1]"})
    app = compiled(model, preset("self_route"))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert sum(model.calls.values()) == 1
    assert answer["route"] == "passages"


def test_an_unanswerable_question_reads_the_document_of_the_best_passage() -> None:
    model = ScriptedModel(
        script={"generate": UNANSWERABLE, "read_whole_document": "The mark is 4417. [1]"}
    )
    app = compiled(
        model, preset("self_route", k=2, context_window=40_000), passages=log_and_notes()
    )

    answer = app.invoke({"question": "What is the mark of the well at Orsa?"})["answer"]

    assert (answer["route"], answer["over_window"]) == ("whole_document", False)
    assert "4417" in answer["text"]


def test_a_document_over_the_window_is_read_in_part_and_said_so() -> None:
    model = ScriptedModel(
        script={"generate": UNANSWERABLE, "read_whole_document": "The mark is 4417. [1]"}
    )
    settings = preset("self_route", k=2, context_window=4_000)
    app = compiled(model, settings, passages=log_and_notes())

    answer = app.invoke({"question": "What is the mark of the well at Orsa?"})["answer"]

    prompts = [prompt for node, prompt in model.asked if node == "read_whole_document"]
    assert answer["over_window"]
    assert len(prompts) == 1
    assert count_tokens(prompts[0]) <= 4_000


def test_the_filter_holds_for_whole_documents() -> None:
    store = MemoryStore()
    store.add_documents(
        [
            document("mine", f"The well at Orsa is old. {LONG}", tenant="a"),
            document("theirs", f"The well at Orsa has the secret 9921. {LONG}", tenant="b"),
        ]
    )
    model = ScriptedModel(script={"generate": UNANSWERABLE})
    settings = preset("self_route", context_window=40_000, whole_document="corpus")
    app = compiled(model, settings, passages=store)

    app.invoke({"question": QUESTION, "where": {"tenant": "a"}})

    assert model.calls["read_whole_document"] == 1
    assert all("9921" not in prompt for _, prompt in model.asked)


@pytest.mark.parametrize(
    ("question", "window", "route"),
    [
        pytest.param("Summarise the well document.", 40_000, "whole_document", id="whole text"),
        pytest.param("What is the mark of the well?", 40_000, "passages", id="a single fact"),
        pytest.param("Summarise the well document.", 2_000, "passages", id="over the window"),
    ],
)
def test_light_facts_settle_the_way_before_any_search(
    question: str, window: int, route: str
) -> None:
    model = ScriptedModel(script={"generate": "The mark. [1]", "read_whole_document": "All. [1]"})
    settings = preset("self_route", pre_route="facts", context_window=window)
    app = compiled(model, settings, passages=log_and_notes())

    answer = app.invoke({"question": question})["answer"]

    assert answer["route"] == route
    assert sum(model.calls.values()) == 1  # the way costs no call


def test_the_whole_document_preset_reads_before_it_searches_for_passages() -> None:
    model = ScriptedModel(script={"read_whole_document": "It is 31 metres deep. [1]"})
    app = compiled(model, preset("whole_document"))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert model.calls["generate"] == 0
    assert answer["route"] == "whole_document"


def test_the_predicted_ratio_is_passages_over_document_plus_the_fallback() -> None:
    store = log_and_notes()
    whole = count_tokens(store.read("well")["text"])
    model = ScriptedModel(
        script={"generate": UNANSWERABLE, "read_whole_document": "The mark is 4417. [1]"}
    )
    app = compiled(model, preset("self_route", k=1, context_window=40_000), passages=store)

    answer = app.invoke({"question": "What is the mark of the well at Orsa?"})["answer"]

    passages = answer["selection"]["tokens"]
    assert answer["token_ratio"]["predicted"] == pytest.approx(passages / whole + 1, abs=1e-4)
    assert answer["token_ratio"]["actual"] > answer["token_ratio"]["predicted"]


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        pytest.param("What is the mark in the log?", 0, id="passages"),
        pytest.param("Which planet has rings of ice?", 1, id="and the whole document"),
    ],
)
def test_without_a_model_the_formula_agrees_with_the_count(question: str, whole: int) -> None:
    store = store_of({"log": LOG})
    app = compiled(settings=preset("self_route", k=2, context_window=40_000), passages=store)

    ratio = app.invoke({"question": question})["answer"]["token_ratio"]

    assert ratio["predicted"] == ratio["actual"]
    assert whole < ratio["predicted"] < whole + 1


def test_room_is_what_prompt_answer_and_question_leave() -> None:
    state, run = state_of(), run_of(Settings(context_window=1_000, answer_tokens=100))

    assert room_for(state, run) == 1_000 - 400 - 100 - count_tokens(QUESTION)
