from __future__ import annotations

import json
from typing import Any

import httpx
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragloop.nodes.judges.faults import classify, mask, one_line


class Refused(Exception):
    """What another library's client raises: a status, a reply with headers, a body."""

    def __init__(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"Error code: {status} - {json.dumps(body)}")
        self.status_code = status
        self.body = body
        self.response = httpx.Response(status, headers=headers)


def said(message: str, **more: str) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Refused(401, said("Incorrect API key")), "key"),
        (Refused(402, said("Insufficient balance")), "quota"),
        (Refused(429, said("You exceeded your current quota", code="insufficient_quota")), "quota"),
        (Refused(429, said("Rate limit reached", code="rate_limit_exceeded")), "passing"),
        (Refused(408, {}), "passing"),
        (Refused(409, {}), "passing"),
        (Refused(500, {}), "passing"),
        (Refused(529, said("Overloaded")), "passing"),
        (Refused(404, said("The model `x` does not exist", code="model_not_found")), "model"),
        (Refused(400, said("x is not a valid model ID: unknown model")), "model"),
        (Refused(400, said("This model's maximum context length is 4096 tokens")), "prompt"),
        (Refused(413, said("Request entity too large: prompt is too long")), "prompt"),
        (Refused(400, said("tools are not supported")), "refused"),
        (Refused(422, {"detail": "Extra inputs are not permitted"}), "refused"),
        (ValueError({"code": 429, "message": "Provider returned error"}), "passing"),
        (ValueError({"code": 401, "message": "No auth"}), "key"),
        (ValueError({"message": "upstream failed"}), "passing"),
        (TypeError("Received response with null value for 'choices'."), "passing"),
        (TimeoutError(), "timeout"),
        (
            openai.APITimeoutError(httpx.Request("GET", "http://x")),
            "timeout",
        ),
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.ConnectError("refused"), "unreachable"),
        (ConnectionRefusedError(), "unreachable"),
        (httpx.RemoteProtocolError("peer closed"), "passing"),
        (ConnectionResetError(), "passing"),
        (KeyError("choices"), "other"),
        (NotImplementedError(), "refused"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{type(value).__name__}: {value}"[:60],
)
def test_an_error_is_told_by_what_can_be_done_about_it(error: Exception, kind: str) -> None:
    assert classify(error).kind == kind


def test_a_fault_that_a_library_wraps_is_found() -> None:
    try:
        try:
            raise httpx.ConnectError("refused")
        except httpx.ConnectError as cause:
            raise RuntimeError("request failed") from cause
    except RuntimeError as error:
        fault = classify(error)

    assert (fault.kind, fault.reached) == ("unreachable", False)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
        ({"Retry-After": "-4"}, 0.0),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for_is_read(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert classify(Refused(429, {}, headers)).retry_after == seconds


@pytest.mark.parametrize(
    "key", ["sk-test-1234567890abcdef", "sk-proj-a_b-c1234", "gsk_abcd1234", "my own secret"]
)
def test_no_key_is_in_the_line(key: str) -> None:
    error = Refused(401, said(f"Incorrect API key provided: {key}.\nSee Bearer {key}"))

    line = classify(error, key).line

    assert key not in line
    assert "\n" not in line
    assert "Incorrect API key provided" in line


@given(st.text(), st.text(alphabet="abcdef0123456789", min_size=8), st.text())
def test_the_key_is_masked_wherever_it_stands(before: str, key: str, after: str) -> None:
    assert key not in mask(f"{before}{key}{after}", key).replace("[key]", "")


@given(st.text())
def test_a_line_is_one_line_of_bounded_length(text: str) -> None:
    line = one_line(text)

    assert len(line) <= 300
    assert len(line.splitlines()) <= 1
