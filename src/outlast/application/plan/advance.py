"""Ending a task and beginning the next one, in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct

from outlast.application.plan.notes import Noting
from outlast.application.plan.tasks import Shaping
from outlast.application.plan.work import Working
from outlast.domain import commands as c
from outlast.domain.model import PlanStatus, Progress, Task
from outlast.errors import InvalidStatus, PlanNotActive, ProofNeeded
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command, TaskRef
    from outlast.domain.state import PlanState

T = TypeVar("T")
StepStatus = Literal["pending", "in_progress", "completed", "skipped"]


class Standing(Struct, frozen=True):
    """Where a plan stands: what the actor has in progress, how much is done, and its status."""

    current: Task | None
    progress: Progress
    status: PlanStatus


class Advancing(Shaping, Working, Noting):
    """The part of `outlast.Plan` that goes from one task to the next."""

    __slots__ = ()

    def advance(self, task: TaskRef, result: str | None = None) -> tuple[Task, Standing]:
        """Finish a task, whose checks have to pass, and begin the next one if there is one."""
        command = c.Complete(task, self.actor, without_secrets(result))

        def done(state: PlanState, _commit: Commit) -> Task:
            return state.task(task)

        try:
            return self.then_next((command,), done)
        except ProofNeeded as error:
            prover = self._prover() if type(error) is ProofNeeded else None
            if prover is None:
                raise
        return prover.complete(command, lambda proved: self.then_next((proved,), done))

    def bring(self, task: TaskRef, status: StepStatus) -> Task:
        """Bring a task into a state, from whatever it is in; checks have to pass as always."""
        found = self.task(task)
        if found.status == status:
            return found
        if found.status not in ("pending", "in_progress"):
            found = self.reopen(task)
        if status == "in_progress":
            return self.start(task)
        if status == "completed":
            return self.complete(task)
        if status == "skipped":
            return self.skip(task)
        return self.give_back(task) if found.status == "in_progress" else found

    def then_next(
        self, commands: Sequence[Command], then: Callable[[PlanState, Commit], T]
    ) -> tuple[T, Standing]:
        """Carry commands out and begin the next task, all or none; for the tools of a model.

        Where nothing can be begun the commands stand alone. Returns what `then` makes of it, and
        where the plan stands right afterwards.
        """

        def told(state: PlanState, commit: Commit) -> tuple[T, Standing]:
            current = state.tasks.get(state.current(self.actor) or 0)
            return then(state, commit), Standing(current, state.progress, state.status)

        try:
            found = self.commit((*commands, c.Start(self.actor)), told)
        except (InvalidStatus, PlanNotActive) as error:
            if not _is_about_starting(error):
                raise
            return self.commit(commands, told)
        begun = found[1].current
        if begun and (begun.checks or begun.protect):
            self._see(begun.id)
        return found


def _is_about_starting(error: InvalidStatus | PlanNotActive) -> bool:
    """Tell whether it was the start that was refused: there is a reason, or the actor is busy."""
    return "reason" in error.details or error.text == "actor_busy"
