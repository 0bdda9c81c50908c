"""`ragloop serve` over real HTTP: who may ask, what comes back, and what ends with its client."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from loopback import Loopback
from small_graph import QUESTION, compiled, store_of

from ragloop.graph.settings import Settings, preset

pytest.importorskip("uvicorn", reason="needs the extra `serve`")

from serving import served, until

from ragloop.cli.web.app import Service
from ragloop.cli.web.service import LARGEST_BODY

from .shell import COMMAND, command_in, environment, one_line

ASKED = {"messages": [{"role": "user", "content": QUESTION}]}


def service_for(settings: Settings | None = None, texts: Any = None, **how: Any) -> Service:
    settings = settings or preset("loop")
    store = store_of(texts)
    return Service(compiled(None, settings, passages=store), store, settings, **how)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(service_for()) as at:
        yield at


def events_of(text: str) -> list[dict[str, Any]]:
    """The events in a whole stream."""
    parts = [part for part in text.split("\n\n") if part]
    return [json.loads(part.removeprefix("data: ")) for part in parts if "[DONE]" not in part]


def ask(address: str, body: Any = None, **how: Any) -> httpx.Response:
    return httpx.post(f"{address}/ask", json=ASKED if body is None else body, timeout=60, **how)


def slow_model(times: int = 99) -> Loopback:
    """A server whose model takes a minute, so many times; then it answers at once."""
    slow = {"content": "It is 31 metres deep.", "delay_s": 60, "times": times}
    return Loopback({"writer": [slow, "It is 31 metres deep."]})


def with_models(server: Loopback) -> Settings:
    return preset("plain", base_url=server.url, model="writer")


def test_a_question_gives_its_steps_its_words_and_then_its_answer(address: str) -> None:
    events = events_of(ask(address).text)

    kinds = [event["event"] for event in events]
    answer = events[-1]["answer"]
    assert kinds[0] == "start" and kinds[-1] == "answer"
    assert "".join(event.get("text", "") for event in events) == answer["text"]
    assert [event["node"] for event in events if event["event"] == "step"][-1] == "finish"


def test_each_step_says_for_what_reason_it_was_taken_and_what_was_judged(address: str) -> None:
    steps = {event["node"]: event for event in events_of(ask(address).text) if "node" in event}

    assert steps["retrieve"]["reason"] == "needs sources"
    assert steps["select_context"]["reason"] == "usable"
    assert [one["label"] for one in steps["grade_passages"]["verdicts"]].count("yes") == 1
    assert [one["label"] for one in steps["check_grounding"]["verdicts"]] == ["full"]


def test_markers_come_cut_out_of_the_text_for_the_page_to_link(address: str) -> None:
    shown = events_of(ask(address).text)[-1]["shown"]

    assert shown[0]["kind"] == "token"
    assert {"marker": "[1]", "numbers": [1]} in shown[0]["pieces"]


def test_a_citation_opens_in_its_place(address: str) -> None:
    cited = events_of(ask(address).text)[-1]["answer"]["citations"][0]

    where = {name: cited[name] for name in ("document_id", "start", "end")}
    opened = httpx.get(f"{address}/passage", params=where).json()

    assert opened["quote"] == cited["quote"]
    assert "31 metres" in opened["before"] + opened["quote"] + opened["after"]


@pytest.mark.parametrize(
    "where",
    [
        {"document_id": "nobody"},
        {"document_id": "well", "start": "x"},
        {},
    ],
)
def test_an_unknown_passage_is_not_found(address: str, where: dict[str, str]) -> None:
    assert httpx.get(f"{address}/passage", params=where).status_code == 404


def test_offsets_out_of_range_give_nothing_beyond_the_document(address: str) -> None:
    where = {"document_id": "well", "start": "-5", "end": "99999"}

    opened = httpx.get(f"{address}/passage", params=where).json()

    assert opened["before"] == opened["after"] == ""
    assert opened["quote"] == store_of().read("well")["text"]


def test_a_filter_of_the_settings_hides_documents_from_the_page() -> None:
    with served(service_for(preset("loop", where={"source": "mill"}))) as at:
        hidden = httpx.get(f"{at}/passage", params={"document_id": "well"})
        seen = httpx.get(f"{at}/passage", params={"document_id": "mill"})

    assert (hidden.status_code, seen.status_code) == (404, 200)


BAD_BODIES: dict[str, tuple[int, dict[str, Any]]] = {
    "no JSON type": (415, {"content": b"{}", "headers": {"content-type": "text/plain"}}),
    "a form": (415, {"data": {"question": "x"}}),
    "no JSON": (400, {"content": b"{", "headers": {"content-type": "application/json"}}),
    "deep JSON": (400, {"content": b"[" * 99_999, "headers": {"content-type": "application/json"}}),
    "a list": (400, {"json": [1]}),
    "no messages": (400, {"json": {}}),
    "blank": (400, {"json": {"messages": [{"role": "user", "content": " \n"}]}}),
    "no user at the end": (400, {"json": {"messages": [{"role": "assistant", "content": "x"}]}}),
    "strange messages": (400, {"json": {"messages": [None, 3, {"role": ["user"]}]}}),
    "too large": (413, {"json": {"messages": "x" * LARGEST_BODY}}),
}


@pytest.mark.parametrize("path", ["/ask", "/v1/chat/completions"])
@pytest.mark.parametrize("kind", BAD_BODIES)
def test_a_request_that_cannot_be_read_says_why(address: str, path: str, kind: str) -> None:
    status, sent = BAD_BODIES[kind]

    reply = httpx.post(address + path, **sent)

    assert reply.status_code == status
    assert reply.json()["error"]["message"]


def test_a_name_that_points_at_this_machine_is_not_answered(address: str) -> None:
    paths = ["/", "/passage", "/v1/models"]

    replies = [httpx.get(address + path, headers={"host": "evil.example"}) for path in paths]
    replies.append(ask(address, headers={"host": "evil.example:80"}))

    assert {reply.status_code for reply in replies} == {403}


@pytest.mark.parametrize("host", ["localhost", "localhost:8765", "127.0.0.1:1", "[::1]:8765"])
def test_this_machine_is_answered_under_its_own_names(address: str, host: str) -> None:
    assert httpx.get(f"{address}/v1/models", headers={"host": host}).status_code == 200


def test_with_a_token_nothing_is_answered_without_it() -> None:
    with served(service_for(token="s3cret")) as at:
        paths = ["/", "/passage", "/v1/models"]
        without = [httpx.get(at + path) for path in paths] + [ask(at)]
        wrong = ask(at, headers={"authorization": "Bearer s3cre"})
        bearer = httpx.get(f"{at}/v1/models", headers={"authorization": "Bearer s3cret"})
        opened = httpx.get(f"{at}/?token=s3cret", headers={"host": "docs.example"})

    assert {reply.status_code for reply in [*without, wrong]} == {401}
    assert (bearer.status_code, opened.status_code) == (200, 200)


def test_the_page_may_run_its_own_script_only_and_sit_in_no_frame(address: str) -> None:
    policy = httpx.get(f"{address}/").headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_the_page_and_its_files_name_no_other_host(address: str) -> None:
    files = [httpx.get(f"{address}/{name}") for name in ("", "page.css", "page.js", "words.js")]

    assert {reply.status_code for reply in files} == {200}
    assert not any("://" in reply.text for reply in files)


async def test_of_a_hundred_questions_at_once_none_is_lost() -> None:
    service = service_for(most_runs=8)
    with served(service) as at:
        async with httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=100)) as http:
            replies = await asyncio.gather(
                *(http.post(f"{at}/ask", json=ASKED) for _ in range(100))
            )

    answers = [events_of(reply.text)[-1]["answer"] for reply in replies]
    assert all("31 metres" in answer["text"] for answer in answers)
    assert (service.running, service.waiting) == (0, 0)


async def test_no_more_run_at_once_than_are_allowed_and_no_more_wait() -> None:
    with slow_model() as models:
        service = service_for(with_models(models), most_runs=2, most_waiting=1)
        with served(service) as at:
            async with httpx.AsyncClient(timeout=60) as http:
                asking = [asyncio.create_task(http.post(f"{at}/ask", json=ASKED)) for _ in "abc"]
                await asyncio.to_thread(until, lambda: (service.running, service.waiting) == (2, 1))
                late = await http.post(f"{at}/ask", json=ASKED)
                for task in asking:
                    task.cancel()
                await asyncio.gather(*asking, return_exceptions=True)
            until(lambda: (service.running, service.waiting) == (0, 0))

    assert late.status_code == 503
    assert int(late.headers["retry-after"]) > 0


@pytest.mark.parametrize("path", ["/ask", "/v1/chat/completions"])
def test_a_client_that_leaves_frees_its_run_and_ends_the_call(path: str) -> None:
    with slow_model(times=1) as models:
        service = service_for(with_models(models), most_runs=1)
        with served(service) as at:
            with pytest.raises(httpx.ReadTimeout):
                httpx.post(at + path, json=ASKED, timeout=httpx.Timeout(20, read=1.5))
            until(lambda: service.running == 0)
            calls = models.calls()
            next_one = events_of(ask(at).text)[-1]

    assert calls == 1
    assert "31 metres" in next_one["answer"]["text"]


def test_what_breaks_in_mid_stream_is_an_event_and_no_answer() -> None:
    store = store_of()
    settings = preset("loop", where={"source": {"no": "filter"}})
    service = Service(compiled(None, settings, passages=store), store, settings)
    with served(service) as at:
        events = events_of(ask(at).text)
        whole = httpx.post(f"{at}/v1/chat/completions", json=ASKED)

    assert events[-1]["event"] == "error" and "where" in events[-1]["message"]
    assert all(event["event"] != "answer" for event in events)
    assert whole.status_code == 502 and "where" in whole.json()["error"]["message"]


def test_a_lone_surrogate_breaks_no_stream(address: str) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "How deep is \ud800 the well?"}]})

    reply = httpx.post(
        f"{address}/ask", content=body, headers={"content-type": "application/json"}, timeout=60
    )

    assert events_of(reply.text)[-1]["event"] == "answer"


def client(address: str) -> ChatOpenAI:
    """A chat client as anyone would use it."""
    return ChatOpenAI(model="ragloop", base_url=f"{address}/v1", api_key="none", max_retries=0)


def test_a_chat_client_gets_the_answer_with_its_sources(address: str) -> None:
    message = client(address).invoke(QUESTION)

    assert "31 metres" in message.text
    assert "- [1] well: “" in message.text
    assert message.response_metadata["finish_reason"] == "stop"


def test_a_chat_client_can_stream(address: str) -> None:
    chunks = list(
        client(address).stream([HumanMessage("Hi"), AIMessage("Hi."), ("user", QUESTION)])
    )

    assert "31 metres" in "".join(chunk.text for chunk in chunks)
    assert chunks[-1].chunk_position == "last"


def test_the_whole_answer_is_a_field_of_the_completion_streamed_or_not(address: str) -> None:
    url = f"{address}/v1/chat/completions"

    whole = httpx.post(url, json=ASKED, timeout=60).json()
    streamed = events_of(httpx.post(url, json={**ASKED, "stream": True}, timeout=60).text)

    assert whole["ragloop"]["citations"][0]["document_id"] == "well"
    assert streamed[-1]["ragloop"]["text"] == whole["ragloop"]["text"]
    assert streamed[-1]["choices"][0]["finish_reason"] == "stop"


def test_a_stream_that_breaks_has_no_finish_mark() -> None:
    store = store_of()
    settings = preset("loop", where={"source": {"no": "filter"}})
    service = Service(compiled(None, settings, passages=store), store, settings)
    with served(service) as at:
        body = {**ASKED, "stream": True}
        text = httpx.post(f"{at}/v1/chat/completions", json=body, timeout=60).text

    assert "[DONE]" not in text and '"stop"' not in text
    assert "error" in events_of(text)[-1]


def test_sources_are_markdown_that_links_nowhere() -> None:
    texts = {"<b>[x](javascript:1)": "The well at Orsa is 31 metres deep ![i](http://a/b) <i>."}
    with served(service_for(texts=texts)) as at:
        message = client(at).invoke(QUESTION)

    listed = message.text.rpartition("- [1]")[2]
    assert r"\<b\>\[x\](javascript:1)" in listed
    assert r"\!\[i\](http://a/b)" in listed


def test_the_models_are_listed(address: str) -> None:
    listed = httpx.get(f"{address}/v1/models").json()

    assert [model["id"] for model in listed["data"]] == ["ragloop"]


def test_the_command_says_where_it_serves_and_ends_when_it_is_told_to(
    docs: Path, tmp_path: Path
) -> None:
    command = [COMMAND, "serve", "--docs", docs, "--port", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        said = running.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found, said
        body = {"messages": [{"role": "user", "content": "When does the Brell ferry leave?"}]}
        answer = events_of(ask(found.group(), body).text)[-1]["answer"]
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()

    assert "07:40" in answer["text"]
    assert "Traceback" not in rest


def test_a_port_that_is_taken_is_one_plain_line(docs: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = command_in(tmp_path, "serve", "--docs", docs, "--port", port)

    assert done.returncode != 0
    assert "another --port" in one_line(done.stderr)
