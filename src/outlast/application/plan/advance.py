"""Verbs that end a task and start the next one in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct

from outlast.application.plan.notes import NoteVerbs
from outlast.application.plan.tasks import TaskVerbs
from outlast.application.plan.work import WorkVerbs
from outlast.domain import commands as c
from outlast.domain.model import PlanStatus, Progress, Task
from outlast.errors import InvalidStatus, PlanNotActive, ProofNeeded
from outlast.formats.redact.fast import redact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command, TaskRef
    from outlast.domain.state import PlanState

T = TypeVar("T")
StepStatus = Literal["pending", "in_progress", "completed", "skipped"]


class Position(Struct, frozen=True):
    """Where a plan is: the actor's task in progress, the progress, and the plan's status."""

    current: Task | None
    progress: Progress
    status: PlanStatus


class AdvanceVerbs(TaskVerbs, WorkVerbs, NoteVerbs):
    """Go from one task to the next. A mixin of `outlast.Plan`; the models' tools use it."""

    __slots__ = ()

    def advance(self, task: TaskRef, result: str | None = None) -> tuple[Task, Position]:
        """Complete a task, whose checks have to pass, and start the next one if there is one."""
        command = c.Complete(task, self.actor, redact_text(result))

        def read_task(state: PlanState, _commit: Commit) -> Task:
            return state.task(task)

        try:
            return self.commit_and_start_next((command,), read_task)
        except ProofNeeded as error:
            prover = self._prover() if type(error) is ProofNeeded else None
            if prover is None:
                raise
        return prover.complete(
            command, lambda proved: self.commit_and_start_next((proved,), read_task)
        )

    def set_status(self, task: TaskRef, status: StepStatus) -> Task:
        """Give a task a status, whatever it has now; its checks still have to pass."""
        before = self.task(task)
        if before.status == status:
            return before
        if before.status not in ("pending", "in_progress"):
            before = self.reopen(task)
        if status == "in_progress":
            return self.start(task)
        if status == "completed":
            return self.complete(task)
        if status == "skipped":
            return self.skip(task)
        return self.return_task(task) if before.status == "in_progress" else before

    def commit_and_start_next(
        self, commands: Sequence[Command], then: Callable[[PlanState, Commit], T]
    ) -> tuple[T, Position]:
        """Commit commands and the start of the next task together, all or none.

        If no task can start, the commands are committed alone. Returns what `then` makes of the
        result, and the position of the plan right after the commit.
        """

        def read_position(state: PlanState, commit: Commit) -> tuple[T, Position]:
            current = state.tasks.get(state.current_task(self.actor) or 0)
            return then(state, commit), Position(current, state.progress, state.status)

        try:
            answer = self.commit((*commands, c.Start(self.actor)), read_position)
        except (InvalidStatus, PlanNotActive) as error:
            if not _is_about_starting(error):
                raise
            return self.commit(commands, read_position)
        started = answer[1].current
        if started and (started.checks or started.protect):
            self._record_baseline(started.id)
        return answer


def _is_about_starting(error: InvalidStatus | PlanNotActive) -> bool:
    """Return whether the start was refused: it gives a reason, or the actor is busy."""
    return "reason" in error.details or error.text == "actor_busy"
