"""Measure requests to a model, each message once, however long the conversation is."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from msgspec import Struct, json

from outlast.context.chat_model import Message

if TYPE_CHECKING:
    from outlast.context.chat_model import ToolSpec


class RequestSize(Struct, frozen=True):
    """The size of a request, in bytes and characters.

    No tokenizer makes more tokens than bytes, so `max_tokens` bounds the input. The `new` messages
    are those that the request before did not have.
    """

    characters: int
    max_tokens: int
    new: tuple[Message, ...]
    digest: str


class _Prefix(Struct, frozen=True):
    """The beginning of a conversation: its size, and the hash of its messages."""

    bytes: int
    characters: int
    hash: Any

    def extend(self, message: Message) -> _Prefix:
        encoded = json.encode(message)
        longer = self.hash.copy()
        longer.update(encoded)
        return _Prefix(self.bytes + len(encoded), self.characters + len(message.text), longer)


class RequestCursor:
    """Compares each request with the one before, which usually is its beginning.

    `last` is the size of the request that was measured last.
    """

    def __init__(self) -> None:
        self.last = RequestSize(0, 0, (), "")
        self._messages: tuple[Message, ...] = ()
        self._prefixes = [_Prefix(0, 0, sha256())]  # of each length
        self._tools: tuple[ToolSpec, ...] = ()
        self._tool_bytes = 0
        self._counted_tokens: int | None = None
        self._counted_messages = 0  # that this request shares with the one that was counted

    def measure(self, messages: tuple[Message, ...], tools: tuple[ToolSpec, ...]) -> RequestSize:
        """Measure a request; only messages that the last one did not have are encoded."""
        if tools != self._tools:
            self._tools, self._tool_bytes = tools, sum(len(json.encode(tool)) for tool in tools)
            self._counted_tokens = None
        same = _common_prefix(self._messages, messages)
        self._counted_messages = min(self._counted_messages, same)
        del self._prefixes[same + 1 :]
        for message in messages[same:]:
            self._prefixes.append(self._prefixes[-1].extend(message))
        replaced, self._messages = self._messages[same:], messages  # usually the plan's block
        new = tuple(message for message in messages[same:] if message not in replaced)
        whole = self._prefixes[-1]
        self.last = RequestSize(
            whole.characters + self._tool_bytes, self._max_tokens(), new, whole.hash.hexdigest()
        )
        return self.last

    def count(self, input_tokens: int) -> None:
        """Remember how many tokens the request measured last had."""
        self._counted_tokens, self._counted_messages = input_tokens, len(self._messages)

    def _max_tokens(self) -> int:
        """Return the bytes of the request, or the counted tokens and the bytes that are new."""
        whole = self._prefixes[-1].bytes
        if self._counted_tokens is None:
            return whole + self._tool_bytes
        new_bytes = whole - self._prefixes[self._counted_messages].bytes
        return min(whole + self._tool_bytes, self._counted_tokens + new_bytes)


def _common_prefix(first: tuple[Message, ...], second: tuple[Message, ...]) -> int:
    """Return how many messages two conversations have in common at their beginning."""
    length = min(len(first), len(second))
    if first[:length] == second[:length]:  # identical objects are equal at once
        return length
    return next(index for index in range(length) if first[index] != second[index])
