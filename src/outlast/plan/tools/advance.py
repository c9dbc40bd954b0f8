"""From one task to the next: end a task and start the next one in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct

from outlast.errors import InvalidStatus, PlanNotActive, ProofNeeded
from outlast.model import commands as c
from outlast.model.model import PlanStatus, Progress, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore
    from outlast.plan.plan import Plan

T = TypeVar("T")
StepStatus = Literal["pending", "in_progress", "completed", "skipped"]


class Position(Struct, frozen=True):
    """Where a plan is: the actor's task in progress, the progress, and the plan's status.

    `assumed_end` is the task whose assumed completion has to be confirmed before the plan ends.
    """

    current: Task | None
    progress: Progress
    status: PlanStatus
    assumed_end: Task | None = None


def complete_and_start_next(core: PlanCore, task: c.TaskRef, result: str | None) -> Position:
    """Complete a task, whose checks have to pass, and start the next one if there is one."""
    command = c.Complete(task, core.actor, result)
    try:
        return commit_and_start_next(core, (command,), _nothing)[1]
    except ProofNeeded as error:
        prover = core.prover() if type(error) is ProofNeeded else None
        if prover is None:
            raise
    return prover.complete(
        command, lambda proved: commit_and_start_next(core, (proved,), _nothing)[1]
    )


def commit_and_start_next(
    core: PlanCore, commands: Sequence[c.Command], then: Callable[[PlanState, Commit], T]
) -> tuple[T, Position]:
    """Commit commands and the start of the next task together, all or none.

    If no task can start, the commands are committed alone. Returns what `then` makes of the result,
    and the position of the plan right after the commit.
    """

    def read_position(state: PlanState, commit: Commit) -> tuple[T, Position]:
        current = state.tasks.get(state.current_task(core.actor) or 0)
        position = Position(current, state.progress, state.status, state.assumed_end)
        return then(state, commit), position

    try:
        return core.commit_with_checks((*commands, c.Start(core.actor)), read_position)
    except (InvalidStatus, PlanNotActive) as error:
        if not _is_about_starting(error):
            raise
    return core.commit(commands, read_position)


def set_status(plan: Plan, task: c.TaskRef, status: StepStatus) -> Task:
    """Give a task a status, whatever it has now; its checks still have to pass.

    `completed` confirms a completion that was assumed.
    """
    before = plan.task(task)
    if before.status == status and not before.is_assumed:
        return before
    if before.status not in ("pending", "in_progress", status):
        before = plan.reopen(task)
    if status == "in_progress":
        return plan.start(task)
    if status == "completed":
        return plan.complete(task)
    if status == "skipped":
        return plan.skip(task)
    return plan.return_task(task) if before.status == "in_progress" else before


def _nothing(_state: PlanState, _commit: Commit) -> None:
    """Read nothing: the position is enough."""


def _is_about_starting(error: InvalidStatus | PlanNotActive) -> bool:
    """Return whether the start was refused: it gives a reason, or the actor is busy."""
    return "reason" in error.details or error.text == "actor_busy"
