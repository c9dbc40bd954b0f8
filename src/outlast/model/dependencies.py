"""The rules for needs: only known tasks, no later task in a sequence, no cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import CircularDependency, InvalidDependency
from outlast.model.limits import check_ref

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from outlast.model.model import Task
    from outlast.model.state import PlanState


def resolve_needs(
    state: PlanState, refs: Iterable[int | str], argument: str = "needs"
) -> tuple[int, ...]:
    """Turn references into ids, each once, in the given order; raises `InvalidDependency`."""
    ids: dict[int, None] = {}
    unknown: list[int | str] = []
    for ref in refs:
        task = state.find(check_ref(ref, argument))
        if task is None:
            unknown.append(ref)
        else:
            ids[task.id] = None
    if unknown:
        raise InvalidDependency("dependency_unknown", argument=argument, unknown=unknown)
    return tuple(ids)


def refuse_cycle(state: PlanState, task_id: int, needs: tuple[int, ...]) -> None:
    """Refuse needs of an existing task that lead back to it."""
    if task_id in needs:
        raise CircularDependency("cycle", cycle=[task_id, task_id])
    if task_id not in state.graph.dependents:
        return
    tasks = state.tasks
    path = find_path(needs, task_id, lambda task: tasks[task].needs)
    if path:
        raise CircularDependency("cycle", cycle=[task_id, *path])


def find_path(
    starts: Iterable[int], goal: int, onward: Callable[[int], Iterable[int]]
) -> list[int]:
    """Return a path from one of `starts` to `goal`, both included; empty if there is none."""
    came_from: dict[int, int | None] = dict.fromkeys(starts)
    stack = list(came_from)
    while stack:
        task = stack.pop()
        for step in onward(task):
            if step == goal:
                return [*reversed(list(_trace_back(task, came_from))), goal]
            if step not in came_from:
                came_from[step] = task
                stack.append(step)
    return []


def _trace_back(task: int | None, came_from: Mapping[int, int | None]) -> Iterable[int]:
    while task is not None:
        yield task
        task = came_from[task]


def refuse_cycles(edges: Mapping[int, tuple[int, ...]]) -> None:
    """Refuse a set of new tasks that need each other in a cycle."""
    waiting = {task: sum(d in edges for d in needs) for task, needs in edges.items()}
    dependents: dict[int, list[int]] = {}
    for task, needs in edges.items():
        for need in needs:
            dependents.setdefault(need, []).append(task)
    free = [task for task, count in waiting.items() if not count]
    for task in free:
        del waiting[task]
        for dependent in dependents.get(task, ()):
            waiting[dependent] -= 1
            if not waiting[dependent]:
                free.append(dependent)
    if waiting:
        raise CircularDependency("cycle", cycle=_find_cycle(waiting, edges))


def _find_cycle(stuck: Mapping[int, int], edges: Mapping[int, tuple[int, ...]]) -> list[int]:
    """Walk through tasks that all wait for each other until one repeats."""
    seen: dict[int, int] = {}
    task = min(stuck)
    while task not in seen:
        seen[task] = len(seen)
        task = next(d for d in edges[task] if d in stuck)
    return [*list(seen)[seen[task] :], task]


def refuse_later_needs(task_id: int, later: Iterable[int]) -> None:
    """Refuse needs that a sequential plan would reach only after the task."""
    ids = list(later)
    if ids:
        raise InvalidDependency("dependency_later", task_id=task_id, later=ids)


def refuse_later_needs_in_sequence(tasks: Iterable[Task], position: Callable[[int], int]) -> None:
    """Refuse a sequence, given by positions, in which a task needs a later one."""
    for task in tasks:
        if task.needs:
            own = position(task.id)
            refuse_later_needs(task.id, (d for d in task.needs if position(d) > own))


def is_sequence(state: PlanState, order: list[int]) -> bool:
    """Return whether no task needs a later one, if the tasks stand in this order."""
    positions = {task: index for index, task in enumerate(order)}
    try:
        refuse_later_needs_in_sequence(state.tasks.values(), positions.__getitem__)
    except InvalidDependency:
        return False
    return True
