"""A scripted OpenAI-compatible server on 127.0.0.1, real HTTP, for tests.

    with Loopback({"judge": ["Yes.", {"status": 429, "times": 2}, "no"]}) as server:
        ChatOpenAI(model="judge", base_url=server.url, api_key="none")
        ...
        assert server.calls("judge") == 4

Replies are scripted by the model's name; the last one repeats. A reply is the content of the
message, or a dict with any of: content, tool_args, tool_calls, reasoning_content, refusal,
finish_reason, logprobs, usage (False: leave it out), status + body + headers, delay_s, times,
stream (chunks), gap_s, drop_after (bytes), no_finish, echo, by_text ({text in the request: reply,
"*": else}); or a function of the request's body that gives one of those. A model without a script,
of its own or as `"*"`, gives a well-formed positive reply in the shape that was asked for.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from loopback_replies import bag_of_words, meets, message_of, prompt_of

Scripted = str | Mapping[str, Any] | Callable[[Mapping[str, Any]], Any]
ANSWER = "ANSWER"


class Loopback:
    """The server; a context manager. Counts and records every request.

    `reject` rules: {"if": condition, "status", "message", "code"}; see `loopback_replies.meets`.
    `embed` says what the embedding side refuses (reject_blank, reject_empty_list, strings_only,
    max_chars, max_batch) and how many numbers a model's vectors have (models: {name: {"dim": n}}).
    """

    def __init__(
        self,
        scripts: Mapping[str, Sequence[Scripted]] | None = None,
        *,
        reject: Sequence[Mapping[str, Any]] = (),
        max_prompt_words: int | None = None,
        over: Mapping[str, Any] | None = None,
        silent_cut_words: int | None = None,
        max_in_flight: int | None = None,
        delay_s: float = 0.0,
        answer: str = ANSWER,
        dimensions: int = 64,
        embed: Mapping[str, Any] | None = None,
    ) -> None:
        self.scripts = {name: list(replies) for name, replies in (scripts or {}).items()}
        self.reject = list(reject)
        self.max_prompt_words = max_prompt_words
        self.over = dict(over or {})
        self.silent_cut_words = silent_cut_words
        self.allowed_in_flight = max_in_flight
        self.delay_s = delay_s
        self.answer = answer
        self.dimensions = dimensions
        self.embed_rules = dict(embed or {})
        self.embeddings_refused = 0
        self.requests: list[dict[str, Any]] = []
        """Bodies in order, with `path`, `headers` and `refused` (the status, 0 when served)."""
        self.most_in_flight = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self._in_flight = 0
        self._used: dict[str, int] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http: ThreadingHTTPServer | None = None

    def __enter__(self) -> Loopback:
        handler = type("Handler", (_Handler,), {"loopback": self})
        self._http = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._http is not None
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        """What goes into `base_url`."""
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def under_way(self) -> int:
        """Requests that are being answered now."""
        return self._in_flight

    def calls(self, model: str | None = None) -> int:
        """Chat requests that came in, of one model or of all."""
        return len(self.chats(model))

    def chats(self, model: str | None = None) -> list[dict[str, Any]]:
        """Bodies of the chat requests, of one model or of all."""
        chats = [r for r in self.requests if r["path"].endswith("/chat/completions")]
        return [r for r in chats if model is None or r.get("model") == model]

    def refused(self) -> int:
        """Requests that a `reject` rule answered."""
        return sum(1 for r in self.requests if r["refused"])

    def next_reply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Take the next scripted reply for a request."""
        model = str(body.get("model"))
        name = model if model in self.scripts else "*"
        script = self.scripts.get(name)
        if not script:
            return {"content": None, "shaped": True}
        with self._lock:
            self._used[name] = self._used.get(name, 0) + 1
            at = self._used[name]
        chosen: Any = script[-1]
        for reply in script:
            times = reply.get("times", 1) if isinstance(reply, Mapping) else 1
            if at <= times:
                chosen = reply
                break
            at -= times
        if callable(chosen):
            chosen = chosen(body)
        while isinstance(chosen, Mapping) and "by_text" in chosen:
            text = prompt_of(body)
            rules = chosen["by_text"]
            chosen = next((r for key, r in rules.items() if key in text), rules.get("*", ""))
        return dict(chosen) if isinstance(chosen, Mapping) else {"content": chosen}

    def wait(self, seconds: float) -> None:
        """Sleep, or wake up when the server closes."""
        self._closing.wait(seconds)

    def entered(self, step: int) -> None:
        """Count what is under way."""
        with self._lock:
            self._in_flight += step
            self.most_in_flight = max(self.most_in_flight, self._in_flight)

    def embedding_refusal(self, texts: Sequence[Any]) -> str:
        """Why the server does not embed these texts; empty when it does."""
        rules = self.embed_rules
        if not texts and rules.get("reject_empty_list"):
            why = "input is empty"
        elif not all(isinstance(text, str) for text in texts) and rules.get("strings_only"):
            why = "input must be a string or a list of strings"
        elif rules.get("reject_blank") and not all(str(text).strip() for text in texts):
            why = "input cannot be blank"
        elif any(len(text) > rules.get("max_chars", len(text)) for text in texts):
            why = f"input is longer than {rules['max_chars']} characters"
        elif len(texts) > rules.get("max_batch", len(texts)):
            why = f"at most {rules['max_batch']} inputs"
        else:
            return ""
        self.embeddings_refused += 1
        return why

    def vector(self, text: Any, body: Mapping[str, Any]) -> list[float]:
        """The vector of a text, of as many numbers as the model has."""
        of_model = self.embed_rules.get("models", {}).get(body.get("model"), {})
        return bag_of_words(str(text), int(of_model.get("dim", self.dimensions)))

    def refusal(self, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """The status and error with which a rule answers this request."""
        words = len(prompt_of(body).split())
        if self.allowed_in_flight is not None and self._in_flight > self.allowed_in_flight:
            return 429, {"code": "rate_limit_exceeded", "message": "too many requests at once"}
        if self.max_prompt_words is not None and words > self.max_prompt_words:
            return int(self.over.get("status", 400)), self.over
        for rule in self.reject:
            if meets(str(rule["if"]), body):
                return int(rule.get("status", 400)), dict(rule)
        return None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error here."""


class _Handler(BaseHTTPRequestHandler):
    loopback: Loopback
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        names = [*self.loopback.scripts, "default"]
        self._json(200, {"object": "list", "data": [{"id": n, "object": "model"} for n in names]})

    def do_POST(self) -> None:
        server = self.loopback
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kept = {**body, "path": self.path, "headers": dict(self.headers), "refused": 0}
        server.entered(1)
        server.requests.append(kept)
        try:
            if self.path.endswith("/embeddings"):
                self._embed(body)
            elif no := server.refusal(body):
                kept["refused"] = no[0]
                error = {key: no[1][key] for key in ("message", "code", "param") if key in no[1]}
                self._json(no[0], {"error": {"type": "invalid_request_error", **error}})
            else:
                self._chat(body, server.next_reply(body))
        finally:
            server.entered(-1)

    def _chat(self, body: Mapping[str, Any], reply: dict[str, Any]) -> None:
        self.loopback.wait(float(reply.get("delay_s", self.loopback.delay_s)))
        if "status" in reply:
            self._json(int(reply["status"]), reply.get("body", {}), reply.get("headers", {}))
            return
        message = message_of(body, reply, self.loopback.answer)
        words = len(prompt_of(body).split()), len(str(message.get("content") or "").split())
        self.loopback.tokens_in += words[0]
        self.loopback.tokens_out += words[1]
        usage = {
            "prompt_tokens": words[0],
            "completion_tokens": words[1],
            "total_tokens": sum(words),
        }
        if body.get("stream"):
            self._stream(body, reply, message, usage)
            return
        finish = reply.get("finish_reason", "tool_calls" if message.get("tool_calls") else "stop")
        choice = {"index": 0, "message": message, "finish_reason": finish}
        choice["logprobs"] = {"content": reply["logprobs"]} if "logprobs" in reply else None
        made = {"id": "c", "object": "chat.completion", "created": 1, "model": body.get("model")}
        made["choices"] = [choice]
        if reply.get("usage", True):
            made["usage"] = usage
        self._json(200, made, drop_after=reply.get("drop_after"))

    def _stream(
        self, body: Mapping[str, Any], reply: Mapping[str, Any], message: dict[str, Any], usage: Any
    ) -> None:
        content = str(message.get("content") or "")
        pieces = reply.get("stream") or [content[i : i + 4] for i in range(0, len(content), 4)]
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in pieces]
        if message.get("refusal"):
            deltas.append({"refusal": message["refusal"]})
        if message.get("reasoning_content"):
            deltas.insert(1, {"reasoning_content": message["reasoning_content"]})
        for index, call in enumerate(message.get("tool_calls") or []):
            deltas.append({"tool_calls": [{"index": index, **call}]})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        sent = 0
        for delta in deltas:
            line = self._event(body, {"index": 0, "delta": delta, "finish_reason": None})
            if "drop_after" in reply and sent + len(line) > int(reply["drop_after"]):
                self._drop()
                return
            sent += self.wfile.write(line)
            self.wfile.flush()
            self.loopback.wait(float(reply.get("gap_s", 0)) if delta.get("content") else 0)
        if reply.get("no_finish"):
            return
        done = "tool_calls" if message.get("tool_calls") else "stop"
        finish = reply.get("finish_reason", done)
        self.wfile.write(self._event(body, {"index": 0, "delta": {}, "finish_reason": finish}))
        if (body.get("stream_options") or {}).get("include_usage"):
            self.wfile.write(self._event(body, None, usage))
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, body: Mapping[str, Any], choice: Any, usage: Any = None) -> bytes:
        made = {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": body.get("model"),
            "choices": [choice] if choice else [],
        }
        if usage:
            made["usage"] = usage
        return f"data: {json.dumps(made)}\n\n".encode()

    def _embed(self, body: Mapping[str, Any]) -> None:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        if why := self.loopback.embedding_refusal(texts):
            self._json(400, {"error": {"type": "invalid_request_error", "message": why}})
            return
        vectors = [
            {"object": "embedding", "index": i, "embedding": self.loopback.vector(text, body)}
            for i, text in enumerate(texts)
        ]
        made = {"object": "list", "data": vectors, "model": body.get("model")}
        self._json(200, {**made, "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    def _json(
        self, status: int, made: Any, headers: Mapping[str, str] = {}, drop_after: Any = None
    ) -> None:
        sent = json.dumps(made).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent if drop_after is None else sent[: int(drop_after)])
        if drop_after is not None:
            self._drop()

    def _drop(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
