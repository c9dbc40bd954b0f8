"""Why a plan from which a commit was taken out would break the rules, and since which revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from outlast.domain import changes as c
from outlast.domain.apply import standing
from outlast.domain.dependencies import refuse_cycles, refuse_later_anywhere
from outlast.domain.history.shape import DEPENDENCIES, ITSELF, PHASE, PHASES, TASKS, WORK
from outlast.errors import CircularDependency, InvalidDependency

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from outlast.domain.history.shape import Path, Shape
    from outlast.domain.model import Task

_NEEDS: Final = (c.TaskAdded, c.TaskEdited, c.TaskRemoved)
_PLACES: Final = (c.TaskAdded, c.TaskMoved, c.PhaseRemoved)
_ORDERS: Final = (c.TaskAdded, c.TaskEdited, c.TaskMoved, c.PhaseMoved, c.PlanEdited)
_WORK: Final = (c.TaskStarted, c.TaskCompleted, c.TaskFailed, c.TaskRestored)


def violations(
    left: Shape, now: Shape, then: Shape, later: Sequence[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield what does not fit in `then`, and which later commit is to blame.

    `left` is the plan as the commit left it, `now` as it is, `then` without the commit.
    """
    found = [*_loose(then, later), *_homeless(left, now, then, later)] or [*_knots(then, later)]
    yield from found or _rootless(left, now, then, later)


def _loose(then: Shape, later: Sequence[c.Commit]) -> Iterator[tuple[Path, int]]:
    """Yield dependencies on tasks, and places in phases, that would not be there."""
    for task in then.tasks.values():
        unknown = {one for one in task.needs if one not in then.tasks}
        if unknown:
            yield (TASKS, task.id, DEPENDENCIES), _last(later, _NEEDS, {task.id, *unknown})
        if task.phase not in then.phases:
            yield (TASKS, task.id, PHASE), _last(later, _PLACES, {task.id, task.phase})


def _homeless(
    left: Shape, now: Shape, then: Shape, later: Sequence[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield the phases that are gone if there would be none left: a plan keeps one."""
    for phase in () if then.phases else left.phases:
        if phase not in now.phases:
            yield (PHASES, phase, ITSELF), _last(later, (c.PhaseRemoved,), {phase})


def _knots(then: Shape, later: Sequence[c.Commit]) -> Iterator[tuple[Path, int]]:
    """Yield dependencies that could never be met: in a circle, or later in a sequence."""
    order = {one: place for place, one in enumerate(then.tasks)}
    try:
        refuse_cycles({task.id: task.needs for task in then.tasks.values()})
        if then.order == "sequential":
            refuse_later_anywhere(then.tasks.values(), order.__getitem__)
    except CircularDependency as error:
        cycle = cast("list[int]", error.details["cycle"])
        yield (TASKS, cycle[0], DEPENDENCIES), _last(later, _NEEDS, cycle)
    except InvalidDependency as error:
        task = cast("int", error.details["task_id"])
        yield (TASKS, task, DEPENDENCIES), _last(later, _ORDERS)


def _rootless(
    left: Shape, now: Shape, then: Shape, later: Sequence[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield tasks that were worked on since, though they would have to wait for others."""
    opened = {
        one for one in then.tasks if one in now.tasks and _reopened(now.tasks[one], then.tasks[one])
    }
    waits = False
    for one, task in then.tasks.items():
        if _worked_on(left.tasks.get(one), now.tasks.get(one)) and (
            waits or not _unmet(then, task) <= _unmet(now, now.tasks[one])
        ):
            yield (TASKS, one, WORK), _last(later, _WORK, {one})
        waits = waits or (then.order == "sequential" and one in opened)


def _reopened(now: Task, then: Task) -> bool:
    return now.finished and not then.finished


def _worked_on(left: Task | None, now: Task | None) -> bool:
    """Tell whether a task was begun since; what is skipped does not wait for others."""
    if now is None or now is left or now.status in ("pending", "skipped"):
        return False
    return left is None or standing(left) != standing(now)


def _unmet(plan: Shape, task: Task) -> set[int]:
    return {one for one in task.needs if not plan.tasks[one].finished}


def _last(
    later: Iterable[c.Commit], kinds: tuple[type, ...], ids: Container[object] | None = None
) -> int:
    """Return the revision of the newest commit with such a change, of one of these ids.

    It is 0 in a journal that somebody made up: nothing later is to blame for what is wrong in it.
    """
    return max(
        (
            commit.revision
            for commit in later
            if any(isinstance(one, kinds) and _concerns(one, ids) for one in commit.changes)
        ),
        default=0,
    )


def _concerns(change: c.Change, ids: Container[object] | None) -> bool:
    if isinstance(change, c.TaskEdited) and change.needs is None:
        return False
    about = change.task.id if isinstance(change, c.TaskAdded) else getattr(change, "id", None)
    return ids is None or about in ids
