"""Layers: which tasks can run in parallel, and the critical path; computed on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.model.graph import Layers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outlast.model.state import PlanState


def compute_layers(state: PlanState) -> Layers:
    """Return the layers of the plan, cached until its graph or order changes."""
    version = (state.graph.version, state.order)
    if state.layers is None or state.layers[0] != version:
        computed = (
            _sequential_layers(state) if state.order == "sequential" else _graph_layers(state)
        )
        state.layers = (version, computed)
    return state.layers[1]


def _sequential_layers(state: PlanState) -> Layers:
    order = state.graph.order
    lengths = {task: len(order) - index for index, task in enumerate(order)}
    return Layers(tuple((task,) for task in order), tuple(order), lengths)


def _graph_layers(state: PlanState) -> Layers:
    tasks, dependents = state.tasks, state.graph.dependents
    waiting = {task.id: len(task.needs) for task in tasks.values() if task.needs}
    came_from: dict[int, int] = {}
    groups: list[tuple[int, ...]] = []
    group = [task for task in state.graph.order if task not in waiting]
    while group:
        groups.append(tuple(group))
        freed = []
        for task in group:
            for dependent in dependents.get(task, ()):
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    came_from[dependent] = task
                    freed.append(dependent)
        group = state.graph.sort(freed)
    return Layers(tuple(groups), _critical_path(groups, came_from), _lengths(groups, dependents))


def _lengths(
    groups: list[tuple[int, ...]], dependents: Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Return the length of the longest chain from each task on."""
    lengths: dict[int, int] = {}
    for group in reversed(groups):
        for task in group:
            following = (lengths[dependent] for dependent in dependents.get(task, ()))
            lengths[task] = 1 + max(following, default=0)
    return lengths


def _critical_path(groups: list[tuple[int, ...]], came_from: dict[int, int]) -> tuple[int, ...]:
    if not groups:
        return ()
    path = [groups[-1][0]]
    while path[-1] in came_from:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))
