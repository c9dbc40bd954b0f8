"""A language model: it is shown messages and tools, and replies with text and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


class Usage(Struct, frozen=True, omit_defaults=True):
    """What a reply has cost: tokens, and dollars where the price is known.

    `cached` are those of the input that the provider had seen before.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    money: float | None = None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input + self.output


class Price(Struct, frozen=True):
    """Dollars for a million tokens."""

    input: float
    output: float


class Reply(Struct, frozen=True):
    """What a model answers; with calls it has not finished. Without usage nobody counted.

    `unread` is how many calls it made with arguments that nobody can read.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage | None = None
    unread: int = 0


class Model(Protocol):
    """Something that thinks."""

    @property
    def name(self) -> str:
        """What people call it by."""

    @property
    def price(self) -> Price | None:
        """What it costs, where that is known."""

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Answer a conversation, or raise `ModelFailed`.

        The answer has at most `max_tokens`; pieces of its text are told as they arrive.
        """
