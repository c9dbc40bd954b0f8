"""A server that sends given answers, whole or as a stream."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from msgspec import json

from outlast.testing.model_http.faults import encode_stream

Json = dict[str, Any]
COUNTED = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class CannedAnswer:
    """One answer, in the two forms in which it can be asked for."""

    def __init__(self, whole: Json, pieces: list[tuple[str, Json | str]]) -> None:
        self.whole, self.stream = json.encode(whole), encode_stream(pieces)


@contextmanager
def serve(canned: CannedAnswer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            asked = json.decode(self.rfile.read(int(self.headers["content-length"])))
            kind = "text/event-stream" if asked.get("stream") else "application/json"
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(canned.stream if asked.get("stream") else canned.whole)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def openai_answer(message: Json, reason: str) -> CannedAnswer:
    """Return an answer of OpenAI."""
    head = {"id": "x", "created": 1, "model": "small-1"}
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    calls = [{**one, "index": at} for at, one in enumerate(message.get("tool_calls", ()))]
    delta = {**message, "tool_calls": calls} if calls else message
    bits: list[Json] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {"choices": [], "usage": COUNTED},
    ]
    pieces = [("", {**head, "object": "chat.completion.chunk", **bit}) for bit in bits]
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": COUNTED}
    return CannedAnswer(whole, [*pieces, ("", "[DONE]")])


def anthropic_answer(
    block: Json | None, reason: str, *, torn: str = "", **usage: int
) -> CannedAnswer:
    """Return an answer of Anthropic; `torn` are the arguments of its call, as far as they came."""
    used = usage or {"input_tokens": 10, "output_tokens": 5}
    whole = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "small-1",
        "content": [block] if block else [],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": used,
    }
    told: list[Json] = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    ]
    if block:
        bit: Json = {"type": "input_json_delta", "partial_json": torn}
        if block["type"] == "text":
            bit = {"type": "text_delta", "text": block["text"]}
        begun = {**block, "text": ""} if block["type"] == "text" else block
        told += [
            {"type": "content_block_start", "index": 0, "content_block": begun},
            {"type": "content_block_delta", "index": 0, "delta": bit},
            {"type": "content_block_stop", "index": 0},
        ]
    told += [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": used},
        {"type": "message_stop"},
    ]
    return CannedAnswer(whole, [(one["type"], one) for one in told])
