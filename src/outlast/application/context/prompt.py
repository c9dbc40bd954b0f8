"""The messages that open a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import quote
from outlast.application.context.plan_block import plan_message
from outlast.application.context.prompts import prompt
from outlast.application.context.summary import resume_summary
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.context.summary import SettledAttempt
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

_MESSAGE_CHARACTERS: Final = 100_000
PLANNING: Final = "planning"


def opening_messages(
    message: str, language: Language = "en", *, guide: str = PLANNING
) -> list[Message]:
    """Return the opening of a new conversation: system prompt and the user's message.

    `guide` is the prompt about the plan and its tools; empty if there will be no plan.
    """
    return [_system_message(language, guide), user_message(message)]


def resume_messages(  # noqa: PLR0913 - all that a beginning is made of
    message: str,
    plan: PlanView,
    limit: int,
    language: Language = "en",
    settled: Iterable[SettledAttempt] = (),
    *,
    guide: str = PLANNING,
) -> list[Message]:
    """Return the opening of a conversation about an existing plan: it starts with a summary."""
    history = text("resuming", language, summary=resume_summary(plan, limit, language, settled))
    instruction = text("instruction", language, text=quote(message, _MESSAGE_CHARACTERS))
    return [_system_message(language, guide), Message("user", f"{history}\n\n{instruction}")]


def aside_messages(message: str, plan: PlanView, language: Language = "en") -> tuple[Message, ...]:
    """Return the messages for a question beside a paused plan, with the plan as it is."""
    system = Message("system", prompt("aside", language))
    return system, plan_message(plan, language, foot=""), user_message(message)


def user_message(message: str) -> Message:
    """Return a person's message, escaped and truncated."""
    return Message("user", quote(message, _MESSAGE_CHARACTERS))


def _system_message(language: Language, guide: str) -> Message:
    parts = ("system", guide) if guide else ("system",)
    return Message("system", "\n\n".join(prompt(part, language) for part in parts))
