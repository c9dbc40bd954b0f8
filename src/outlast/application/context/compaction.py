"""A conversation that has grown too long, begun anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.model import Message


def size(messages: Sequence[Message]) -> int:
    """Return about how many characters messages have."""
    return sum(
        len(message.text) + sum(len(str(call.params)) for call in message.calls)
        for message in messages
    )


def last_within(messages: Sequence[Message], longest: int) -> list[Message]:
    """Return as many of the last messages as are no longer than this."""
    place = len(messages)
    while place and size(messages[place - 1 :]) <= longest:
        place -= 1
    return [*messages[place:]]


def last_exchange(messages: Sequence[Message], longest: int) -> tuple[Message, ...]:
    """Return the last thing that the model said with all that came of it, unless that is longer."""
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "assistant":
            found = tuple(messages[place:])
            return found if size(found) <= longest else ()
    return ()
