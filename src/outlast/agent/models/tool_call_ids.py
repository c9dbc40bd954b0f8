"""Match tool results to their calls by unique call ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.context.chat_model import Call, Message


def renumber_calls(messages: Sequence[Message]) -> list[Message]:
    """Give every call a unique id, and every result the id of its call.

    A model may omit ids or use one twice. A result without a call becomes a user message.
    """
    conversation, number = [], 0
    waiting: list[tuple[str, str]] = []
    for message in messages:
        if message.role == "tool":
            conversation.append(_match_result(message, waiting))
            continue
        calls = []
        if message.calls:
            waiting.clear()  # earlier calls without a result get none any more
        for call in message.calls:
            number += 1
            calls.append(replace(call, id=f"call_{number}"))
            waiting.append((call.id, calls[-1].id))
        conversation.append(replace(message, calls=tuple(calls)) if calls else message)
    return conversation


def _match_result(message: Message, waiting: list[tuple[str, str]]) -> Message:
    for position, (original, renumbered) in enumerate(waiting):
        if original == message.call_id:
            del waiting[position]
            return replace(message, call_id=renumbered)
    return replace(message, role="user", call_id="")


def tool_results(messages: Sequence[Message]) -> list[tuple[Call, str]]:
    """Return the answered calls with their results, in order."""
    calls: dict[str, Call] = {}
    answered = []
    for message in renumber_calls(messages):
        calls.update((call.id, call) for call in message.calls)
        if message.role == "tool":
            answered.append((calls[message.call_id], message.text))
    return answered
