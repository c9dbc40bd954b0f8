"""How a conversation begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import quoted
from outlast.application.context.plan_block import plan_message
from outlast.application.context.prompts import prompt
from outlast.application.context.summary import resume_summary
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.context.summary import Settled
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

_SAID: Final = 100_000
PLANNING: Final = "planning"


def opening(message: str, language: Language = "en", *, guide: str = PLANNING) -> list[Message]:
    """Return how a conversation begins that has nothing behind it: with what the user says.

    `guide` is the prompt about the plan and its tools; none where there is to be no plan.
    """
    return [_system(language, guide), user_message(message)]


def resuming(  # noqa: PLR0913 - all that a beginning is made of
    message: str,
    plan: PlanView,
    limit: int,
    language: Language = "en",
    settled: Iterable[Settled] = (),
    *,
    guide: str = PLANNING,
) -> list[Message]:
    """Return how a conversation begins on a plan with a past: with a summary of it."""
    told = text("resuming", language, summary=resume_summary(plan, limit, language, settled))
    said = text("instruction", language, text=quoted(message, _SAID))
    return [_system(language, guide), Message("user", f"{told}\n\n{said}")]


def aside(message: str, plan: PlanView, language: Language = "en") -> tuple[Message, ...]:
    """Return a question that is asked beside a paused plan, with the plan as it stands."""
    system = Message("system", prompt("aside", language))
    return system, plan_message(plan, language, foot=""), user_message(message)


def user_message(message: str) -> Message:
    """Return what a person says, cut."""
    return Message("user", quoted(message, _SAID))


def _system(language: Language, guide: str) -> Message:
    parts = ("system", guide) if guide else ("system",)
    return Message("system", "\n\n".join(prompt(part, language) for part in parts))
