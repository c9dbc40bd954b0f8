"""What a run that goes on will do, and what it will not do again (X3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent.runtime.delegation.positions import find_pending_question
from outlast.console.render.summary import numbered_name
from outlast.model.ledger import THINK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.console.call import Call
    from outlast.model.model import Task
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_SHOWN: Final = 5  # names in a line


def outlook_lines(plan: Plan, call: Call) -> list[str]:
    """Return what is done, in doubt, begun and left; nothing before the first work on a plan."""
    groups = plan.core.read(group_tasks)
    if groups.keys() <= {"outlook_left"}:
        return []
    return list(_lines(groups, call))


def group_tasks(state: PlanState) -> dict[str, list[Task]]:
    """Return all tasks by the text that says what a run does with them, without empty groups."""
    groups: dict[str, list[Task]] = {
        "outlook_done": [],
        "outlook_failed": [],
        "outlook_in_doubt": [],
        "outlook_reported": [],
        "outlook_replanned": [],
        "outlook_asked": [],
        "outlook_answered": [],
        "outlook_begun": [],
        "outlook_left": [],
    }
    for task in state.tasks_in_order():
        groups[_group_of(task, state)].append(task)
    return {key: tasks for key, tasks in groups.items() if tasks}


def _group_of(task: Task, state: PlanState) -> str:
    if task.finished:
        return "outlook_done"
    if task.status == "in_progress":
        return _group_of_begun(task, state)
    return "outlook_failed" if task.status == "failed" else "outlook_left"


def _group_of_begun(task: Task, state: PlanState) -> str:
    attempts = state.ledger.attempts.values()
    if any(attempt.task == task.id and attempt.kind != THINK for attempt in attempts):
        return "outlook_in_doubt"
    question = find_pending_question(state, task)
    if question is not None:
        return "outlook_asked" if question.answer is None else "outlook_answered"
    report = state.ledger.reports.get(task.id)
    if report is None or (task.started_at is not None and report.at < task.started_at):
        return "outlook_begun"
    about = [each for each in state.ledger.decisions if each.attempt == report.attempt]
    if not about:
        return "outlook_reported"
    return "outlook_replanned" if about[-1].decision == "replan" else "outlook_begun"


def _lines(groups: dict[str, list[Task]], call: Call) -> Iterator[str]:
    for key, tasks in groups.items():
        names = [numbered_name(task) for task in tasks[:_SHOWN]]
        more = call.text("outlook_more", count=len(tasks) - _SHOWN)
        yield call.text(key, tasks=[*names, *([more] if len(tasks) > _SHOWN else [])])
