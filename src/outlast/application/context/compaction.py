"""Measure and shorten a conversation that has grown too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.context.tool_results import truncate_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.model import Message
    from outlast.texts import Language

_CUT_NOTE: Final = 60  # characters of the note about what was left out


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


def last_exchange(
    messages: Sequence[Message], limit: int, language: Language = "en"
) -> tuple[Message, ...]:
    """Return the model's last message and everything after it, within `limit` characters.

    Tool results are truncated to fit. Return nothing if that is not enough.
    """
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "assistant":
            exchange = tuple(messages[index:])
            return (
                exchange
                if conversation_size(exchange) <= limit
                else _truncate_results(exchange, limit, language)
            )
    return ()


def _truncate_results(
    messages: tuple[Message, ...], limit: int, language: Language
) -> tuple[Message, ...]:
    results = [message for message in messages if message.role == "tool"]
    room = limit - conversation_size(messages) + conversation_size(results)
    share = room // max(len(results), 1) - _CUT_NOTE
    if share < _CUT_NOTE:
        return ()
    return tuple(
        replace(message, text=truncate_result(message.text, share, language))
        if message.role == "tool"
        else message
        for message in messages
    )
