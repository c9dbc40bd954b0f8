"""The Anthropic protocol: `/v1/messages`, whole and streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import json

from outlast.ports.model import Call, Message, ToolSpec, Usage
from outlast.testing.model_http.asked import Asked, chunks, flat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.ports.model import Reply
    from outlast.testing.model_http.asked import Json, Piece

PATH: Final = "/v1/messages"
WRONG: Final[Json] = {"type": "message", "content": 42, "usage": "many", "model": 7}
WRONG_PIECES: Final[tuple[Piece, ...]] = (
    ("message_start", {"type": "message_start", "message": 42}),
    ("content_block_delta", {"type": "content_block_delta", "index": "first", "delta": []}),
)


def read(path: str, headers: dict[str, str], body: Json) -> Asked:
    """Understand a request."""
    system = flat(body.get("system"))
    messages = [Message("system", system)] if system else []
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages += _messages(message["role"], blocks)
    tools = tuple(
        ToolSpec(one["name"], one.get("description", ""), one["input_schema"])
        for one in body.get("tools", ())
    )
    return Asked(
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
        calls = [one for one in blocks if one["type"] == "tool_use"]
        yield Message(
            "assistant",
            flat([one for one in blocks if one["type"] == "text"]),
            tuple(Call(one["name"], one["input"], one["id"]) for one in calls),
        )
        return
    for one in blocks:
        if one["type"] == "tool_result":
            yield Message("tool", flat(one.get("content")), call_id=one["tool_use_id"])
        else:
            yield Message("system" if role == "system" else "user", flat(one.get("text")))


def whole(reply: Reply, asked: Asked) -> Json:
    """Return an answer in one piece."""
    usage = reply.usage or Usage()
    content: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{number}", "name": call.name, "input": call.params}
        for number, call in enumerate(reply.calls, 1)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
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


def pieces(reply: Reply, asked: Asked) -> Iterator[Piece]:
    """Return an answer as the events of a stream."""
    message = whole(reply, asked)
    begun = {**message, "content": [], "stop_reason": None}
    begun["usage"] = {**message["usage"], "output_tokens": 1}
    yield _event("message_start", message=begun)
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=message["usage"])
    yield _event("message_stop")


def _block(index: int, block: Json) -> Iterator[Piece]:
    if block["type"] == "text":
        begun, kind, field, text = {**block, "text": ""}, "text_delta", "text", block["text"]
    else:
        begun, kind, field = {**block, "input": {}}, "input_json_delta", "partial_json"
        text = json.encode(block["input"]).decode()
    yield _event("content_block_start", index=index, content_block=begun)
    for piece in chunks(text):
        yield _event("content_block_delta", index=index, delta={"type": kind, field: piece})
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: object) -> Piece:
    return kind, {"type": kind, **fields}


def error(status: int, message: str) -> Json:
    """Return what is said with a status that is not 200."""
    kinds = {429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error"}
    kind = kinds.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}
