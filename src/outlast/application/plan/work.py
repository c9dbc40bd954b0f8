"""Working on a plan: starting and ending tasks, holding them, pausing."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outlast.application.plan.handle import Handle, checked, last_id, last_task
from outlast.domain import commands as c
from outlast.domain.enact import receipt
from outlast.errors import InvalidArgument, ProofNeeded, StoreError
from outlast.formats.redact.fast import without_secrets

if TYPE_CHECKING:
    from outlast.application.heartbeat import Heartbeat
    from outlast.domain.changes import Commit
    from outlast.domain.commands import TaskRef
    from outlast.domain.model import How, Lease, Outcome, Task
    from outlast.domain.state import PlanState


class Working(Handle):
    """The part of `outlast.Plan` with which the work is done."""

    __slots__ = ()

    def start(self, task: TaskRef | None = None) -> Task:
        """Begin a task, or the next one if this actor has none in progress.

        Its checks are run first, to tell later what they show that they did not show before.
        """
        begun = self._do(c.Start(self.actor, task), last_task)
        if begun.checks or begun.protect:
            self._see(begun.id)
        return begun

    def complete(  # noqa: PLR0913 - one keyword for each thing that can be said
        self,
        task: TaskRef,
        result: str | None = None,
        *,
        how: How = "reported",
        lease: Lease | None = None,
        force: bool = False,
        amend: bool = False,
    ) -> Task:
        """Finish a task; one that may run but was not started is started first.

        If it has checks they are run, and have to pass. A person may take it for done without that
        (`force`), or before it is its turn (`amend`).
        """
        command = c.Complete(
            task,
            self.actor,
            without_secrets(result),
            how,
            _token(lease),
            force=force,
            amend=amend,
        )
        try:
            return self._do(command, last_task)
        except ProofNeeded as error:
            prover = self._prover() if type(error) is ProofNeeded else None
            if prover is None:
                raise
        except InvalidArgument as error:
            done = self._done_already(command) if error.text == "key_reused" else None
            if done is None:
                raise
            return done
        return prover.complete(command, lambda proved: self._do(proved, last_task))

    def fail(
        self, task: TaskRef, error: str, *, retry: bool = True, lease: Lease | None = None
    ) -> Task:
        """Note a failed attempt: the task is pending again, or failed after three retries."""
        command = c.Fail(task, self.actor, without_secrets(error), retry, _token(lease))
        return self._do(command, last_task)

    def give_back(self, task: TaskRef, reason: str = "", *, lease: Lease | None = None) -> Task:
        """Put a task in progress back to pending, without an outcome."""
        return self._do(c.Return(task, without_secrets(reason), _token(lease)), last_task, reason)

    def skip(self, task: TaskRef, reason: str = "") -> Task:
        """Leave an unfinished task out; what depends on it may go on."""
        return self._do(c.Skip(task, without_secrets(reason)), last_task, reason)

    def reopen(self, task: TaskRef, reason: str = "") -> Task:
        """Take a failed or finished task up again."""
        return self._do(c.Reopen(task), last_task, reason)

    def set_progress(
        self, task: TaskRef, current: int, total: int, *, lease: Lease | None = None
    ) -> Task:
        """Note that `current` of `total` parts of a task are done."""
        command = c.SetProgress(task, current, total, _token(lease))
        return self._do(command, lambda state, _: state.task(task))

    def pause(self, reason: str = "") -> None:
        """Stop work for now."""
        self._do(c.Pause(), receipt, reason)

    def resume(self) -> None:
        """Go on after a pause."""
        self._do(c.Resume(), receipt)

    def abort(self, reason: str = "") -> None:
        """Give the plan up; everything done so far is kept."""
        self._do(c.Abort(), receipt, reason)

    def reset(self) -> int:
        """Put every task back to pending; return how many there are."""
        return self._do(c.Reset(), lambda state, _: len(state.tasks))

    def count_iteration(self) -> int:
        """Count one more iteration of work; return how many there were."""
        return self._do(c.CountIteration(), lambda state, _: state.iteration_count)

    # Holding tasks

    def claim(self, task: TaskRef | None = None, seconds: int = 60) -> Lease:
        """Begin a task, or the next one, and hold it; a task whose claim ran out may be taken."""
        lease, begun = self._do(c.Claim(self.actor, task, seconds), _taken)
        if begun.checks or begun.protect:
            self._see(begun.id, lease.token)
        return lease

    def renew(self, lease: Lease, seconds: int = 60) -> Lease:
        """Hold a claimed task for so many seconds from now."""
        command = c.Renew(checked(lease).task, lease.token, seconds)
        return self._do(command, lambda state, _: state.ledger.leases[lease.task])

    def release(self, lease: Lease) -> Task | None:
        """Give a claimed task back."""
        command = c.Release(checked(lease).task, lease.token)
        return self._do(command, lambda state, _: state.tasks.get(lease.task))

    def hold(self, task: TaskRef | None = None, seconds: int = 60) -> Heartbeat:
        """Claim a task and go on renewing the claim until the `with` block is left."""
        from outlast.application.heartbeat import Heartbeat

        return Heartbeat(self, self.claim(task, seconds), seconds)

    def hold_plan(self, seconds: int = 60) -> Heartbeat:
        """Claim the plan itself as its one runner, and keep the claim until the block is left."""
        from outlast.application.heartbeat import Heartbeat

        return Heartbeat(self, self._do(c.ClaimPlan(self.actor, seconds), _leased), seconds)

    def settle(self, attempt: str, outcome: Outcome, note: str = "") -> None:
        """Say as a person how an attempt came out whose end nobody has seen."""
        self._do(c.EndAttempt(attempt, outcome, "person", without_secrets(note)), receipt)

    def _see(self, task: int, token: int | None = None) -> None:
        """See how the checks of a task stand before it is worked on."""
        with suppress(StoreError):  # it is begun already; the completion is told
            prover = self._prover()
            if prover is not None:
                prover.begin(task, token)

    def _done_already(self, command: c.Complete) -> Task | None:
        """Return the task if the change that the key stands for can have been its completion.

        That was committed with a proof, which nobody can give a second time.
        """
        found = self.task(command.task)
        proved = found.status == "completed" and found.how in ("proved", "unproved")
        return found if proved and found.result == command.result else None


def _leased(state: PlanState, commit: Commit) -> Lease:
    return state.ledger.leases[last_id(state, commit)]


def _taken(state: PlanState, commit: Commit) -> tuple[Lease, Task]:
    lease = _leased(state, commit)
    return lease, state.tasks[lease.task]


def _token(lease: Lease | None) -> int | None:
    return None if lease is None else checked(lease).token
