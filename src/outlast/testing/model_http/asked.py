"""A request to a model, whatever protocol it came in."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from outlast.ports.model import Message, ToolSpec

Json = dict[str, Any]
Piece = tuple[str, Json | str]


class Asked(Struct, frozen=True):
    """What a client wants: `body` is the request as it came, `headers` are in small letters."""

    path: str
    headers: dict[str, str]
    body: Json
    model: str
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    stream: bool = False


def flat(content: object) -> str:
    """Return the text of a message, which may come in blocks."""
    if isinstance(content, list):
        return "\n".join(flat(one.get("text", one.get("content"))) for one in content)
    return content if isinstance(content, str) else ""


def chunks(text: str, size: int = 24) -> list[str]:
    """Return a text in the pieces in which it is streamed."""
    return [text[at : at + size] for at in range(0, len(text), size)]
