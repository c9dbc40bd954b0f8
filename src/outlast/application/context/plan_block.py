"""The plan as every request shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.application.context.escape import escape_to_tokens
from outlast.application.context.task_lines import current_step, hidden_line, step_lines
from outlast.domain.limits import check_choice
from outlast.ports.model import Message
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.model import Task
    from outlast.ports.effects import PlanView
    from outlast.texts import Language

# In tokens, chosen so that the block and its request have at most 300.
_GOAL: Final = 33
_NAME: Final = 30
_NEXT_NAME: Final = 20
_NEXT_STEPS: Final = 3
_LANGUAGES: Final = ("en", "zh")
_TOOL_NAMES: Final = {
    "default": {"add": "add_tasks", "complete": "complete_task"},
    "full": {"add": "addTask", "complete": "completeTask"},
}


def plan_block(
    plan: PlanView, language: Language = "en", foot: str = "block_foot", **values: str
) -> str:
    """Return the plan in few words; the same bytes as long as nothing has changed.

    `foot` is the key of the text that says how to continue, `values` fill it in.
    """
    foot_lines = (text(foot, language, **values),) if foot else ()
    return "\n".join(("<plan>", *_lines(plan, language), *foot_lines, "</plan>"))


def agent_plan_block(plan: PlanView, language: Language, which: str, prefix: str) -> str:
    """Return the plan block for an agent with a loop of its own, which was offered a set of tools.

    The last line names those tools, as they were offered: with a prefix.
    """
    check_choice(language, "language", _LANGUAGES)
    names = _TOOL_NAMES[check_choice(which, "which", _TOOL_NAMES)]
    offered = {key: f"{prefix}{name}" for key, name in names.items()}
    return plan_block(plan, language, _agent_foot(plan), **offered)


def plan_message(plan: PlanView, language: Language = "en", foot: str = "block_foot") -> Message:
    """Return the plan block as a message; with a foot, followed by a request.

    Without a request some models repeat a last message that is only information. For a completed
    plan the request is for a summary.
    """
    if foot and plan.status == "completed":
        return _with_request(plan_block(plan, language, ""), "block_closing", language)
    block = plan_block(plan, language, foot)
    return _with_request(block, "block_next", language) if foot else Message("user", block)


def _agent_foot(plan: PlanView) -> str:
    """Return the key of the text that tells the model what to do next."""
    if plan.status == "paused":
        return "agent_paused"
    if not plan.total:
        return "agent_empty"
    if plan.has_ended:
        return "agent_ended"
    return "agent_foot" if plan.current else "agent_next"


def _with_request(block: str, key: str, language: Language) -> Message:
    return Message("user", f"{block}\n\n{text(key, language)}")


def _lines(plan: PlanView, language: Language) -> Iterator[str]:
    yield text("block_head", language)
    yield text("block_goal", language, goal=escape_to_tokens(plan.goal, _GOAL))
    progress = text("summary_progress", language, done=plan.done, total=plan.total)
    step = current_step(plan, language, _NAME, escape_to_tokens)
    yield f"- {progress}"
    if not plan.total:
        yield text("block_empty", language)
    else:
        yield f"- {step} ({plan.current_index + 1}/{plan.total})" if plan.current else f"- {step}"
    reached = plan.current.progress if plan.current else None
    if reached:
        yield text("block_progress", language, current=reached.current, total=reached.total)
    upcoming = _next_steps(plan)
    yield from step_lines(upcoming, plan, language, _NEXT_NAME, escape_to_tokens)
    shown = sum(not task.finished for task in upcoming) + (plan.current is not None)
    yield from hidden_line(plan.total - plan.done - shown, language)


def _next_steps(plan: PlanView) -> list[Task]:
    """Return the next few steps after the current one; first the one that could start now."""
    first = (plan.next_ready,) if plan.next_ready else ()
    remaining = (*first, *plan.tasks[plan.current_index - plan.first_index :])
    return [task for task in dict.fromkeys(remaining) if task != plan.current][:_NEXT_STEPS]
