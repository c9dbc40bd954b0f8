"""The OpenAI protocol: `/v1/chat/completions`, whole and streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from msgspec import DecodeError, json

from outlast.ports.model import Call, Message, ToolSpec, Usage
from outlast.testing.model_http.asked import Asked, chunks, flat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.ports.model import Reply, Role
    from outlast.testing.model_http.asked import Json, Piece

PATH: Final = "/v1/chat/completions"
DONE: Final = "[DONE]"
WRONG: Final[Json] = {"object": "chat.completion", "choices": "none", "usage": "many", "model": 7}
WRONG_PIECES: Final[tuple[Piece, ...]] = (
    ("", {"object": "chat.completion.chunk", "choices": [{"delta": {"tool_calls": 42}}]}),
    ("", {"object": "chat.completion.chunk", "choices": "none", "usage": "many"}),
)


def read(path: str, headers: dict[str, str], body: Json) -> Asked:
    """Understand a request."""
    tools = tuple(
        ToolSpec(one["name"], one.get("description", ""), one["parameters"])
        for one in (tool["function"] for tool in body.get("tools", ()))
    )
    return Asked(
        path,
        headers,
        body,
        body["model"],
        tuple(_message(one) for one in body["messages"]),
        tools,
        body.get("max_completion_tokens", body.get("max_tokens")),
        bool(body.get("stream")),
    )


def _message(message: Json) -> Message:
    role = "system" if message["role"] == "developer" else message["role"]
    calls = tuple(
        Call(one["function"]["name"], _params(one["function"]["arguments"]), one["id"])
        for one in message.get("tool_calls") or ()
    )
    text = flat(message.get("content"))
    return Message(cast("Role", role), text, calls, message.get("tool_call_id", ""))


def _params(written: str) -> Json:
    try:
        return json.decode(written or "{}", type=dict)
    except DecodeError:
        return {}


def whole(reply: Reply, asked: Asked) -> Json:
    """Return an answer in one piece."""
    message: Json = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _calls(reply)
    return {
        "id": "chatcmpl_1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": _reason(reply)}],
        "usage": _usage(reply),
    }


def pieces(reply: Reply, asked: Asked) -> Iterator[Piece]:
    """Return an answer as the events of a stream."""

    def chunk(delta: Json, reason: str | None = None) -> Piece:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return "", {**common, "choices": [choice], "usage": None}

    kind = "chat.completion.chunk"
    common = {"id": "chatcmpl_1", "object": kind, "created": 1, "model": asked.model}
    yield chunk({"role": "assistant", "content": ""})
    for piece in chunks(reply.text):
        yield chunk({"content": piece})
    for index, call in enumerate(_calls(reply)):
        written = call["function"]["arguments"]
        begun = {**call["function"], "arguments": ""}
        yield chunk({"tool_calls": [{**call, "index": index, "function": begun}]})
        for piece in chunks(written):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _reason(reply))
    yield "", {**common, "choices": [], "usage": _usage(reply)}
    yield "", DONE


def _calls(reply: Reply) -> list[Json]:
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.encode(call.params).decode()},
        }
        for number, call in enumerate(reply.calls, 1)
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


def error(status: int, message: str) -> Json:
    """Return what is said with a status that is not 200."""
    return {"error": {"message": message, "type": "error", "code": str(status)}}
