"""Which call of a conversation each message of a tool answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.ports.model import Call, Message


def numbered(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation in which every call has an id of its own, and every answer has it.

    What a model calls a call may be missing, or used twice. An answer to nothing becomes a message.
    """
    found, number = [], 0
    waiting: list[tuple[str, str]] = []
    for message in messages:
        if message.role == "tool":
            found.append(_answer(message, waiting))
            continue
        calls = []
        if message.calls:
            waiting.clear()  # what was not answered by now never will be
        for call in message.calls:
            number += 1
            calls.append(replace(call, id=f"call_{number}"))
            waiting.append((call.id, calls[-1].id))
        found.append(replace(message, calls=tuple(calls)) if calls else message)
    return found


def _answer(message: Message, waiting: list[tuple[str, str]]) -> Message:
    for place, (given, own) in enumerate(waiting):
        if given == message.call_id:
            del waiting[place]
            return replace(message, call_id=own)
    return replace(message, role="user", call_id="")


def results(messages: Sequence[Message]) -> list[tuple[Call, str]]:
    """Return the calls that were answered, each with what came of it, the last answer last."""
    calls: dict[str, Call] = {}
    found = []
    for message in numbered(messages):
        calls.update((call.id, call) for call in message.calls)
        if message.role == "tool":
            found.append((calls[message.call_id], message.text))
    return found
