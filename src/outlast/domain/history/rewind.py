"""A plan without one of its commits: what it would be, and the changes that lead there."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outlast.domain import changes as c
from outlast.domain.apply import standing
from outlast.domain.history.shape import EDITED, PHASES, PLAN, TASKS, WORK, Path, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from datetime import datetime

    from outlast.domain.model import Phase, Task

T = TypeVar("T", int, str)


class Group(Struct, frozen=True):
    """What one commit did: the plan before and after it, what differs, and what it moved."""

    before: Shape
    after: Shape
    paths: list[Path]
    moved_phases: frozenset[str]
    moved_tasks: frozenset[int]


def without(group: Group, now: Shape, *, begun: bool) -> Shape:
    """Return the plan as it is now, but with all that a commit did put back."""
    fields = {part: getattr(group.before, part) for kind, _, part in group.paths if kind == PLAN}
    phases = _phases_without(group, now)
    tasks = _tasks_without(group, now, phases)
    return replace(now, **fields, begun=begun, phases=phases, tasks=tasks)


def _phases_without(group: Group, now: Shape) -> dict[str, Phase]:
    before, after = group.before.phases, group.after.phases
    phases = {one: phase for one, phase in now.phases.items() if one in before or one not in after}
    for kind, one, part in group.paths:
        if kind == PHASES and one in phases and part:
            old = before[str(one)]
            phases[old.id] = replace(phases[old.id], **{part: getattr(old, part)})
    returning = {one for one in before if one not in after or one in group.moved_phases}
    order = put_back(list(phases), before, returning, lambda _: 0)
    return {one: phases.get(one) or before[one] for one in order}


def _tasks_without(group: Group, now: Shape, phases: Iterable[str]) -> dict[int, Task]:
    before, after = group.before.tasks, group.after.tasks
    tasks = {one: task for one, task in now.tasks.items() if one in before or one not in after}
    for kind, one, part in group.paths:
        if kind == TASKS and one in tasks and part:
            old = before[int(one)]
            tasks[old.id] = replace(tasks[old.id], **_part(old, part))
    returning = {one for one in before if one not in after or one in group.moved_tasks}
    tasks |= {one: before[one] for one in returning if one not in tasks}
    places = {phase: place for place, phase in enumerate(phases)}

    def place(one: int) -> int:
        return places.get(tasks[one].phase, -1)

    order = sorted((one for one in tasks if one not in returning), key=place)
    return {one: tasks[one] for one in put_back(order, before, returning, place)}


def _part(old: Task, part: str) -> dict[str, object]:
    fields = c.TaskRestored.__struct_fields__ if part == WORK else (part,)
    return {field: getattr(old, field) for field in fields}


def put_back(
    order: Iterable[T], was: Iterable[T], returning: Collection[T], place: Callable[[T], int]
) -> list[T]:
    """Return an order in which some stand again where they stood, as far as that is still there.

    Each comes behind the nearest one of its own place that it stood behind, else in front of all
    others of that place; the order must follow the places.
    """
    found = [one for one in order if one not in returning]
    there = set(found)
    last: dict[int, T] = {}
    for one in was:
        own = place(one) if one in returning or one in there else 0
        if one in returning:
            index = found.index(last[own]) + 1 if own in last else _front(found, own, place)
            found.insert(index, one)
        elif one not in there:
            continue
        last[own] = one
    return found


def _front(order: list[T], own: int, place: Callable[[T], int]) -> int:
    return next((i for i, one in enumerate(order) if place(one) >= own), len(order))


def leading(now: Shape, then: Shape, group: Group) -> Iterator[c.Change]:
    """Yield the changes that lead from one plan to the other, which differ by a commit."""
    fields = {name: getattr(then, name) for name in c.PlanEdited.__struct_fields__}
    edited = {name: value for name, value in fields.items() if value != getattr(now, name)}
    if edited:
        yield c.PlanEdited(**edited)
    yield from _phases_leading(now.phases, then.phases, group.moved_phases)
    yield from _tasks_coming(now.tasks, then.tasks, group.moved_tasks)
    for one, task in then.tasks.items():
        old = now.tasks.get(one) or _free(task, now.tasks)
        if old is not task:
            yield from _task_leading(old, task)
    yield from _going(now, then)
    if (now.begun, now.hold) != (then.begun, then.hold):
        yield c.PlanRestored(then.begun, then.hold)


def _phases_leading(
    now: dict[str, Phase], then: dict[str, Phase], moved: Collection[str]
) -> Iterator[c.Change]:
    order = list(now)
    previous = ""
    for one, phase in then.items():
        if one not in now or one in moved:
            order = [other for other in order if other != one]
            place = order.index(previous) + 1 if previous else 0
            order.insert(place, one)
            yield c.PhaseMoved(one, place) if one in now else c.PhaseAdded(phase, place)
        if phase != now.get(one, phase):
            yield c.PhaseEdited(phase)
        previous = one


def _tasks_coming(
    now: dict[int, Task], then: dict[int, Task], moved: Collection[int]
) -> Iterator[c.Change]:
    previous = 0
    for one, task in then.items():
        if one not in now:
            yield c.TaskAdded(_free(task, now), previous)
        elif one in moved:
            yield c.TaskMoved(one, task.phase, previous)
        previous = one


def _free(task: Task, now: dict[int, Task]) -> Task:
    """Return a task that depends only on what is there; the rest may come later."""
    return replace(task, needs=tuple(one for one in task.needs if one in now))


def _task_leading(now: Task, then: Task) -> Iterator[c.Change]:
    edited = {name: getattr(then, name) for name in EDITED}
    edited = {name: value for name, value in edited.items() if value != getattr(now, name)}
    if edited:
        yield c.TaskEdited(then.id, **edited)
    if standing(now) != standing(then):
        if now.status == then.status == "in_progress" and _begun(now) != _begun(then):
            yield c.TaskReturned(then.id)  # which ends the claim of whoever took it over
        yield standing(then)


def _begun(task: Task) -> tuple[str, datetime | None]:
    return task.actor, task.started_at


def _going(now: Shape, then: Shape) -> Iterator[c.Change]:
    """Yield what takes tasks and phases out: first those that others depend on least."""
    gone = {one: task for one, task in now.tasks.items() if one not in then.tasks}
    needs = {one: [d for d in task.needs if d in gone] for one, task in gone.items()}
    for one in reversed([*TopologicalSorter(needs).static_order()]):
        if gone[one].status == "in_progress":
            yield c.TaskReturned(one)  # a task goes only when nobody works on it any more
        yield c.TaskRemoved(one)
    for phase in now.phases:
        if phase not in then.phases:
            yield c.PhaseRemoved(phase)
