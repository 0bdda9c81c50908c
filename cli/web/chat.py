"""`/v1/chat/completions`: any chat client can use the loop as if it were a model."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ...graph.events import astream
from ...graph.state import Answer

if TYPE_CHECKING:
    from .app import Service

MODEL = "ragloop"
_ROLES = {"user": "human", "assistant": "ai"}


async def models(request: Request) -> Response:
    """The one model that there is."""
    from .app import service_of

    service_of(request)
    listed = [{"id": MODEL, "object": "model", "created": 0, "owned_by": "ragloop"}]
    return JSONResponse({"object": "list", "data": listed})


async def completions(request: Request) -> Response:
    """Answer the last user message; the citations follow as a list, and whole in `ragloop`."""
    from .app import body_of, service_of

    service = service_of(request)
    asked = await body_of(request)
    messages = messages_of(asked.get("messages"))
    if asked.get("stream"):
        return StreamingResponse(_chunks(service, messages), media_type="text/event-stream")
    answer = await _answer(service, messages)
    message = {"role": "assistant", "content": answer["text"] + sources(answer)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return JSONResponse({**_head("chat.completion"), "choices": [choice], **_tail(answer)})


def messages_of(given: Any) -> list[tuple[str, str]]:
    """Read the messages of the request; HTTP 400 when the last one is not the user's."""
    if not isinstance(given, list) or not given:
        raise HTTPException(400, "messages must be a list with a user message at the end.")
    read = [
        (_ROLES[message["role"]], _text(message.get("content")))
        for message in given
        if isinstance(message, dict) and message.get("role") in _ROLES
    ]
    if not read or read[-1][0] != "human" or not read[-1][1].strip():
        raise HTTPException(400, "The last message must be the user's, and say something.")
    return read


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def sources(answer: Answer) -> str:
    """The citations as a Markdown list; empty when there are none."""
    if not answer["citations"]:
        return ""
    lines = [
        f"- [{cited['marker']}] {_plain(cited['source'] or cited['title'])}: "
        f"“{_plain(cited['quote'])}”"
        for cited in answer["citations"]
    ]
    return "\n\n" + "\n".join(lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: no link, image or tag comes of it."""
    text = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>!|#" else sign for sign in text)


async def _answer(service: Service, messages: list[tuple[str, str]]) -> Answer:
    async with service.a_run():
        thread = {"configurable": {"thread_id": uuid4().hex}}
        result = await service.graph.ainvoke(
            {"messages": messages}, thread, context=service.settings
        )
    answer: Answer = result["answer"]
    return answer


async def _chunks(service: Service, messages: list[tuple[str, str]]) -> AsyncIterator[str]:
    head = _head("chat.completion.chunk")
    thread: Any = {"configurable": {"thread_id": uuid4().hex}}
    async with service.a_run():
        yield _chunk(head, {"role": "assistant", "content": ""})
        given: Any = {"messages": messages}
        async for event in astream(service.graph, given, thread, settings=service.settings):
            if event["event"] in ("token", "supplement", "correction"):
                yield _chunk(head, {"content": event["text"]})
            elif event["event"] == "answer":
                if listed := sources(event["answer"]):
                    yield _chunk(head, {"content": listed})
                yield _chunk({**head, **_tail(event["answer"])}, {}, "stop")
    yield "data: [DONE]\n\n"


def _head(kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": kind,
        "created": int(time.time()),
        "model": MODEL,
    }


def _tail(answer: Answer) -> dict[str, Any]:
    spent = answer["spent"]
    usage = {
        "prompt_tokens": spent["input_tokens"],
        "completion_tokens": spent["output_tokens"],
        "total_tokens": spent["input_tokens"] + spent["output_tokens"],
    }
    return {"usage": usage, "ragloop": answer}


def _chunk(head: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({**head, 'choices': [choice]}, ensure_ascii=False)}\n\n"
