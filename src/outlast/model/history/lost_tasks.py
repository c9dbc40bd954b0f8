"""Tasks that a damaged journal has lost, taken from a later view of the same plan."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.model import changes as c
from outlast.model.limits import make_slug
from outlast.model.model import Task

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from outlast.model.model import Phase
    from outlast.model.state import PlanState


def add_changes(
    state: PlanState, phases: Sequence[Phase], tasks: Sequence[Task], lost: Collection[int]
) -> Iterator[c.Change]:
    """Yield the changes that add the lost ones of these tasks, as pending, where they stood."""
    ids, shown = {phase.title: phase.id for phase in state.phases.values()}, dict[str, str]()
    used = {task.phase for task in tasks if task.id in lost}
    for phase in phases:
        if phase.id in used and phase.title not in ids:
            ids[phase.title] = make_slug(phase.title, ids.values())
            yield c.PhaseAdded(replace(phase, id=ids[phase.title]), len(ids) - 1)
        shown[phase.id] = ids.get(phase.title, phase.id)
    previous = 0
    for task in tasks:
        if task.id in lost:
            yield c.TaskAdded(_as_pending(task, shown[task.phase]), previous)
        previous = task.id
    linked = (task for task in tasks if task.id in lost and task.needs)
    yield from (c.TaskEdited(task.id, needs=task.needs) for task in linked)


def _as_pending(task: Task, phase: str) -> Task:
    return Task(
        task.id,
        task.name,
        phase,
        description=task.description,
        checks=task.checks,
        run=task.run,
        files=task.files,
        protect=task.protect,
    )


def outcome_changes(state: PlanState, tasks: Sequence[Task]) -> Iterator[c.Change]:
    """Yield the changes that give pending tasks the needs and the outcomes that were shown."""
    for task in tasks:
        if state.task(task.id).needs != task.needs:
            yield c.TaskEdited(task.id, needs=task.needs)
        if state.task(task.id).status != "pending":
            continue
        if task.status == "completed":
            yield c.TaskCompleted(task.id, task.result, task.how or "reported")
        elif task.status == "failed":
            yield c.TaskFailed(task.id, task.error or "")
        elif task.status == "skipped":
            yield c.TaskSkipped(task.id, task.result or "")


def number_by_name(state: PlanState, tasks: Sequence[Task]) -> list[Task]:
    """Return tasks of a view without numbers: a task of the same name lends its number.

    Any other is numbered as a new one.
    """
    same_name = defaultdict[str, list[int]](list)
    for task in state.tasks_in_order():
        same_name[task.name].append(task.id)
    new = count(state.next_id)
    numbers = {
        task.id: same_name[task.name].pop(0) if same_name[task.name] else next(new)
        for task in tasks
    }
    return [
        replace(task, id=numbers[task.id], needs=tuple(numbers[need] for need in task.needs))
        for task in tasks
    ]
