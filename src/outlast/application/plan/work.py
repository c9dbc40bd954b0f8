"""Work verbs: start and end tasks, claim them, pause and resume the plan."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outlast.application.plan.handle import PlanHandle, check_lease, last_id, last_task
from outlast.domain import commands as c
from outlast.domain.execute import return_commit
from outlast.errors import InvalidArgument, ProofNeeded, StoreError
from outlast.formats.redact.fast import redact_text

if TYPE_CHECKING:
    from outlast.application.heartbeat import Heartbeat
    from outlast.domain.changes import Commit
    from outlast.domain.commands import TaskRef
    from outlast.domain.model import How, Lease, Outcome, Task
    from outlast.domain.state import PlanState


class WorkVerbs(PlanHandle):
    """Work on tasks. A mixin of `outlast.Plan`."""

    __slots__ = ()

    def start(self, task: TaskRef | None = None) -> Task:
        """Start a task, or the next one if this actor has none in progress.

        Its checks are run as the baseline, to see later what the work has changed.
        """
        started = self.commit((c.Start(self.actor, task),), last_task)
        if started.checks or started.protect:
            self._record_baseline(started.id)
        return started

    def complete(  # noqa: PLR0913 - one keyword for each option
        self,
        task: TaskRef,
        result: str | None = None,
        *,
        how: How = "reported",
        lease: Lease | None = None,
        force: bool = False,
        amend: bool = False,
    ) -> Task:
        """Complete a task; a ready task that was not started is started first.

        If it has checks, they are run and have to pass. A person may complete it without them
        (`force`), or before it is ready (`amend`).
        """
        command = c.Complete(
            task,
            self.actor,
            redact_text(result),
            how,
            _token_of(lease),
            force=force,
            amend=amend,
        )
        try:
            return self.commit((command,), last_task)
        except ProofNeeded as error:
            prover = self._prover() if type(error) is ProofNeeded else None
            if prover is None:
                raise
        except InvalidArgument as error:
            completed = self._find_completed(command) if error.text == "key_reused" else None
            if completed is None:
                raise
            return completed
        return prover.complete(command, lambda proved: self.commit((proved,), last_task))

    def fail(
        self, task: TaskRef, error: str, *, retry: bool = True, lease: Lease | None = None
    ) -> Task:
        """Record a failed attempt: the task is pending again, or failed after three retries."""
        command = c.Fail(task, self.actor, redact_text(error), retry, _token_of(lease))
        return self.commit((command,), last_task)

    def return_task(self, task: TaskRef, reason: str = "", *, lease: Lease | None = None) -> Task:
        """Return a task in progress to pending, without an outcome."""
        return self.commit(
            (c.Return(task, redact_text(reason), _token_of(lease)),), last_task, reason=reason
        )

    def skip(self, task: TaskRef, reason: str = "") -> Task:
        """Skip an unfinished task; tasks that need it can go on."""
        return self.commit((c.Skip(task, redact_text(reason)),), last_task, reason=reason)

    def reopen(self, task: TaskRef, reason: str = "") -> Task:
        """Make a failed or finished task pending again."""
        return self.commit((c.Reopen(task),), last_task, reason=reason)

    def set_progress(
        self, task: TaskRef, current: int, total: int, *, lease: Lease | None = None
    ) -> Task:
        """Record that `current` of `total` parts of a task are done."""
        command = c.SetProgress(task, current, total, _token_of(lease))
        return self.commit((command,), lambda state, _: state.task(task))

    def pause(self, reason: str = "") -> None:
        """Pause the plan."""
        self.commit((c.Pause(),), return_commit, reason=reason)

    def resume(self) -> None:
        """Resume a paused plan."""
        self.commit((c.Resume(),), return_commit)

    def abort(self, reason: str = "") -> None:
        """Abort the plan: it becomes failed, and everything done so far is kept."""
        self.commit((c.Abort(),), return_commit, reason=reason)

    def reset(self) -> int:
        """Make every task pending again; return how many there are."""
        return self.commit((c.Reset(),), lambda state, _: len(state.tasks))

    def count_iteration(self) -> int:
        """Count one more iteration; return the new count."""
        return self.commit((c.CountIteration(),), lambda state, _: state.iteration_count)

    # Claims

    def claim(self, task: TaskRef | None = None, seconds: int = 60) -> Lease:
        """Start and lease a task, or the next one; an expired lease may be taken over."""
        lease, started = self.commit((c.Claim(self.actor, task, seconds),), _lease_and_task)
        if started.checks or started.protect:
            self._record_baseline(started.id, lease.token)
        return lease

    def renew(self, lease: Lease, seconds: int = 60) -> Lease:
        """Extend a lease to so many seconds from now."""
        command = c.Renew(check_lease(lease).task, lease.token, seconds)
        return self.commit((command,), lambda state, _: state.ledger.leases[lease.task])

    def release(self, lease: Lease) -> Task | None:
        """End a lease and return its task to pending."""
        command = c.Release(check_lease(lease).task, lease.token)
        return self.commit((command,), lambda state, _: state.tasks.get(lease.task))

    def claim_with_heartbeat(self, task: TaskRef | None = None, seconds: int = 60) -> Heartbeat:
        """Claim a task and renew the lease from a thread until the `with` block ends."""
        from outlast.application.heartbeat import Heartbeat

        return Heartbeat(self, self.claim(task, seconds), seconds)

    def claim_plan(self, seconds: int = 60) -> Heartbeat:
        """Claim the plan as its only runner and renew the lease until the block ends."""
        from outlast.application.heartbeat import Heartbeat

        return Heartbeat(self, self.commit((c.ClaimPlan(self.actor, seconds),), _lease_of), seconds)

    def settle(self, attempt: str, outcome: Outcome, note: str = "") -> None:
        """Settle an attempt that a crash left open, as a person who knows how it ended."""
        self.commit((c.EndAttempt(attempt, outcome, "person", redact_text(note)),), return_commit)

    def _record_baseline(self, task: int, token: int | None = None) -> None:
        """Record what the checks of a task show before work begins."""
        with suppress(StoreError):  # the start is committed; the completion reports the problem
            prover = self._prover()
            if prover is not None:
                prover.record_baseline(task, token)

    def _find_completed(self, command: c.Complete) -> Task | None:
        """Return the task if the reused key can stand for this very completion.

        That commit carried a proof, so that the same command cannot be made again.
        """
        task = self.task(command.task)
        is_proved = task.status == "completed" and task.how in ("proved", "unproved")
        return task if is_proved and task.result == command.result else None


def _lease_of(state: PlanState, commit: Commit) -> Lease:
    return state.ledger.leases[last_id(state, commit)]


def _lease_and_task(state: PlanState, commit: Commit) -> tuple[Lease, Task]:
    lease = _lease_of(state, commit)
    return lease, state.tasks[lease.task]


def _token_of(lease: Lease | None) -> int | None:
    return None if lease is None else check_lease(lease).token
