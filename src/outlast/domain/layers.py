"""The shape of the dependencies as a whole: layers and the longest chain, made when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.graph import Layers

if TYPE_CHECKING:
    from outlast.domain.state import PlanState


def layers(state: PlanState) -> Layers:
    """Return the layers of the plan; the same object as long as its structure stays the same."""
    version = (state.graph.structure, state.order)
    if state.layers is None or state.layers[0] != version:
        made = _in_sequence(state) if state.order == "sequential" else _by_dependencies(state)
        state.layers = (version, made)
    return state.layers[1]


def _in_sequence(state: PlanState) -> Layers:
    order = state.graph.order
    return Layers(tuple((task,) for task in order), tuple(order))


def _by_dependencies(state: PlanState) -> Layers:
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
    return Layers(tuple(groups), _walk_back(groups, came_from))


def _walk_back(groups: list[tuple[int, ...]], came_from: dict[int, int]) -> tuple[int, ...]:
    if not groups:
        return ()
    path = [groups[-1][0]]
    while path[-1] in came_from:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))
