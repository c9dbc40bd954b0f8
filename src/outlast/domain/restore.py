"""A plan from its values at one moment, with the indexes built in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import FINISHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.domain.model import Task
    from outlast.domain.state import PlanState


def restore_tasks(state: PlanState, tasks: Sequence[Task]) -> None:
    """Put tasks, given in list order, into a plan that has its phases and no tasks yet."""
    by_id, counts, finished, pending = state.tasks, state.counts, set(), set()
    for task in tasks:
        task_id, status = task.id, task.status
        by_id[task_id] = task
        counts[status] += 1
        if status == "pending":
            pending.add(task_id)
        elif status in FINISHED:
            finished.add(task_id)
        elif status == "in_progress":
            state.busy.setdefault(task.actor, []).append(task_id)
        if task.checks or task.protect:
            state.guard(task)
        if task.alias:
            state.aliases[task.alias] = task_id
    graph = state.graph
    graph.rearrange([task.id for task in tasks])
    waits_for = {task.id: task.needs for task in tasks if task.needs}
    graph.build(waits_for, finished, pending)
    state.advance()
