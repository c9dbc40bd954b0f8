"""The OpenAI protocol of coding agents: `/v1/responses`, whole and streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from msgspec import json

from outlast.context.chat_model import Call, Message, Reply, Role, ToolSpec, Usage
from outlast.testing.model_http.openai import error_body, parse_params
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


__all__ = [
    "PATH",
    "WRONG_SHAPE",
    "WRONG_SHAPE_EVENTS",
    "error_body",
    "full_response",
    "parse_request",
    "stream_events",
]
PATH: Final = "/v1/responses"
WRONG_SHAPE: Final[Json] = {"object": "response", "output": 42, "usage": "many", "model": 7}
WRONG_SHAPE_EVENTS: Final[tuple[StreamEvent, ...]] = (
    ("response.created", {"type": "response.created", "response": 42}),
    ("response.output_item.done", {"type": "response.output_item.done", "item": "first"}),
)
_DONE: Final = "completed"


def parse_request(path: str, headers: dict[str, str], body: Json) -> ModelRequest:
    """Parse a request; raise `LookupError` or `TypeError` if it is malformed.

    Tools that the provider runs itself, such as a web search, are left out.
    """
    asked = body["input"]
    items = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    instructions = flatten_text(body.get("instructions"))
    messages = [Message("system", instructions)] if instructions else []
    messages += (message for item in items for message in _messages(item))
    tools = tuple(
        ToolSpec(tool["name"], tool.get("description", ""), tool.get("parameters", {}))
        for tool in body.get("tools", ())
        if tool["type"] == "function"
    )
    return ModelRequest(
        path,
        headers,
        body,
        body["model"],
        tuple(messages),
        tools,
        body.get("max_output_tokens"),
        bool(body.get("stream")),
    )


def _messages(item: Json) -> Iterator[Message]:
    match item.get("type", "message"):
        case "function_call":
            params = parse_params(item["arguments"])
            yield Message("assistant", "", (Call(item["name"], params, item["call_id"]),))
        case "function_call_output":
            yield Message("tool", flatten_text(item["output"]), call_id=item["call_id"])
        case "message":
            role = "system" if item["role"] == "developer" else item["role"]
            yield Message(cast("Role", role), flatten_text(item["content"]))


def full_response(reply: Reply, request: ModelRequest) -> Json:
    """Return the response without streaming."""
    usage, number = reply.usage or Usage(), number_reply(request)
    text = {"type": "output_text", "text": reply.text, "annotations": []}
    said: Json = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": _DONE}
    called = [
        {
            "type": "function_call",
            "id": f"fc_{at}",
            "call_id": f"call_{at}",
            "name": call.name,
            "arguments": json.encode(call.params).decode(),
            "status": _DONE,
        }
        for at, call in number_calls(reply, request)
    ]
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "model": request.model,
        "status": _DONE,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [*([{**said, "content": [text]}] if reply.text else ()), *called],
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.tokens,
        },
    }


def stream_events(reply: Reply, request: ModelRequest) -> Iterator[StreamEvent]:
    """Yield the response as stream events."""
    response = full_response(reply, request)
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events = [_event("response.created", response=begun)]
    for index, item in enumerate(response["output"]):
        events += (
            _message_events(index, item) if item["type"] == "message" else _call_events(index, item)
        )
        events.append(_event("response.output_item.done", output_index=index, item=item))
    events.append(_event("response.completed", response=response))
    for number, (kind, data) in enumerate(events):
        yield kind, {**data, "sequence_number": number}


def _message_events(index: int, item: Json) -> Iterator[tuple[str, Json]]:
    part = item["content"][0]
    place = {"item_id": item["id"], "output_index": index, "content_index": 0}
    begun = {**item, "status": "in_progress", "content": []}
    yield _event("response.output_item.added", output_index=index, item=begun)
    yield _event("response.content_part.added", **place, part={**part, "text": ""})
    for piece in split_chunks(part["text"]):
        yield _event("response.output_text.delta", **place, delta=piece)
    yield _event("response.output_text.done", **place, text=part["text"])
    yield _event("response.content_part.done", **place, part=part)


def _call_events(index: int, item: Json) -> Iterator[tuple[str, Json]]:
    place, written = {"item_id": item["id"], "output_index": index}, item["arguments"]
    begun = {**item, "status": "in_progress", "arguments": ""}
    yield _event("response.output_item.added", output_index=index, item=begun)
    for piece in split_chunks(written):
        yield _event("response.function_call_arguments.delta", **place, delta=piece)
    yield _event("response.function_call_arguments.done", **place, arguments=written)


def _event(kind: str, **fields: object) -> tuple[str, Json]:
    return kind, {"type": kind, **fields}
