"""Slash commands: what a person can have without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.context.escape import plain
from outlast.application.context.summary import progress_summary
from outlast.texts import text

if TYPE_CHECKING:
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

_NAME = 40


def slash(command: str, plan: PlanView, limit: int, language: Language) -> str:
    """Return the answer to a slash command that only shows something."""
    if command == "help":
        return text("loop_help", language)
    if command == "plan":
        return (
            progress_summary(plan, limit, language)
            if plan.kept
            else text("no_plan_exists", language)
        )
    return text("unknown_command", language, command=plain(command, _NAME))
