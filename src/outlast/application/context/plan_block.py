"""The plan as every request carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import within
from outlast.application.context.task_lines import current, hidden, steps
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.model import Task
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

# Tokens, so that the block and what it is shown for have 300 at most.
_GOAL: Final = 33
_NAME: Final = 30
_SHORT: Final = 20
_SHOWN: Final = 3


def plan_block(
    plan: PlanView, language: Language = "en", foot: str = "block_foot", **named: str
) -> str:
    """Return the plan as it stands, in few words; the same bytes while nothing has changed.

    `foot` is the text that says how to go on, if anything does, and `named` what it speaks of.
    """
    how = (text(foot, language, **named),) if foot else ()
    return "\n".join(("<plan>", *_lines(plan, language), *how, "</plan>"))


def plan_message(plan: PlanView, language: Language = "en", foot: str = "block_foot") -> Message:
    """Return the plan block as a message; with a foot, also what it is shown for.

    A model whose last message is nothing but information may take it for what is to be repeated.
    Of a plan that is completed only an account is wanted.
    """
    if foot and plan.status == "completed":
        return _asking(plan_block(plan, language, ""), "block_closing", language)
    block = plan_block(plan, language, foot)
    return _asking(block, "block_next", language) if foot else Message("user", block)


def _asking(block: str, key: str, language: Language) -> Message:
    return Message("user", f"{block}\n\n{text(key, language)}")


def _lines(plan: PlanView, language: Language) -> Iterator[str]:
    yield text("block_head", language)
    yield text("block_goal", language, goal=within(plan.goal, _GOAL))
    progress = text("summary_progress", language, done=plan.done, total=plan.total)
    step = current(plan, language, _NAME, within)
    yield f"- {progress}"
    if not plan.total:
        yield text("block_empty", language)
    else:
        yield f"- {step} ({plan.place + 1}/{plan.total})" if plan.current else f"- {step}"
    reached = plan.current.progress if plan.current else None
    if reached:
        yield text("block_progress", language, current=reached.current, total=reached.total)
    following = _following(plan)
    yield from steps(following, language, _SHORT, within)
    shown = sum(not task.finished for task in following) + (plan.current is not None)
    yield from hidden(plan.total - plan.done - shown, language)


def _following(plan: PlanView) -> list[Task]:
    """Return the next few steps, without the current one, which is named already."""
    ahead = plan.tasks[plan.place - plan.before :]
    return [task for task in ahead if task != plan.current][:_SHOWN]
