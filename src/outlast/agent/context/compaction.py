"""Measure and shorten a conversation that has grown too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.context.chat_model import Message


def conversation_size(messages: Sequence[Message]) -> int:
    """Return the approximate number of characters of messages."""
    return sum(
        len(message.text) + sum(len(str(call.params)) for call in message.calls)
        for message in messages
    )


def tail_within(messages: Sequence[Message], limit: int) -> list[Message]:
    """Return as many of the last messages as fit into `limit` characters."""
    start = len(messages)
    while start and conversation_size(messages[start - 1 :]) <= limit:
        start -= 1
    return [*messages[start:]]
