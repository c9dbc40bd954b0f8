"""What `/plan` shows: the task at hand, and the others that are not over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context.escape import one_line
from outlast.language import STATUS_ICONS, text, visible, with_details

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.assistant.pending_task import PendingPlanTask
    from outlast.language import Language

_GOAL_CHARACTERS: Final = 200
_STATES: Final = {
    "waiting": "task_waiting",
    "paused": "status_paused",
    "interrupted": "status_interrupted",
    "working": "task_working",
}


def task_page(task: PendingPlanTask, language: Language) -> str:
    """Show a task: its goal, its items, its counts, and what it waits for."""
    lines = [text("task_goal", language, goal=goal_line(task.goal))]
    lines += [_item("completed", name) for name in task.finished_items]
    for number, name in enumerate(task.plan_items):
        if number >= task.current_plan_index:
            is_current = number == task.current_plan_index
            lines.append(_item("in_progress" if is_current else "pending", name))
    lines.append(
        text(
            "task_steps",
            language,
            steps=task.step_count,
            limit=task.step_limit,
            succeeded=task.successful_steps,
            failed=task.failed_steps,
        )
    )
    state = describe_state(task, language)
    if task.state in ("paused", "interrupted"):
        state = text("task_continues", language, state=state)
    lines.append(state[:1].upper() + state[1:])
    lines += map(visible, _question_lines(task)[1:])
    return "\n".join(lines)


def task_lines(tasks: Sequence[PendingPlanTask], language: Language) -> str:
    """List other tasks that are not over; empty if there are none."""
    if not tasks:
        return ""
    entries = (
        with_details(goal_line(task.goal), describe_state(task, language), language)
        for task in tasks
    )
    lines = (f"- {entry}" for entry in entries)
    return "\n".join((text("tasks_unfinished", language), *lines))


def describe_state(task: PendingPlanTask, language: Language) -> str:
    """Say what a task waits for."""
    question = goal_line("".join(_question_lines(task)[:1]))
    return text(_STATES[task.state], language, question=question)


def _question_lines(task: PendingPlanTask) -> list[str]:
    """Return the lines of the question that waits; a plan to review has several."""
    if task.state != "waiting":
        return []
    asked = task.last_ask_user_question if task.awaiting_clarification else task.question_shown
    return (asked or "").splitlines()


def _item(status: str, name: str) -> str:
    return f"{STATUS_ICONS[status]} {goal_line(name)}"


def goal_line(words: str) -> str:
    """Return a goal, a question or an item in one line that is safe for a terminal."""
    return one_line(" ".join(words.split()), _GOAL_CHARACTERS)
