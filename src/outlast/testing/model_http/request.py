"""A request to a model, independent of its protocol."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from outlast.context.chat_model import Call, Message, Reply, ToolSpec

Json = dict[str, Any]
StreamEvent = tuple[str, Json | str]


class ModelRequest(Struct, frozen=True):
    """A parsed request; `body` is the raw JSON, header names are lowercase."""

    path: str
    headers: dict[str, str]
    body: Json
    model: str
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    stream: bool = False


def flatten_text(content: object) -> str:
    """Return the text of a message, joining its content blocks."""
    if isinstance(content, list):
        return "\n".join(flatten_text(block.get("text", block.get("content"))) for block in content)
    return content if isinstance(content, str) else ""


def split_chunks(text: str, size: int = 24) -> list[str]:
    """Split a text into pieces for a stream."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def number_reply(request: ModelRequest) -> int:
    """Return the number of the reply to a request, unique in its conversation."""
    return 1 + sum(message.role == "assistant" for message in request.messages)


def number_calls(reply: Reply, request: ModelRequest) -> list[tuple[int, Call]]:
    """Return the calls of a reply, each with a number that is unique in its conversation."""
    earlier = sum(len(message.calls) for message in request.messages)
    return list(enumerate(reply.calls, 1 + earlier))
