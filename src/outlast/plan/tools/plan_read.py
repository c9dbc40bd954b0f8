"""`plan_read` (R4.10), the plan as text in the document's words, and `plan_details` (R0.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context.details import detail_page, indent_lines
from outlast.documents.markdown.syntax import ICONS
from outlast.language import text, visible
from outlast.model.limits import LARGEST_ID, check_number
from outlast.model.phase_status import drawn_status, phase_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.model.model import Task
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_STEPS: Final = 100  # of a larger plan, those around the first unfinished one
_BEFORE: Final = 20
_CHARACTERS: Final = 120
_PAGE_DIGITS: Final = 9


def plan_read(plan: Plan, include_completed: bool) -> str:  # noqa: FBT001 - the document's argument
    """Return the plan as text, with the completed steps only if they are asked for."""
    return plan.core.read(lambda state: _plan_text(state, everything=include_completed))


def plan_details(plan: Plan, about: str | int, page: int) -> str:
    """Return a page of whole texts: of one task, or of all tasks, findings, errors, messages."""
    return plan.core.read(lambda state: detail_page(state, about, page))


def read_page(value: object, argument: str) -> int:
    """Accept the number of a page, also as a string."""
    if isinstance(value, str) and value.isdecimal() and len(value) <= _PAGE_DIGITS:
        value = int(value)
    return check_number(value, argument, 1, LARGEST_ID)


def is_blank(state: PlanState) -> bool:
    """Return whether a plan is still empty: no task and no goal."""
    return not state.tasks and not state.goal


def _plan_text(state: PlanState, *, everything: bool) -> str:
    if is_blank(state):
        return text("no_plan_to_read")
    steps = [task for task in state.tasks_in_order() if everything or task.status != "completed"]
    window = _window(steps)
    values = {"done": state.finished_count, "total": len(state.tasks)}
    head = text("plan_read", title=cut(state.title), goal=indent_lines(state.goal), **values)
    lines = [head, *_phases(state, {task.id for task in window})]
    if len(window) < len(steps):
        lines.append(text("summary_hidden", count=len(steps) - len(window)))
    return "\n".join(lines)


def _window(steps: Sequence[Task]) -> Sequence[Task]:
    """Return the steps to show."""
    first = next((i for i, task in enumerate(steps) if not task.finished), len(steps))
    begin = max(min(first - _BEFORE, len(steps) - _STEPS), 0)
    return steps[begin : begin + _STEPS]


def _phases(state: PlanState, shown: set[int]) -> Iterator[str]:
    several = len(state.phases) > _STEPS
    for phase in state.phases.values():
        tasks = phase_tasks(state, phase.id)
        lines = [_step(task) for task in tasks if task.id in shown]
        if lines or not several:
            icon = ICONS[drawn_status(state, phase.id, tasks)]
            yield "\n".join((f"## {icon} {cut(phase.title)}", "", *lines, ""))


def _step(task: Task) -> str:
    line = f"- {ICONS[task.status]} {cut(task.name)} (#{task.id})"
    return f"{line} " + text("step_assumed") if task.is_assumed else line


def cut(value: str) -> str:
    """Return a value as one line of at most 120 characters."""
    line = visible(value)
    return line if len(line) <= _CHARACTERS else f"{line[: _CHARACTERS - 1]}…"
