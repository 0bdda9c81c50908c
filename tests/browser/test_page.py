"""The page of `ragloop serve` in headless Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from loopback import Loopback
from small_graph import NOTES, QUESTION, compiled, document

from ragloop.graph.settings import Settings, preset
from ragloop.stores.memory import MemoryStore

sync_api = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
pytest.importorskip("uvicorn", reason="needs the extra `serve`")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("Chromium is not installed", allow_module_level=True)

from serving import served, until  # noqa: E402  after what may skip this file

from ragloop.cli.web.app import Service  # noqa: E402

HACK = "window.hacked=1"
MADE_OF_MARKUP = (
    "main img, main a, main b[onmouseover], dialog img, dialog a, main script, dialog script"
)
EVIL_NAME = f"<img src=x onerror={HACK}>"
EVIL = (
    f"The opal gate of Vonn opens at 06:15 <img src=x onerror='{HACK}'> and "
    f"[closes](javascript:{HACK}) at dusk. <script>{HACK}</script> "
    f"<a href='javascript:{HACK}'>It</a> <b onmouseover='{HACK}'>is</b> blue."
)
FERRY = "青石渡口的早班船在七点四十分开出，航程三十五分钟。"


def store() -> MemoryStore:
    """The four notes, one full of markup, and one in Chinese."""
    made = MemoryStore()
    made.add_documents([document(name, text) for name, text in NOTES.items()])
    evil = {**document(EVIL_NAME, EVIL), "title": f"<script>{HACK}</script>"}
    made.add_documents([evil, document("渡口", FERRY)])
    return made


def service(settings: Settings) -> Service:
    documents = store()
    return Service(compiled(None, settings, passages=documents), documents, settings)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(service(preset("loop"))) as at:
        yield at


@pytest.fixture
def opened(chromium: Any, address: str, request: Any) -> Iterator[Any]:
    """The page in a window of its own; an error in its script fails the test."""
    how = {"locale": "en-US", **getattr(request, "param", {})}
    context = chromium.new_context(**how)
    page = context.new_page()
    errors: list[Any] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.goto(address)
    yield page
    context.close()
    assert errors == []


def ask(page: Any, question: str) -> None:
    """Write a question and press Enter; wait for the whole answer."""
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.wait_for_selector("#outcome:not([hidden])")


def test_a_question_gives_an_answer_its_path_and_its_cost(opened: Any) -> None:
    ask(opened, QUESTION)

    assert "31 metres" in opened.inner_text("#text")
    assert opened.inner_text("#path li:first-child b") == "Restate the question"
    assert opened.inner_text("#path > li:last-child").startswith("good enough")
    assert "0 model calls" in opened.inner_text("#cost")


def test_a_marker_opens_the_passage_in_its_place_and_escape_goes_back(opened: Any) -> None:
    ask(opened, QUESTION)

    opened.click("#text button")
    marked = opened.inner_text("dialog[open] mark")
    opened.keyboard.press("Escape")

    assert "31 metres deep" in marked
    assert opened.query_selector("dialog[open]") is None
    assert opened.evaluate("document.activeElement.textContent") == "[1]"


def test_everything_works_with_the_keyboard_alone(opened: Any) -> None:
    opened.keyboard.type(QUESTION)
    opened.keyboard.press("Enter")
    opened.wait_for_selector("#outcome:not([hidden])")
    for _ in range(10):
        opened.keyboard.press("Tab")
        if opened.evaluate("document.activeElement.textContent") == "[1]":
            break
    opened.keyboard.press("Enter")

    assert "31 metres" in opened.inner_text("dialog[open] mark")


def test_markup_in_a_document_a_title_and_a_file_name_does_nothing(opened: Any) -> None:
    ask(opened, "When does the opal gate of Vonn open?")
    opened.click("#text button")
    opened.wait_for_selector("dialog[open]")
    for fold in opened.query_selector_all("summary"):
        fold.evaluate("fold => fold.parentElement.open = true")
    opened.wait_for_timeout(200)

    assert "<img src=x" in opened.inner_text("#passage-text")
    assert "<script>" in opened.inner_text("#passage-title")
    assert opened.evaluate("window.hacked") is None
    assert opened.query_selector_all(MADE_OF_MARKUP) == []


def test_markup_in_what_a_model_says_does_nothing(chromium: Any) -> None:
    said = f"It <img src=x onerror='{HACK}'> is 31 metres [a](javascript:{HACK}) deep. [1]"
    with Loopback({"writer": [f"{said} <script>{HACK}</script>"]}) as models:
        made = service(preset("plain", base_url=models.url, model="writer", structured="text"))
        with served(made) as at:
            page = chromium.new_page(locale="en-US")
            page.goto(at)
            ask(page, QUESTION)
            shown, hacked = page.inner_text("#text"), page.evaluate("window.hacked")
            found = page.query_selector_all(MADE_OF_MARKUP)
            page.close()

    assert "<img src=x" in shown and "<script>" in shown
    assert hacked is None
    assert found == []


@pytest.mark.parametrize("opened", [{"locale": "zh-CN"}], indirect=True)
def test_the_page_speaks_chinese_to_who_reads_it(opened: Any) -> None:
    ask(opened, "青石渡口的早班船几点开出？")

    assert opened.inner_text("#send") == "提问"
    assert "七点四十分" in opened.inner_text("#text")
    assert opened.inner_text("#path li:first-child b") == "理解问题"
    assert opened.evaluate("document.documentElement.lang") == "zh-CN"


def test_the_language_can_be_changed_with_an_answer_on_the_page(opened: Any) -> None:
    ask(opened, QUESTION)

    opened.click("#language")

    assert opened.inner_text("#outcome") == "已回答"
    assert opened.inner_text("#path li:first-child b") == "理解问题"


PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.mark.parametrize("opened", [PHONE, {**PHONE, "color_scheme": "dark"}], indirect=True)
def test_at_phone_width_nothing_sticks_out(opened: Any) -> None:
    ask(opened, "When does the opal gate of Vonn open?")
    wide = opened.evaluate("document.documentElement.scrollWidth")
    opened.click("#text button")

    assert wide <= 360
    assert opened.evaluate("document.querySelector('dialog').scrollWidth") <= 360


def test_a_second_question_is_asked_in_the_same_conversation(opened: Any) -> None:
    ask(opened, "What is the Rask kiln fired to?")
    with opened.expect_request("**/ask") as sent:
        ask(opened, "How long does it cool?")

    assert [one["role"] for one in sent.value.post_data_json["messages"]] == [
        "user",
        "assistant",
        "user",
    ]
    assert "Rask" in opened.inner_text("#asked")


def test_words_show_before_the_answer_is_whole_and_stop_ends_the_call(chromium: Any) -> None:
    written = {"stream": ["It is ", "31 metres ", "deep. [1]"], "gap_s": 30}
    with Loopback({"writer": [written]}) as models:
        made = service(preset("plain", base_url=models.url, model="writer", structured="text"))
        with served(made) as at:
            page = chromium.new_page(locale="en-US")
            page.goto(at)
            page.fill("#question", QUESTION)
            page.press("#question", "Enter")
            sync_api.expect(page.locator("#text")).to_contain_text("It is")
            page.click("#send")
            sync_api.expect(page.locator("#status")).to_have_text("Stopped.")
            shown = page.inner_text("#text")
            until(lambda: made.running == 0)
            page.close()

    assert shown.startswith("It is")
    assert models.calls() == 1


def test_a_server_that_goes_away_leaves_no_whole_answer(chromium: Any) -> None:
    written = {"stream": ["It is ", "31 metres ", "deep. [1]"], "gap_s": 30}
    with Loopback({"writer": [written]}) as models:
        made = service(preset("plain", base_url=models.url, model="writer", structured="text"))
        page = chromium.new_page(locale="en-US")
        with served(made) as at:
            page.goto(at)
            page.fill("#question", QUESTION)
            page.press("#question", "Enter")
            sync_api.expect(page.locator("#text")).to_contain_text("It is")
        sync_api.expect(page.locator("#status.failed")).to_be_visible()
        status, outcome = page.inner_text("#status"), page.query_selector("#outcome[hidden]")
        page.close()

    assert "not whole" in status
    assert outcome is not None
