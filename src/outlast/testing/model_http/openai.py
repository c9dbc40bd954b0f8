"""The OpenAI protocol: `/v1/chat/completions`, whole and streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from msgspec import DecodeError, json

from outlast.context.chat_model import Call, Message, Reply, Role, ToolSpec, Usage
from outlast.testing.model_http.request import (
    Json,
    ModelRequest,
    StreamEvent,
    flatten_text,
    number_calls,
    split_chunks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


PATH: Final = "/v1/chat/completions"
DONE: Final = "[DONE]"
WRONG_SHAPE: Final[Json] = {
    "object": "chat.completion",
    "choices": "none",
    "usage": "many",
    "model": 7,
}
WRONG_SHAPE_EVENTS: Final[tuple[StreamEvent, ...]] = (
    ("", {"object": "chat.completion.chunk", "choices": [{"delta": {"tool_calls": 42}}]}),
    ("", {"object": "chat.completion.chunk", "choices": "none", "usage": "many"}),
)


def parse_request(path: str, headers: dict[str, str], body: Json) -> ModelRequest:
    """Parse a request; raise `LookupError` or `TypeError` if it is malformed."""
    tools = tuple(
        ToolSpec(function["name"], function.get("description", ""), function["parameters"])
        for function in (tool["function"] for tool in body.get("tools", ()))
    )
    return ModelRequest(
        path,
        headers,
        body,
        body["model"],
        tuple(_message(message) for message in body["messages"]),
        tools,
        body.get("max_completion_tokens", body.get("max_tokens")),
        bool(body.get("stream")),
    )


def _message(message: Json) -> Message:
    role = "system" if message["role"] == "developer" else message["role"]
    calls = tuple(
        Call(call["function"]["name"], parse_params(call["function"]["arguments"]), call["id"])
        for call in message.get("tool_calls") or ()
    )
    text = flatten_text(message.get("content"))
    return Message(cast("Role", role), text, calls, message.get("tool_call_id", ""))


def parse_params(encoded: str) -> Json:
    """Return the arguments of a call, which stand in a string; none if they are malformed."""
    try:
        return json.decode(encoded or "{}", type=dict)
    except DecodeError:
        return {}


def full_response(reply: Reply, request: ModelRequest) -> Json:
    """Return the response without streaming."""
    message: Json = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _calls(reply, request)
    return {
        "id": "chatcmpl_1",
        "object": "chat.completion",
        "created": 1,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "finish_reason": _reason(reply)}],
        "usage": _usage(reply),
    }


def stream_events(reply: Reply, request: ModelRequest) -> Iterator[StreamEvent]:
    """Yield the response as stream events."""

    def chunk(delta: Json, reason: str | None = None) -> StreamEvent:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return "", {**common, "choices": [choice], "usage": None}

    kind = "chat.completion.chunk"
    common = {"id": "chatcmpl_1", "object": kind, "created": 1, "model": request.model}
    yield chunk({"role": "assistant", "content": ""})
    for piece in split_chunks(reply.text):
        yield chunk({"content": piece})
    for index, call in enumerate(_calls(reply, request)):
        written = call["function"]["arguments"]
        start = {**call["function"], "arguments": ""}
        yield chunk({"tool_calls": [{**call, "index": index, "function": start}]})
        for piece in split_chunks(written):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _reason(reply))
    yield "", {**common, "choices": [], "usage": _usage(reply)}
    yield "", DONE


def _calls(reply: Reply, request: ModelRequest) -> list[Json]:
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.encode(call.params).decode()},
        }
        for number, call in number_calls(reply, request)
    ]


def _reason(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "stop"


def _usage(reply: Reply) -> Json:
    usage = reply.usage or Usage()
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def error_body(status: int, message: str) -> Json:
    """Return the body of an error response."""
    return {"error": {"message": message, "type": "error", "code": str(status)}}
