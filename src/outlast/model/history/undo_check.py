"""Which rules a plan without one of its commits would break, and since which revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from outlast.errors import CircularDependency, InvalidDependency
from outlast.model import changes as c
from outlast.model.changes.tasks import work_state
from outlast.model.dependencies import refuse_cycles, refuse_later_needs_in_sequence
from outlast.model.history.content import ITSELF, NEEDS, PHASE, PHASES, TASKS, WORK

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from outlast.model.history.content import Path, PlanContent
    from outlast.model.model import Task

_NEEDS: Final = (c.TaskAdded, c.TaskEdited, c.TaskRemoved)
_PLACES: Final = (c.TaskAdded, c.TaskMoved, c.PhaseRemoved)
_ORDERS: Final = (c.TaskAdded, c.TaskEdited, c.TaskMoved, c.PhaseMoved, c.PlanEdited)
_WORK: Final = (c.TaskStarted, c.TaskCompleted, c.CompletionConfirmed, c.TaskFailed, c.TaskRestored)


def violations(
    after: PlanContent, now: PlanContent, then: PlanContent, later: Iterable[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield what breaks a rule in `then`, and the revision of the later commit that causes it.

    `after` is the plan as the commit left it, `now` as it is, `then` without the commit.
    """
    broken = [*_dangling_references(then, later), *_without_phase(after, now, then, later)] or [
        *_cycles(now, then, later)
    ]
    yield from broken or _started_too_early(after, now, then, later)


def _dangling_references(
    then: PlanContent, later: Iterable[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield needs and phases of tasks that would not exist."""
    for task in then.tasks.values():
        unknown = {need for need in task.needs if need not in then.tasks}
        if unknown:
            yield (TASKS, task.id, NEEDS), _last_revision(later, _NEEDS, {task.id, *unknown})
        if task.phase not in then.phases:
            yield (TASKS, task.id, PHASE), _last_revision(later, _PLACES, {task.id, task.phase})


def _without_phase(
    left: PlanContent, now: PlanContent, then: PlanContent, later: Iterable[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield the removed phases if no phase would remain: a plan has at least one."""
    for phase in () if then.phases else left.phases:
        if phase not in now.phases:
            yield (PHASES, phase, ITSELF), _last_revision(later, (c.PhaseRemoved,), {phase})


def _cycles(
    now: PlanContent, then: PlanContent, later: Iterable[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield needs that could never be met: a cycle, or a later task in a sequence."""
    if _has_same_order(now, then):
        return
    order = {task_id: place for place, task_id in enumerate(then.tasks)}
    try:
        refuse_cycles({task.id: task.needs for task in then.tasks.values()})
        if then.order == "sequential":
            refuse_later_needs_in_sequence(then.tasks.values(), order.__getitem__)
    except CircularDependency as error:
        cycle = cast("list[int]", error.details["cycle"])
        yield (TASKS, cycle[0], NEEDS), _last_revision(later, _NEEDS, cycle)
    except InvalidDependency as error:
        task = cast("int", error.details["task_id"])
        yield (TASKS, task, NEEDS), _last_revision(later, _ORDERS)


def _has_same_order(now: PlanContent, then: PlanContent) -> bool:
    """Return whether two plans have the same tasks in the same order, with the same needs."""
    pairs = zip(now.tasks.values(), then.tasks.values(), strict=False)
    return (
        now.order == then.order
        and len(now.tasks) == len(then.tasks)
        and all(old.id == new.id and old.needs == new.needs for old, new in pairs)
    )


def _started_too_early(
    left: PlanContent, now: PlanContent, then: PlanContent, later: Iterable[c.Commit]
) -> Iterator[tuple[Path, int]]:
    """Yield tasks that were worked on since, though they would still be blocked."""
    opened = {
        key
        for key in then.tasks
        if key in now.tasks and _is_reopened(now.tasks[key], then.tasks[key])
    }
    waits = False
    for key, task in then.tasks.items():
        if _is_worked_on(left.tasks.get(key), now.tasks.get(key)) and (
            waits or not _unmet_needs(then, task) <= _unmet_needs(now, now.tasks[key])
        ):
            yield (TASKS, key, WORK), _last_revision(later, _WORK, {key})
        waits = waits or (then.order == "sequential" and key in opened)


def _is_reopened(now: Task, then: Task) -> bool:
    return now.finished and not then.finished


def _is_worked_on(left: Task | None, now: Task | None) -> bool:
    """Return whether a task was begun since; a skipped task does not wait for its needs."""
    if now is None or now is left or now.status in ("pending", "skipped"):
        return False
    return left is None or work_state(left) != work_state(now)


def _unmet_needs(plan: PlanContent, task: Task) -> set[int]:
    return {need for need in task.needs if not plan.tasks[need].finished}


def _last_revision(
    later: Iterable[c.Commit], kinds: tuple[type, ...], ids: Container[object] | None = None
) -> int:
    """Return the revision of the newest commit with such a change to one of these ids.

    0 if there is none, as in a journal that was written by hand.
    """
    return max(
        (
            commit.revision
            for commit in later
            if any(
                isinstance(change, kinds) and _is_about(change, ids) for change in commit.changes
            )
        ),
        default=0,
    )


def _is_about(change: c.Change, ids: Container[object] | None) -> bool:
    if isinstance(change, c.TaskEdited) and change.needs is None:
        return False
    about = change.task.id if isinstance(change, c.TaskAdded) else getattr(change, "id", None)
    return ids is None or about in ids
