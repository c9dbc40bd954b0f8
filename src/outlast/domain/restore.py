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
    graph, finished = state.graph, set()
    for task in tasks:
        state.tasks[task.id] = task
        if task.checks or task.protect:
            state.guard(task)
        state.counts[task.status] += 1
        if task.status in FINISHED:
            finished.add(task.id)
        elif task.status == "in_progress":
            state.busy.setdefault(task.actor, []).append(task.id)
        if task.alias:
            state.aliases[task.alias] = task.id
    graph.rearrange([task.id for task in tasks])
    for task in tasks:
        if task.dependencies:
            unmet = sum(d not in finished for d in task.dependencies)
            graph.link(task.id, task.dependencies, unmet)
        if task.status == "pending" and task.id not in graph.unmet:
            graph.offer(task.id)
    state.advance()
