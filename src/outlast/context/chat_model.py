"""The protocol of a model: messages and tools in, text and tool calls out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from outlast.redact.text_fields import JsonValues, Text

Role = Literal["system", "user", "assistant", "tool"]
Json = dict[str, Any]


class ToolSpec(Struct, frozen=True):
    """The description of a tool that a model gets; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: Json


class Call(Struct, frozen=True):
    """A tool call that a model requests; the result carries its `id`."""

    name: Text
    params: JsonValues[Json] = {}
    id: Text = ""


class Message(Struct, frozen=True):
    """One message of a conversation; `call_id` links a tool result to its call."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str = ""


class Usage(Struct, frozen=True, omit_defaults=True):
    """The cost of a reply: tokens, and dollars if the price is known.

    `cached` counts the input tokens that the provider read from its cache.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    money: float | None = None

    @property
    def tokens(self) -> int:
        """Input and output tokens."""
        return self.input + self.output


class Price(Struct, frozen=True):
    """Dollars per million tokens."""

    input: float
    output: float

    def cost(self, usage: Usage) -> float:
        """Return the dollars for the tokens of a reply."""
        return (usage.input * self.input + usage.output * self.output) / 1_000_000


class Reply(Struct, frozen=True):
    """A model's answer; with `calls` the model expects their results and goes on.

    `usage` is None if the provider reported none. `invalid_calls` counts the calls that were
    dropped because their arguments could not be parsed.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage | None = None
    invalid_calls: int = 0


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The name shown to people."""

    @property
    def price(self) -> Price | None:
        """The price, or None if it is unknown."""

    async def think(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        max_tokens: int | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> Reply:
        """Answer a conversation with at most `max_tokens`, or raise `ModelFailed`.

        Calls `on_text` with each piece of text as it arrives.
        """
