"""A language model: it is shown messages and tools, and replies with text and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

Role = Literal["system", "user", "assistant", "tool"]
Json = dict[str, Any]


class ToolSpec(Struct, frozen=True):
    """A tool as a model is told of it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: Json


class Call(Struct, frozen=True):
    """A tool that a model wants to be run; its own `id` goes back with the result."""

    name: str
    params: Json = {}
    id: str = ""


class Message(Struct, frozen=True):
    """One message of a conversation; `call_id` says which call a tool's message answers."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str = ""


class Reply(Struct, frozen=True):
    """What a model answers; with calls it has not finished."""

    text: str = ""
    calls: tuple[Call, ...] = ()


class Model(Protocol):
    """Something that thinks."""

    async def think(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Answer a conversation, or raise `ModelFailed`."""
