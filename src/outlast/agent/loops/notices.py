"""What a loop tells people: the model's text, notices, answers to slash commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.events import Notified, Said
from outlast.context.escape import one_line
from outlast.context.summary import progress_summary
from outlast.language import Language, text
from outlast.model.markers import without_markers

if TYPE_CHECKING:
    from outlast.context.plan_view import PlanView

_COMMAND_CHARACTERS: Final = 40


def answer_slash_command(command: str, plan: PlanView, limit: int, language: Language) -> str:
    """Return the answer to a slash command; the answer needs no model."""
    if command == "help":
        return text("loop_help", language)
    if command == "plan":
        if plan.is_scratch:
            return text("no_plan_exists", language)
        return progress_summary(plan, limit, language)
    return text("unknown_command", language, command=one_line(command, _COMMAND_CHARACTERS))


def emit_message(message: str) -> e.Loop[None]:
    """Send the model's text to the listener, unless it has only markers or nothing at all."""
    if without_markers(message):
        yield from e.Emit(Said(message))


def emit_notice(notification: str, kind: str = "hook") -> e.Loop[None]:
    """Send a notice to the listener, unless it is empty."""
    if notification:
        yield from e.Emit(Notified(notification, kind))
