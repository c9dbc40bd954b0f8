"""A conversation that has grown too long, begun anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.application.context.tool_results import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.model import Message
    from outlast.texts import Language

_NOTE: Final = 60  # characters that say how much was cut


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


def last_exchange(
    messages: Sequence[Message], longest: int, language: Language = "en"
) -> tuple[Message, ...]:
    """Return the last thing that the model said with all that came of it, no longer than this.

    What tools returned is cut for that; nothing is left if that does not suffice.
    """
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "assistant":
            found = tuple(messages[place:])
            return found if size(found) <= longest else _fitted(found, longest, language)
    return ()


def _fitted(messages: tuple[Message, ...], longest: int, language: Language) -> tuple[Message, ...]:
    results = [one for one in messages if one.role == "tool"]
    room = longest - size(messages) + size(results)
    share = room // max(len(results), 1) - _NOTE
    if share < _NOTE:
        return ()
    return tuple(
        replace(one, text=shortened(one.text, share, language)) if one.role == "tool" else one
        for one in messages
    )
