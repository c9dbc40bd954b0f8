"""The plan as every request shows it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.context.blocks import TOOL_NAMES
from outlast.context.chat_model import Message
from outlast.context.escape import escape_to_tokens
from outlast.context.summary import current_step, hidden_line, step_lines
from outlast.context.tokens import estimate_tokens
from outlast.language import LANGUAGES, Language, text
from outlast.model.limits import check_choice
from outlast.model.model import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.context.plan_view import PlanView

_TOKENS: Final = 300  # of the block and its request
_OWN_WORDS: Final = 0.88  # tokens of our own texts, compared with their estimate
_REQUEST: Final = 45  # tokens of the request
_NEXT_STEPS: Final = 3
_NAME: Final = 24  # tokens of the current step's name, and of its description, if the goal is long
_NEXT_NAME: Final = 12  # of a next step's name
_CHARACTERS: Final = 2_000  # more never fit
_NO_TASK: Final = Task(0, "")
_estimate_again: Final = lru_cache(estimate_tokens)  # the same texts are in many requests


def plan_block(
    plan: PlanView, language: Language = "en", foot: str = "block_foot", **values: str
) -> str:
    """Return the plan in few words; the same bytes as long as nothing has changed.

    `foot` is the key of the text that says how to continue, `values` fill it in. What is free of
    300 tokens goes to the goal first, then to the current step, then to the next ones.
    """
    foot_lines = (text(foot, language, **values),) if foot else ()
    upcoming = tuple(_next_steps(plan))
    whole = _join(plan, language, _Limits(upcoming), foot_lines)
    if _estimate_again(whole) <= _TOKENS - _REQUEST:
        return whole
    frame = _join(plan, language, _Limits(upcoming, 0, 0, 0, 0), foot_lines)
    room = _TOKENS - _REQUEST - _OWN_WORDS * _estimate_again(frame)
    return _join(plan, language, _share_out(plan, upcoming, room), foot_lines)


def agent_plan_block(plan: PlanView, language: Language, which: str, prefix: str) -> str:
    """Return the plan block for an agent with a loop of its own, which was offered a set of tools.

    The last line names those tools, as they were offered: with a prefix.
    """
    check_choice(language, "language", LANGUAGES)
    names = TOOL_NAMES[check_choice(which, "which", TOOL_NAMES)]
    offered = {key: f"{prefix}{name}" for key, name in names.items()}
    return plan_block(plan, language, _agent_foot(plan), **offered)


def command_plan_block(plan: PlanView, language: Language, add: str, complete: str) -> str:
    """Return the plan block for an agent that works with these commands in a shell."""
    return plan_block(plan, language, _agent_foot(plan), add=f"`{add}`", complete=f"`{complete}`")


def plan_message(plan: PlanView, language: Language = "en", foot: str = "block_foot") -> Message:
    """Return the plan block as a message; with a foot, followed by a request.

    Without a request some models repeat a last message that is only information. Of a plan
    that has ended, a last word is requested.
    """
    if foot and plan.has_ended:
        key = "block_closing" if plan.status == "completed" else "block_failed"
        return _with_request(plan_block(plan, language, ""), key, language)
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
    if plan.needs_approval:
        return "agent_unapproved"
    return "agent_foot" if plan.current else "agent_next"


def _with_request(block: str, key: str, language: Language) -> Message:
    return Message("user", f"{block}\n\n{text(key, language)}")


class _Limits(Struct, frozen=True):
    """How many tokens each text from outside may have, and the next steps to list."""

    upcoming: tuple[Task, ...]
    goal: float = _TOKENS
    name: float = _TOKENS
    description: float = _TOKENS
    next_name: float = _TOKENS


def _share_out(plan: PlanView, upcoming: tuple[Task, ...], room: float) -> _Limits:
    """Share the free tokens out: to the goal first, then the current step, then the next ones."""
    task, kept = plan.current or _NO_TASK, _NEXT_NAME * len(upcoming)
    name, description = _count_tokens(task.name), _count_tokens(task.description)
    goal = min(_count_tokens(plan.goal), room - kept - min(name, _NAME) - min(description, _NAME))
    room -= goal
    name = min(name, room - kept - min(description, _NAME))
    room -= name
    description = min(description, room - kept)
    next_name = (room - description) / max(len(upcoming), 1)
    return _Limits(upcoming, goal, name, description, next_name)


def _join(plan: PlanView, language: Language, limits: _Limits, foot: tuple[str, ...]) -> str:
    return "\n".join(("<plan>", *_lines(plan, language, limits), *foot, "</plan>"))


def _lines(plan: PlanView, language: Language, limits: _Limits) -> Iterator[str]:
    yield text("block_head", language)
    yield text("block_goal", language, goal=escape_to_tokens(_on_one_line(plan.goal), limits.goal))
    progress = text("summary_progress", language, done=plan.done, total=plan.total)
    yield f"- {progress}"
    if plan.needs_approval:
        yield f"- {text('summary_unapproved', language)}"
    if not plan.total:
        yield text("block_empty", language)
    else:
        step = current_step(plan, language, limits.name, escape_to_tokens)
        yield f"- {step} ({plan.current_index + 1}/{plan.total})" if plan.current else f"- {step}"
    if plan.current:
        yield from _current_lines(plan.current, language, limits)
    for task in limits.upcoming:
        yield from step_lines((task,), plan, language, limits.next_name, escape_to_tokens)
    shown = sum(not task.finished for task in limits.upcoming) + (plan.current is not None)
    yield from hidden_line(plan.total - plan.done - shown, language)


def _current_lines(task: Task, language: Language, limits: _Limits) -> Iterator[str]:
    if task.description and limits.description:
        shown = escape_to_tokens(_on_one_line(task.description), limits.description)
        yield text("block_description", language, text=shown)
    if task.progress:
        current, total = task.progress.current, task.progress.total
        yield text("block_progress", language, current=current, total=total)


def _count_tokens(value: str) -> float:
    """Return about how many tokens a text on one line has, rather too many."""
    return _estimate_again(escape_to_tokens(_on_one_line(value), _TOKENS)) + 1


def _on_one_line(value: str) -> str:
    return " ".join(value[:_CHARACTERS].split())


def _next_steps(plan: PlanView) -> list[Task]:
    """Return a few other steps: those that could start, then those of others, then the rest."""
    first = (plan.next_ready,) if plan.next_ready else ()
    remaining = (*first, *plan.tasks[plan.current_index - plan.first_index :])
    others = [task for task in dict.fromkeys(remaining) if task != plan.current]
    return sorted(others, key=lambda task: _rank(task, plan))[:_NEXT_STEPS]


def _rank(task: Task, plan: PlanView) -> int:
    if task.status == "in_progress":
        return 1
    return 2 if task.id in plan.unmet_needs else 0
