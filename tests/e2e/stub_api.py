"""The model, scripted: a stand-in for the Anthropic Messages API on loopback.

A test says what the model will answer and afterwards reads exactly what the model was sent.

Laws: it listens on 127.0.0.1 only; a reply is served once, in order, and only to the agent's own
loop, so titles, probes and compaction summaries never eat the script; when the script has run
out the model ends its turn, so no run can loop for ever.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypedDict
from urllib.parse import urlsplit

Json = dict[str, Any]

MAX_REQUESTS = 2000
MAX_DELAY_S = 60.0
SCRIPT_RAN_OUT = "the script has run out"
# Without the tags the client takes the summary for a failure and asks once more.
SUMMARY = "<analysis>none</analysis><summary>a summary of the conversation so far</summary>"
# The client's own words when it asks for a summary; it offers its tools then too.
COMPACTION_MARKS = ("detailed summary of the conversation", "create a detailed summary")


class Reply(TypedDict, total=False):
    """What the model says next: text, one tool call or several, or an HTTP error."""

    text: str
    tool: str
    input: Json
    tools: list[Json]  # each {"tool": ..., "input": ...}
    error: int
    until: threading.Event  # the model thinks until then, or until its time is up
    usage: dict[str, int]
    match: str  # served only to a request whose JSON contains this text


@dataclass(frozen=True)
class Request:
    """One request for a message. `kind` is main, compact or side."""

    kind: str
    body: Json
    raw: str


class ScriptedModel:
    """The server and its script; use it as a context manager."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._replies: list[Reply] = []
        self._requests: list[Request] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _door_to(self))
        self._server.daemon_threads = True
        # A reply that is held back must not hold up the end of the test.
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def say(self, *replies: Reply) -> None:
        """Replace the script, and forget the requests seen so far."""
        with self._lock:
            self._replies = list(replies)
            self._requests.clear()

    @property
    def requests(self) -> list[Request]:
        with self._lock:
            return list(self._requests)

    def sent_text(self, *kinds: str) -> str:
        """Everything the model was sent, as one JSON text; of every kind but side by default."""
        wanted = kinds or ("main", "compact")
        return "\n".join(seen.raw for seen in self.requests if seen.kind in wanted)

    def answer(self, request: Request) -> Reply:
        """Record the request and take the reply it is due, once it may be given."""
        with self._lock:
            if len(self._requests) >= MAX_REQUESTS:
                return {"error": 400}
            self._requests.append(request)
            reply = self._due(request)
        if "until" in reply:
            reply["until"].wait(MAX_DELAY_S)
        return reply

    def _due(self, request: Request) -> Reply:
        if request.kind != "main":
            return {"text": SUMMARY}
        for place, reply in enumerate(self._replies):
            if reply.get("match", "") in request.raw:
                return self._replies.pop(place)
        return {"text": SCRIPT_RAN_OUT}


def kind_of(body: Json) -> str:
    asked = _last_user_text(body)
    if any(mark in asked for mark in COMPACTION_MARKS):
        return "compact"
    return "main" if len(body.get("tools") or []) > 1 else "side"


def message(body: Json, reply: Reply) -> Json:
    """The reply as one whole Messages API message."""
    # Never seen before, because a resumed session still carries the ids of its earlier runs.
    serial = uuid.uuid4().hex
    calls = list(reply.get("tools", []))
    if "tool" in reply:
        calls.insert(0, {"tool": reply["tool"], "input": reply.get("input", {})})
    text = [{"type": "text", "text": reply["text"]}] if reply.get("text") else []
    used = [
        {"type": "tool_use", "id": f"toolu_{serial}_{n}", "name": c["tool"], "input": c["input"]}
        for n, c in enumerate(calls)
    ]
    return {
        "id": f"msg_{serial}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": text + used,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 20, **reply.get("usage", {})},
    }


def stream(whole: Json) -> Iterator[Json]:
    """The same message as server-sent events, each block in one delta."""
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _last_user_text(body: Json) -> str:
    said = [turn["content"] for turn in body.get("messages", []) if turn["role"] == "user"] or [""]
    if isinstance(said[-1], str):
        return said[-1]
    return "\n".join(block.get("text", "") for block in said[-1])


def _door_to(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    """The HTTP door; http.server builds one per connection, hence a class closed over the model."""

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = MAX_DELAY_S + 10

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            listed = {"type": "model", "id": "scripted", "display_name": "Scripted"}
            self._send({"data": [listed], "has_more": False})

        do_HEAD = do_GET

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            where = urlsplit(self.path).path
            if where == "/v1/messages/count_tokens":
                self._send({"input_tokens": len(raw) // 4})
            elif where == "/v1/messages":
                self._reply(json.loads(raw), raw.decode())
            else:
                self._fail(404)

        def _reply(self, body: Json, raw: str) -> None:
            reply = model.answer(Request(kind_of(body), body, raw))
            try:
                if "error" in reply:
                    self._fail(reply["error"])
                else:
                    (self._stream if body.get("stream") else self._send)(message(body, reply))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # The client was killed, as a test may well want.

        def _send(self, answer: Json, status: int = 200) -> None:
            raw = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw)

        def _fail(self, status: int) -> None:
            error = {"type": "api_error", "message": f"scripted error {status}"}
            self._send({"type": "error", "error": error}, status)

        def _stream(self, whole: Json) -> None:
            self.close_connection = True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in stream(whole):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    return Door
