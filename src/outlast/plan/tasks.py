"""What the task verbs share: who may change checks, and what is recorded when they change."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outlast.errors import StoreError
from outlast.model.changes import PhaseAdded, TaskAdded
from outlast.model.commands import EditTask, RemoveTask
from outlast.model.decide.tasks import RULES
from outlast.model.limits import check_ref
from outlast.model.model import PERSON
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.model.changes import Commit
    from outlast.model.commands import Command, Complete, TaskRef
    from outlast.model.model import Check, Phase, Task
    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore


def edit_task(
    core: PlanCore, task: TaskRef, commands: Sequence[Command], *, reason: str | None = None
) -> Task:
    """Commit commands about one task together, all or none; record its checks if they change."""
    for command in commands:
        if isinstance(command, EditTask | RemoveTask):
            check_amend(core, amend=command.amend)
    before = core.read(lambda state: state.task(check_ref(task, "task")))
    if core.actor != PERSON and (before.checks or before.protect):
        _require_same_rules(core, before, commands)
    edited = core.commit(commands, lambda state, _: state.task(before.id), reason=reason)
    if (edited.commands, edited.protect) != (before.commands, before.protect):
        record_checks(core, (edited,), before.commands)
    return edited


def check_amend(core: PlanCore, *, amend: bool) -> None:
    """Refuse `amend` to anyone but a person."""
    if amend:
        core.require_person("amend")


def _require_same_rules(core: PlanCore, task: Task, commands: Sequence[Command]) -> None:
    """Refuse commands that change the checks or the protected files of a task."""
    for command in commands:
        if isinstance(command, EditTask):
            for field in RULES:
                if getattr(command, field) not in (None, getattr(task, field)):
                    core.require_person(field)


def record_checks(
    core: PlanCore, tasks: tuple[Task, ...], before: tuple[Check, ...] = ()
) -> tuple[Task, ...]:
    """Record protected files, and approve what a person lets run beside what was there `before`."""
    if any(task.checks or task.run or task.protect or before for task in tasks):
        checks = (check for task in tasks for check in task.commands)
        with suppress(StoreError):  # the change is committed; a later check reports the problem
            prover = core.prover()
            if prover is not None:
                prover.record_new_checks(tasks, [check for check in checks if check not in before])
    return tasks


def find_completed(core: PlanCore, command: Complete) -> Task | None:
    """Return the task if the reused key can stand for this very completion.

    That commit carried a proof, so that the same command cannot be made again.
    """
    task = core.read(lambda state: state.task(check_ref(command.task, "task")))
    is_proved = task.status == "completed" and task.how in ("proved", "unproved")
    return task if is_proved and task.result == redact_text(command.result) else None


def new_tasks_of(state: PlanState, commit: Commit) -> tuple[Task, ...]:
    """Return the tasks that a commit added."""
    return tuple(
        state.tasks[change.task.id] for change in commit.changes if isinstance(change, TaskAdded)
    )


def new_phase_of(_state: PlanState, commit: Commit) -> Phase:
    """Return the phase that a commit added."""
    return next(change.phase for change in commit.changes if isinstance(change, PhaseAdded))
