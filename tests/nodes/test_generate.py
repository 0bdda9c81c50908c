"""Several drafts at once, second drafts, and what passes for an answer: through the graph."""

from __future__ import annotations

from typing import Any

import pytest
from loopback import Loopback
from scripted import ScriptedModel
from small_graph import QUESTION, compiled, offline, store_of

from ragloop.graph.settings import Settings
from ragloop.nodes.writers.language import in_another_language

DRAFTS = ["It is 31 metres deep. [1]", "It is 90 metres deep. [1]", "It is deep, made of gold. [1]"]


def judged_by_words(*good: str) -> Any:
    """A judge of support that likes statements with any of some words."""

    def judge(prompt: str) -> str:
        statement = prompt.rsplit("<sentence>", 1)[-1]
        return "full" if any(word in statement for word in good) else "none"

    return judge


def settings(**changes: Any) -> Settings:
    return offline(remedies=(), refine="off", **changes)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_of_several_drafts_the_best_supported_is_kept_wherever_it_comes(
    order: tuple[int, ...],
) -> None:
    model = ScriptedModel(
        script={
            "generate": [DRAFTS[at] for at in order],
            "check_grounding": judged_by_words("31"),
        }
    )
    app = compiled(model, settings(candidates=3))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["text"] == DRAFTS[0]


def test_of_equally_supported_drafts_the_most_useful_is_kept() -> None:
    model = ScriptedModel(
        script={
            "generate": ["The well is at Orsa. [1]", "It is 31 metres deep. [1]"],
            "check_usefulness": lambda prompt: "5" if "31 metres" in prompt else "2",
        }
    )
    app = compiled(model, settings(candidates=2))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["text"], answer["usefulness"]) == ("It is 31 metres deep. [1]", 5)


def test_the_checks_of_the_kept_draft_are_not_paid_twice() -> None:
    model = ScriptedModel(script={"generate": [*DRAFTS]})
    app = compiled(model, settings(candidates=3))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (model.calls["check_grounding"], model.calls["check_usefulness"]) == (3, 3)
    assert [said["how"] for said in answer["grounding"]] == ["label"]


def test_drafts_that_are_the_same_are_checked_once() -> None:
    model = ScriptedModel(script={"generate": DRAFTS[0]})
    app = compiled(model, settings(candidates=3))

    app.invoke({"question": QUESTION})

    assert (model.calls["generate"], model.calls["check_grounding"]) == (3, 1)


def test_where_calls_are_short_the_offline_judge_ranks_and_the_limit_holds() -> None:
    model = ScriptedModel(script={"generate": [*DRAFTS], "check_grounding": "full"})
    app = compiled(model, settings(candidates=3, max_calls=9, k=4))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert answer["text"] == DRAFTS[0]
    assert model.calls["check_grounding"] == 1
    assert answer["spent"]["calls"] <= 9


def test_a_draft_that_declines_gives_way_to_one_that_answers() -> None:
    declines = {"answerable": False, "answer": "", "missing": "the depth"}
    model = ScriptedModel(script={"generate": [declines, declines, DRAFTS[0]]})
    app = compiled(model, settings(candidates=3))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["outcome"], answer["text"]) == ("answered", DRAFTS[0])


def test_several_drafts_are_asked_for_at_a_temperature_that_lets_them_differ() -> None:
    with Loopback({"writer": DRAFTS}) as server:
        app = compiled(None, settings(candidates=3, models={"generate": "writer"},
                                      base_url=server.url))  # fmt: skip
        app.invoke({"question": QUESTION})

        sent = [body["temperature"] for body in server.chats("writer")]

    assert len(sent) == 3
    assert min(sent) >= 0.7


def test_one_draft_is_asked_for_at_the_temperature_that_is_set() -> None:
    with Loopback({"writer": DRAFTS}) as server:
        app = compiled(None, settings(models={"generate": "writer"}, base_url=server.url))
        app.invoke({"question": QUESTION})

        sent = [body["temperature"] for body in server.chats("writer")]

    assert sent == [0.0]


def test_a_temperature_that_is_never_sent_is_not_sent_for_drafts_either() -> None:
    with Loopback({"writer": DRAFTS}) as server:
        models = {"generate": "writer"}
        unset = settings(candidates=2, temperature=None, models=models, base_url=server.url)
        app = compiled(None, unset)
        app.invoke({"question": QUESTION})

        sent = [body.get("temperature") for body in server.chats("writer")]

    assert sent == [None, None]


def test_a_draft_with_an_unsupported_sentence_is_written_again_with_another_prompt() -> None:
    model = ScriptedModel(
        script={
            "generate": ["It is 90 metres deep. [1]", "It is 31 metres deep. [1]"],
            "check_grounding": judged_by_words("31"),
        }
    )
    app = compiled(model, settings(unsupported="regenerate"))

    answer = app.invoke({"question": QUESTION})["answer"]

    prompts = [prompt for node, prompt in model.asked if node == "generate"]
    assert "It is 90 metres deep." in prompts[1]
    assert (answer["text"], answer["outcome"]) == ("It is 31 metres deep. [1]", "answered")


def test_no_prompt_comes_twice_and_max_drafts_is_the_most() -> None:
    model = ScriptedModel(script={"generate": "It is 90 metres deep. [1]"})
    model.script["check_grounding"] = "none"
    app = compiled(model, settings(unsupported="regenerate", max_drafts=4))

    answer = app.invoke({"question": QUESTION})["answer"]

    prompts = [prompt for node, prompt in model.asked if node == "generate"]
    assert len(prompts) == len(set(prompts)) == 4
    assert (answer["outcome"], answer["refused_because"]) == ("refused", "unsupported")


def test_the_best_draft_is_kept_and_not_the_last() -> None:
    model = ScriptedModel(
        script={
            "generate": [
                "It is 31 metres deep. [1] It is of gold. [1]",
                "It is of gold. [1]",
            ],
            "check_grounding": judged_by_words("31"),
        }
    )
    app = compiled(model, settings(unsupported="regenerate"))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["text"], answer["outcome"]) == ("It is 31 metres deep. [1]", "partial")
    assert answer["corrections"] == ["Removed, not borne out by the sources: It is of gold."]


def test_with_the_mark_policy_the_sentence_stays_and_says_so() -> None:
    model = ScriptedModel(
        script={
            "generate": "It is 31 metres deep. [1] It is of gold. [1]",
            "check_grounding": judged_by_words("31"),
        }
    )
    app = compiled(model, settings(unsupported="mark"))

    answer = app.invoke({"question": QUESTION})["answer"]

    assert "It is of gold. [1] (not borne out by the sources)" in answer["text"]
    assert answer["outcome"] == "partial"


@pytest.mark.parametrize(
    ("question", "missing", "says"),
    [
        (QUESTION, "who dug it", "Missing: who dug it."),
        ("奥尔萨的井有多深，是谁挖的？", "谁挖的", "缺少：谁挖的。"),
    ],
    ids=["English", "Chinese"],
)
def test_a_partial_answer_says_which_part_is_open(question: str, missing: str, says: str) -> None:
    reply = {"answerable": True, "answer": "31. [1]", "missing": missing}
    notes = store_of({"en": "The well at Orsa is 31 metres deep.", "zh": "奥尔萨的井深31米。"})
    app = compiled(ScriptedModel(script={"generate": reply}), settings(), passages=notes)

    answer = app.invoke({"question": question})["answer"]

    assert (answer["outcome"], answer["missing"]) == ("partial", missing)
    assert answer["text"] == f"31. [1]\n\n{says}"


@pytest.mark.parametrize("nothing", ["", "none", "Nothing.", "N/A", "无", "没有。"])
def test_a_model_that_says_nothing_is_missing_has_answered(nothing: str) -> None:
    reply = {"answerable": True, "answer": "31 metres. [1]", "missing": nothing}
    app = compiled(ScriptedModel(script={"generate": reply}), settings())

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["outcome"], answer["text"]) == ("answered", "31 metres. [1]")


@pytest.mark.parametrize(
    ("note", "question", "text"),
    [
        (
            "The Brell quiz has 200 items, of which 50 are unanswerable questions.",
            "How many unanswerable questions has the Brell quiz?",
            "The Brell quiz has 50 unanswerable questions.",
        ),
        (
            "The Brell choir opens with the song 'I Don't Know'.",
            "Which song does the Brell choir open with?",
            "It opens with 'I Don't Know'.",
        ),
        (
            "The kiln cannot be opened before it has cooled for two days.",
            "When can the kiln be opened?",
            "It cannot be opened before two days have passed.",
        ),
        ("窑要冷却两天，之前不能打开。", "窑什么时候可以打开？", "两天之内不能打开。"),
    ],
    ids=["unanswerable", "I Don't Know", "cannot", "Chinese"],
)
def test_words_that_sound_like_a_refusal_are_an_answer(note: str, question: str, text: str) -> None:
    model = ScriptedModel(script={"generate": text, "read_whole_document": "WRONG PATH"})
    app = compiled(model, offline(), passages=store_of({"note": note}))

    answer = app.invoke({"question": question})["answer"]

    assert (answer["text"], answer["outcome"]) == (text, "answered")
    assert (model.calls["read_whole_document"], model.calls["rewrite_query"]) == (0, 0)


@pytest.mark.parametrize(
    ("reply", "because", "warned"),
    [
        ({"content": None, "refusal": "I can't assist."}, "refused", "refused"),
        ({"content": ""}, "empty", "empty"),
        ({"content": "It is 31", "finish_reason": "length"}, "cut off", "cut off"),
    ],
    ids=["the model's own refusal", "empty", "cut off"],
)
def test_three_replies_that_are_no_answer_are_told_apart(
    reply: dict[str, Any], because: str, warned: str
) -> None:
    with Loopback({"writer": [reply]}) as server:
        app = compiled(None, settings(models={"generate": "writer"}, base_url=server.url))

        answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["outcome"], answer["refused_because"]) == ("refused", because)
    assert any(warned in line for line in answer["warnings"])
    assert "sources do not answer" not in answer["text"]


@pytest.mark.parametrize("switch", [True, False])
def test_only_the_sources_is_a_switch(switch: bool) -> None:
    model = ScriptedModel()
    app = compiled(model, settings(only_sources=switch))

    app.invoke({"question": QUESTION})

    prompt = next(text for _, text in model.asked if text.startswith("Answer the question from"))
    assert ("nothing else" in prompt) is switch


SAYS_NO = [
    pytest.param(QUESTION, "The well at Orsa is 31 metres deep. [1]", "answered", id="in them"),
    pytest.param("奥尔萨的井有多深？", "奥尔萨的井深31米。[1]", "answered", id="in them, Chinese"),
    pytest.param(QUESTION, "The well at Orsa is 90 metres deep. [1]", "refused", id="made up"),
    pytest.param("奥尔萨的井有多深？", "奥尔萨的井深90米。[1]", "refused", id="made up, Chinese"),
    pytest.param(
        QUESTION, "The keeper at Orsa paints it white. [1]", "refused", id="off the point"
    ),
]


@pytest.mark.parametrize(("question", "text", "outcome"), SAYS_NO)
def test_an_answer_beside_answerable_false_counts_when_the_passages_hold_it(
    question: str, text: str, outcome: str
) -> None:
    notes = store_of(
        {
            "en": "The well at Orsa is 31 metres deep. The keeper at Orsa paints it white.",
            "zh": "奥尔萨的井深31米。",
        }
    )
    reply = {"answerable": False, "answer": text, "missing": ""}
    app = compiled(ScriptedModel(script={"generate": reply}), settings(), passages=notes)

    answer = app.invoke({"question": question})["answer"]

    assert answer["outcome"] == outcome
    kept = any("said that the sources do not answer" in line for line in answer["warnings"])
    assert kept is (outcome == "answered")
    assert (answer["text"] == text) is (outcome == "answered")


def test_what_a_model_names_as_missing_is_believed() -> None:
    reply = {"answerable": False, "answer": "The well at Orsa.", "missing": "how deep it is"}
    app = compiled(ScriptedModel(script={"generate": reply}), settings())

    answer = app.invoke({"question": QUESTION})["answer"]

    assert (answer["outcome"], answer["missing"]) == ("refused", "how deep it is")


ABROAD = {
    "en": "The well at Orsa was dug in 1893 by the Falk brothers and is 31 metres deep.",
    "zh": "奥尔萨的井由法尔克兄弟于1893年开挖，深31米。",
}
IN_ENGLISH = "The well at Orsa is 31 metres deep and was dug in 1893 by the Falk brothers. [1]"
IN_CHINESE = "奥尔萨的井深31米，由法尔克兄弟于1893年开挖。[1]"
ACROSS = [
    pytest.param("en", "奥尔萨的井有多深，是谁挖的？", IN_CHINESE, id="Chinese from English"),
    pytest.param("zh", "How deep is the well at Orsa?", IN_ENGLISH, id="English from Chinese"),
]


@pytest.mark.parametrize(("source", "question", "text"), ACROSS)
def test_the_answer_is_in_the_language_of_the_question_whatever_the_sources_are_in(
    source: str, question: str, text: str
) -> None:
    reply = {"answerable": True, "answer": text}
    model = ScriptedModel(script={"generate": reply, "check_grounding": "full"})
    app = compiled(model, settings(), passages=store_of({"well": ABROAD[source]}))

    answer = app.invoke({"question": question})["answer"]

    assert (answer["text"], answer["outcome"]) == (text, "answered")
    assert [cited["quote"] for cited in answer["citations"]] == [ABROAD[source]]


@pytest.mark.parametrize(("source", "question", "text"), ACROSS)
def test_a_changed_figure_is_named_across_languages(source: str, question: str, text: str) -> None:
    reply = {"answerable": True, "answer": text.replace("1893", "1839")}
    model = ScriptedModel(script={"generate": reply, "check_grounding": "full"})
    app = compiled(model, settings(), passages=store_of({"well": ABROAD[source]}))

    answer = app.invoke({"question": question})["answer"]

    assert answer["outcome"] == "refused"
    assert "1839" in answer["missing"]


@pytest.mark.parametrize(("source", "question", "text"), ACROSS)
def test_a_draft_in_another_language_is_written_again_once(
    source: str, question: str, text: str
) -> None:
    wrong = IN_ENGLISH if text == IN_CHINESE else IN_CHINESE
    drafts = [{"answerable": True, "answer": wrong}, {"answerable": True, "answer": text}]
    model = ScriptedModel(script={"generate": drafts, "check_grounding": "full"})
    app = compiled(model, settings(), passages=store_of({"well": ABROAD[source]}))

    answer = app.invoke({"question": question})["answer"]

    assert (answer["text"], model.calls["generate"]) == (text, 2)
    again = [prompt for node, prompt in model.asked if node == "generate"][1]
    assert ("请用中文回答" in again) == (text == IN_CHINESE)


def test_an_answer_that_stays_in_another_language_is_given_with_a_warning() -> None:
    reply = {"answerable": True, "answer": IN_ENGLISH}
    model = ScriptedModel(script={"generate": reply, "check_grounding": "full"})
    app = compiled(model, settings(), passages=store_of({"well": ABROAD["en"]}))

    answer = app.invoke({"question": "奥尔萨的井有多深？"})["answer"]

    assert (answer["text"], answer["outcome"]) == (IN_ENGLISH, "answered")
    assert model.calls["generate"] == 2
    assert any("language of the question" in line for line in answer["warnings"])


@pytest.mark.parametrize(
    ("text", "question", "wrong"),
    [
        ("FastAPI", "用的是哪个框架？", False),
        ("The Lord of the Rings", "他写了哪本书？", False),
        ("它在文中说：“the well is as deep as the old mill is high”", "井有多深？", False),
        ("红楼梦", "Which novel is it?", False),
        ("The source says: “奥尔萨的井由法尔克兄弟于1893年开挖。”", "Who dug it?", False),
        ("it was dug by the two brothers in the spring", "谁挖的？", True),
        ("这口井是两兄弟在春天挖的。", "Who dug the well?", True),
        ("这口井是两兄弟在春天挖的。", "Who dug the well? Reply in Chinese.", False),
        ("it was dug by the two brothers in the spring", "谁挖的？请用英文回答。", False),
        ("C'est le plus profond des puits de la ville.", "How deep is the well?", False),
    ],
)
def test_names_and_quotes_are_no_other_language(text: str, question: str, wrong: bool) -> None:
    assert in_another_language(text, question) is wrong


@pytest.mark.parametrize(
    ("source", "question", "frame"),
    [
        (ABROAD["en"], "Orsa的井有多深？", "来源写道："),
        ("Orsa 的井深 31 米，开挖于 1893 年。", "How deep is the Orsa well?", "The source says: "),
    ],
    ids=["English source", "Chinese source"],
)
def test_offline_a_source_in_another_language_is_quoted_and_borne_out(
    source: str, question: str, frame: str
) -> None:
    app = compiled(None, offline(), passages=store_of({"well": source}))

    answer = app.invoke({"question": question})["answer"]

    assert answer["text"].startswith(f"{frame}“{source}”")
    assert [said["verdict"] for said in answer["grounding"]] == ["full"]


@pytest.mark.parametrize(
    ("question", "text"),
    [(QUESTION, "31 metres. [1]"), ("奥尔萨的井有多深？", "31米。[1]")],
    ids=["English", "Chinese"],
)
def test_a_short_answer_is_checked_as_the_answer_to_its_question(question: str, text: str) -> None:
    def judge(prompt: str) -> str:
        return "full" if question in prompt.partition("<context>")[2] else "none"

    model = ScriptedModel(script={"generate": text, "check_grounding": judge})
    notes = store_of({"en": "The well at Orsa is 31 metres deep.", "zh": "奥尔萨的井深31米。"})

    answer = compiled(model, settings(), passages=notes).invoke({"question": question})["answer"]

    assert (answer["outcome"], answer["text"]) == ("answered", text)
