"""`plan_read` (R4.10): the plan as text, in the document's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.phase_status import phase_status, phase_tasks
from outlast.formats.markdown.syntax import ICONS
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState

_STEPS: Final = 100  # of a larger plan, those around the first unfinished one
_BEFORE: Final = 20
_CHARACTERS: Final = 120


def plan_read(plan: Plan, include_completed: bool) -> str:  # noqa: FBT001 - the document's argument
    """Return the plan as text, with the completed steps only if they are asked for."""
    return plan.core.read(lambda state: _plan_text(state, everything=include_completed))


def is_blank(state: PlanState) -> bool:
    """Return whether a plan is still empty: no task and no goal."""
    return not state.tasks and not state.goal


def _plan_text(state: PlanState, *, everything: bool) -> str:
    if is_blank(state):
        return text("no_plan_to_read")
    steps = [task for task in state.tasks_in_order() if everything or task.status != "completed"]
    window = _window(steps)
    values = {"done": state.finished_count, "total": len(state.tasks)}
    head = text("plan_read", title=cut(state.title), goal=cut(state.goal), **values)
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
        lines = [_step(task) for task in phase_tasks(state, phase.id) if task.id in shown]
        if lines or not several:
            icon = ICONS[phase_status(state, phase.id)]
            yield "\n".join((f"## {icon} {cut(phase.title)}", "", *lines, ""))


def _step(task: Task) -> str:
    return f"- {ICONS[task.status]} {cut(task.name)} (#{task.id})"


def cut(value: str) -> str:
    """Return a value as one line of at most 120 characters."""
    line = visible(value)
    return line if len(line) <= _CHARACTERS else f"{line[: _CHARACTERS - 1]}…"
