"""Prompts, one file per language, and the messages that open a conversation."""

from __future__ import annotations

from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING, Final

from outlast.context.chat_model import Message
from outlast.context.escape import quote
from outlast.context.plan_block import plan_message
from outlast.language import Language, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.context.plan_view import PlanView

_MESSAGE_CHARACTERS: Final = 100_000
PLANNING: Final = "planning"


@cache
def prompt(name: str, language: Language = "en") -> str:
    """Return a prompt; raise `FileNotFoundError` if there is none with this name."""
    data = get_data(__name__, f"{name}.{language}.md")
    if data is None:
        raise FileNotFoundError(name)
    return data.decode().strip()


def system_message(
    language: Language = "en", *, guide: str = PLANNING, can_ask: bool = True
) -> Message:
    """Return the system prompt.

    `guide` is the prompt about the plan and its tools; empty if there will be no plan. `can_ask`
    tells whether the user can answer questions.
    """
    asking = "attended" if can_ask else "unattended"
    parts = ("system", guide, asking) if guide else ("system",)
    return Message("system", "\n\n".join(prompt(part, language) for part in parts))


def resume_message(history: str, instruction: str, language: Language = "en") -> Message:
    """Return what opens the work on an existing plan: what has happened, and what a person says."""
    head = text("resuming", language, summary=history)
    tail = text("instruction", language, text=quote(instruction, _MESSAGE_CHARACTERS))
    return Message("user", f"{head}\n\n{tail}")


def exchange_note(language: Language = "en") -> Message:
    """Return what stands before an exchange of an earlier conversation: it opens with the user."""
    return Message("user", text("exchange_before", language))


def brief_message(brief: str, language: Language = "en") -> Message:
    """Return the brief of a plan that is not resumed."""
    return Message("user", text("brief_aside", language, brief=brief))


def aside_messages(
    conversation: Sequence[Message], plan: PlanView, language: Language = "en"
) -> tuple[Message, ...]:
    """Return a conversation beside a paused plan; the plan stands before its last message."""
    system = Message("system", prompt("aside", language))
    block = plan_message(plan, language, foot="")
    return system, *conversation[:-1], block, conversation[-1]


def user_message(message: str) -> Message:
    """Return a person's message, escaped and truncated."""
    return Message("user", quote(message, _MESSAGE_CHARACTERS))
