"""`/v1/chat/completions`: any chat client can use the loop as if it were a model."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from ...graph.answer import Answer
from ...graph.events import astream
from ...stores.errors import RagloopError
from .service import Service, body_of, service_of, while_connected
from .streams import EventStream

MODEL = "ragloop"
Messages = list[tuple[str, str]]
"""Who spoke, `human` or `ai`, and what."""
_ROLES = {"user": "human", "assistant": "ai"}


async def models(request: Request) -> Response:
    """The one model that there is."""
    service_of(request)
    listed = [{"id": MODEL, "object": "model", "created": 0, "owned_by": "ragloop"}]
    return JSONResponse({"object": "list", "data": listed})


async def completions(request: Request) -> Response:
    """Answer the last user message; the citations follow as a list, and whole in `ragloop`."""
    service = service_of(request)
    asked = await body_of(request)
    messages = messages_of(asked.get("messages"))
    service.check_room()
    if asked.get("stream"):
        return EventStream(_chunks(service, messages), {"Cache-Control": "no-store"})
    try:
        answer = await while_connected(request, _answer(service, messages))
    except ClientDisconnect:
        return Response(status_code=499)  # nobody reads it
    message = {"role": "assistant", "content": answer["text"] + sources(answer)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return JSONResponse({**_head("chat.completion"), "choices": [choice], **_tail(answer)})


def messages_of(given: Any) -> Messages:
    """Read the messages of a request; HTTP 400 when the last one is not the user's."""
    if not isinstance(given, list) or not given:
        raise HTTPException(400, "messages must be a list with a user message at the end.")
    read = [
        (_ROLES[message["role"]], _text(message.get("content")))
        for message in given
        if isinstance(message, dict) and message.get("role") in ("user", "assistant")
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
        f"- [{cited['marker']}] {_plain(cited['title'] or cited['document_id'])}: "
        f"“{_plain(cited['quote'])}”"
        for cited in answer["citations"]
    ]
    return "\n\n" + "\n".join(lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: no link, image or tag comes of it."""
    text = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>!|#&~" else sign for sign in text)


async def _answer(service: Service, messages: Messages) -> Answer:
    async with service.a_run():
        result = await service.graph.ainvoke({"messages": messages}, context=service.settings)
    answer: Answer = result["answer"]
    return answer


async def _chunks(service: Service, messages: Messages) -> AsyncGenerator[Any, None]:
    head = _head("chat.completion.chunk")
    given: Any = {"messages": messages}
    async with service.a_run():
        yield _chunk(head, {"role": "assistant", "content": ""})
        try:
            async for event in astream(service.graph, given, settings=service.settings):
                if event["event"] in ("token", "supplement", "correction"):
                    yield _chunk(head, {"content": event["text"]})
                elif event["event"] == "answer":
                    if listed := sources(event["answer"]):
                        yield _chunk(head, {"content": listed})
                    yield _chunk({**head, **_tail(event["answer"])}, {}, "stop")
        except RagloopError as error:  # no finish mark: what came before is not a whole answer
            yield {"error": {"message": str(error), "type": type(error).__name__}}
            return
    yield "[DONE]"


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


def _chunk(
    head: dict[str, Any], delta: dict[str, Any], finish: str | None = None
) -> dict[str, Any]:
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
