"""From one task to the next: end a task and start the next one in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeVar

from msgspec import Struct

from outlast.errors import InvalidStatus, PlanNotActive, ProofNeeded
from outlast.language import text
from outlast.model import commands as c
from outlast.model.model import FINISHED, Order, PlanStatus, Progress, Task
from outlast.plan.core import last_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore
    from outlast.plan.plan import Plan

T = TypeVar("T")
StepStatus = Literal["pending", "in_progress", "completed", "skipped"]
_TURNS: Final = ("finished", "in_progress", "pending")


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


def set_status(
    plan: Plan, task: c.TaskRef, status: StepStatus, *, out_of_turn: bool = False
) -> Task:
    """Give a task a status, whatever it has now; its checks still have to pass.

    `completed` confirms a completion that was assumed. Who works `out_of_turn` shows that the order
    of the plan does not bind: it becomes `graph`, where the task would have been refused.
    """
    before = plan.task(task)
    if before.status == status and not before.is_assumed:
        return before
    if before.status not in ("pending", "in_progress", status):
        before = plan.reopen(task)
    try:
        if status == "in_progress":
            return plan.start(task)
        if status == "completed":
            return plan.complete(task)
    except InvalidStatus as error:
        if not (out_of_turn and is_not_its_turn(error)):
            raise
        return _work_out_of_turn(plan, task, status)
    if status == "skipped":
        return plan.skip(task)
    return plan.return_task(task) if before.status == "in_progress" else before


def is_not_its_turn(error: InvalidStatus) -> bool:
    """Return whether only the order of the plan has a task wait."""
    return error.text == "task_not_its_turn"


def _work_out_of_turn(plan: Plan, task: c.TaskRef, status: StepStatus) -> Task:
    """Start or complete a task in a plan that becomes `graph` with the same commit."""
    core = plan.core
    work = c.Start(core.actor, task) if status == "in_progress" else c.Complete(task, core.actor)
    return core.commit_with_checks(
        (c.EditPlan(order="graph"), work), last_task, reason=text("order_given_up", task=task)
    )


def order_shown_by(statuses: Iterable[str]) -> Order:
    """Return `sequential` unless tasks were evidently not worked on in turn."""
    turns = ["finished" if each in FINISHED else each for each in statuses]
    in_turn = turns == sorted(turns, key=_TURNS.index) and turns.count("in_progress") <= 1
    return "sequential" if in_turn else "graph"


def _nothing(_state: PlanState, _commit: Commit) -> None:
    """Read nothing: the position is enough."""


def _is_about_starting(error: InvalidStatus | PlanNotActive) -> bool:
    """Return whether the start was refused: it gives a reason, or the actor is busy."""
    return "reason" in error.details or error.text == "actor_busy"
