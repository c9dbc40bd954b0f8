"""The Anthropic protocol: `/v1/messages`, whole and streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import json

from outlast.context.chat_model import Call, Message, Reply, ToolSpec, Usage
from outlast.testing.model_http.request import (
    Json,
    ModelRequest,
    StreamEvent,
    flatten_text,
    number_calls,
    number_reply,
    split_chunks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


PATH: Final = "/v1/messages"
WRONG_SHAPE: Final[Json] = {"type": "message", "content": 42, "usage": "many", "model": 7}
WRONG_SHAPE_EVENTS: Final[tuple[StreamEvent, ...]] = (
    ("message_start", {"type": "message_start", "message": 42}),
    ("content_block_delta", {"type": "content_block_delta", "index": "first", "delta": []}),
)


def parse_request(path: str, headers: dict[str, str], body: Json) -> ModelRequest:
    """Parse a request; raise `LookupError` or `TypeError` if it is malformed."""
    system = flatten_text(body.get("system"))
    messages = [Message("system", system)] if system else []
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages += _messages(message["role"], blocks)
    tools = tuple(
        ToolSpec(tool["name"], tool.get("description", ""), tool["input_schema"])
        for tool in body.get("tools", ())
    )
    return ModelRequest(
        path,
        headers,
        body,
        body["model"],
        tuple(messages),
        tools,
        body.get("max_tokens"),
        bool(body.get("stream")),
    )


def _messages(role: str, blocks: list[Json]) -> Iterator[Message]:
    if role == "assistant":
        calls = [block for block in blocks if block["type"] == "tool_use"]
        yield Message(
            "assistant",
            flatten_text([block for block in blocks if block["type"] == "text"]),
            tuple(Call(call["name"], call["input"], call["id"]) for call in calls),
        )
        return
    for block in blocks:
        if block["type"] == "tool_result":
            yield Message("tool", flatten_text(block.get("content")), call_id=block["tool_use_id"])
        else:
            yield Message("system" if role == "system" else "user", flatten_text(block.get("text")))


def full_response(reply: Reply, request: ModelRequest) -> Json:
    """Return the response without streaming."""
    usage = reply.usage or Usage()
    content: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{number}", "name": call.name, "input": call.params}
        for number, call in number_calls(reply, request)
    ]
    return {
        "id": f"msg_{number_reply(request)}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": content,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input - usage.cached,
            "output_tokens": usage.output,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": usage.cached,
        },
    }


def stream_events(reply: Reply, request: ModelRequest) -> Iterator[StreamEvent]:
    """Yield the response as stream events."""
    message = full_response(reply, request)
    start = {**message, "content": [], "stop_reason": None}
    start["usage"] = {**message["usage"], "output_tokens": 1}
    yield _event("message_start", message=start)
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=message["usage"])
    yield _event("message_stop")


def _block(index: int, block: Json) -> Iterator[StreamEvent]:
    if block["type"] == "text":
        start, kind, field, text = {**block, "text": ""}, "text_delta", "text", block["text"]
    else:
        start, kind, field = {**block, "input": {}}, "input_json_delta", "partial_json"
        text = json.encode(block["input"]).decode()
    yield _event("content_block_start", index=index, content_block=start)
    for piece in split_chunks(text):
        yield _event("content_block_delta", index=index, delta={"type": kind, field: piece})
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: object) -> StreamEvent:
    return kind, {"type": kind, **fields}


def error_body(status: int, message: str) -> Json:
    """Return the body of an error response."""
    kinds = {429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error"}
    kind = kinds.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}
