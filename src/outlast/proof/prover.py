"""The prover: runs the checks of a task before and after an attempt and records the proof."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from math import ceil
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from msgspec.structs import replace

from outlast.errors import (
    CheckFailed,
    CheckNotApproved,
    CheckUnknown,
    OutlastError,
    ProofNeeded,
    Tampered,
)
from outlast.model.commands import NoteProof
from outlast.model.execute import return_commit
from outlast.model.ledger import TaskProofs
from outlast.model.model import PERSON, Check, Label, Lease, Proof, Stage, Task
from outlast.proof.around import while_checks_run
from outlast.proof.baseline import ProofHistory, ProofRequest, Tampering
from outlast.proof.labels import Approval, checks_of, is_of_earlier_attempt
from outlast.store.heartbeat import Heartbeat, renew_lease
from outlast.system.tracer import OUTCOME, span

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from outlast.model import commands as c
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.proof.baseline import History
    from outlast.proof.checks.checker import Checker, DigestCache
    from outlast.store.port import Views

T = TypeVar("T")
_TRIES: Final = 3
_CHECK: Final = "check"  # as the name of what ran
_ACCEPTED: Final = "pardoned"  # stored: the reason of a commit that accepts tampered files
_LEASE_SECONDS: Final = 60  # at least, while checks run
_RENEW_BELOW: Final = 40  # seconds: the first heartbeat could come too late


class PlanAccess(Protocol):
    """What a prover needs of a plan's handle."""

    actor: str

    def now(self) -> datetime:
        """Return the time by the plan's clock."""

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call a function with the state of the plan."""

    def commit(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
    ) -> T:
        """Save commands, all or none."""


class Prover:
    """Runs checks for a handle and records the evidence through it."""

    def __init__(
        self,
        handle: PlanAccess,
        checker: Checker,
        history: History,
        tokens: Sequence[int] = (),
        views: Views | None = None,
    ) -> None:
        """Take a handle without a key; the leases of `tokens` are renewed while checks run.

        Edits in `views` are told apart: a check may run what an agent wrote, which may make some.
        """
        self._handle, self._tokens, self._views = handle, tokens, views
        self._checker, self._trust = checker, checker.trust
        self._history = ProofHistory(checker, history)

    def complete(self, command: c.Complete, commit: Callable[[c.Command], T]) -> T:
        """Run the checks and complete the task; a failure is recorded before it is raised."""
        for tries_left in reversed(range(_TRIES)):
            proof = self.prove(command.task, command.token)
            try:
                return commit(replace(command, proof=proof))
            except (CheckFailed, CheckUnknown):
                self._record(proof, "later")
                raise
            except ProofNeeded as error:  # the checks changed meanwhile
                if error.text != "proof_of_other_checks" or not tries_left:
                    raise
        raise AssertionError

    def prove(self, task: c.TaskRef, token: int | None = None) -> Proof:
        """Run the checks of a task in progress and return their proof, which is not recorded.

        Raises `Tampered` or `CheckNotApproved` if they may not run.
        """
        self._apply_edits()
        request = self._request(task, token)
        self._refuse_tampered(request)
        return self._run(request, "done", self._history.before_attempt(request))

    def prove_or_record(self, task: c.TaskRef) -> Proof:
        """Run the checks like `prove`; a failure is recorded, so that people can see it later."""
        proof = self.prove(task)
        if not proof.is_green:
            self._record(proof, "later")
        return proof

    def runs(self, task: c.TaskRef) -> tuple[Proof, ...]:
        """Return the newest run of a task's present checks and their baseline, if there are any."""
        request = self._request(task)
        proofs = (request.proofs.latest, request.proofs.baseline)
        return tuple(
            proof
            for proof in proofs
            if proof is not None
            and proof.stage != "set"
            and checks_of(proof) == request.task.checks
            and self._history.is_own(request, proof)
        )

    def content_id(self) -> str:
        """Return the id of what is in the workspace now."""
        with while_checks_run():
            return self._checker.content_id()

    def record_baseline(self, task: c.TaskRef, token: int | None = None) -> None:
        """Record what the checks of a task show before work begins.

        Raises `StoreError` if they cannot be run or recorded. The protected files must stay as
        they were when the task got them: only a person who starts it accepts them as they are.
        """
        self._apply_edits()
        request = self._request(task, token)
        try:
            if self._history.is_baseline_replaced(request) or self._history.has_changed_checks(
                request
            ):
                return  # the completion is refused until a person has approved it
            failed = self._history.baseline_of_failed_attempt(request)
            proof = self._run(request, "before", failed or self._history.latest(request))
        except CheckNotApproved:
            self._record_protection((request.task,), renew=False)
            self._drop_other_baseline(request)
            return
        protected = self._history.protected_digest(request)
        if protected is not None and self._handle.actor != PERSON:
            proof = replace(proof, protected=protected)
        self._record(proof, "before")

    def _drop_other_baseline(self, request: ProofRequest) -> None:
        """Drop what other checks showed, which a person has replaced; keep the protected files."""
        before = request.proofs.baseline
        if before is None or before.stage != "before" or checks_of(before) == request.task.checks:
            return
        self._record(replace(before, evidence=(), at=self._handle.now()), "set")

    def record_new_checks(self, tasks: Sequence[Task], new: Iterable[Check]) -> None:
        """Record the protected files of tasks; approve and pin checks that a person set."""
        by_person = self._handle.actor == PERSON
        if by_person:
            self._trust.approve(self._plan_id(), new)
            self._pin_checks(tasks)
        self._record_protection(tasks, renew=by_person)

    def approve(self, tasks: Iterable[Task], *, accept: bool) -> Approval:
        """Approve the checks of tasks; `accept` also accepts changed checks and protected files."""
        chosen, plan_id = list(tasks), self._plan_id()
        tampered = {
            task.id: self.find_tampering(self._request(task.id)) for task in chosen if accept
        }
        accepted: dict[int, str] = {task: what for task, what in tampered.items() if what}
        commands = [check for task in chosen for check in task.commands]
        count = self._trust.approve(plan_id, commands)
        self._pin_checks(
            task for task in chosen if accept or not self._trust.pin_state(plan_id, task)
        )
        self._record_protection(chosen, renew=accept, accepted=accepted)
        return Approval(count, accepted)

    def unapproved_checks(self, tasks: Iterable[Task]) -> dict[int, tuple[Check, ...]]:
        """Return the checks that no person has approved, by task."""
        plan_id = self._plan_id()
        by_task = {task.id: self._trust.list_unapproved(plan_id, task.checks) for task in tasks}
        return {task: checks for task, checks in by_task.items() if checks}

    def list_unapproved_runs(self, tasks: Iterable[Task]) -> dict[int, str]:
        """Return the commands that do tasks and that no person has approved, by task."""
        plan_id = self._plan_id()
        runs = {task.id: Check("command", task.run) for task in tasks if task.run}
        unapproved = self._trust.list_unapproved(plan_id, runs.values())
        return {task: check.rule for task, check in runs.items() if check in unapproved}

    def list_unapproved(self, tasks: Iterable[Task]) -> tuple[Check, ...]:
        """Return the checks and commands of tasks that no person has approved, each once."""
        commands = [check for task in tasks for check in task.commands]
        return self._trust.list_unapproved(self._plan_id(), commands)

    def approve_shown(self, tasks: Iterable[Task], shown: Iterable[Check]) -> None:
        """Approve what a person was shown, and pin the tasks that have nothing else to approve."""
        self._trust.approve(self._plan_id(), shown)
        self.approve([task for task in tasks if not self.list_unapproved((task,))], accept=False)

    def recheck(self, ref: c.TaskRef) -> Label:
        """Run the checks of a task again and record the evidence.

        Returns a label if they may not run, else an empty one.
        A tampered task is not proved again before a person has approved it.
        """
        request = self._request(ref)
        if request.task.status != "skipped" and self.find_tampering(request):
            return "tampered"
        try:
            proof = self._run(request, "later", self._history.before_attempt(request))
        except CheckNotApproved:
            return "not approved"
        self._handle.commit((NoteProof(proof),), return_commit)
        return ""

    def find_tampering(self, request: ProofRequest, cache: DigestCache | None = None) -> Tampering:
        """Return which part of a task changed since it was added or started, if any did."""
        return self._history.find_tampering(request, cache)

    def _refuse_tampered(self, request: ProofRequest) -> None:
        """Raise `Tampered` if checks or protected files changed, or if the baseline is not ours.

        So a changed file is not even run. Checks that lack an approval are refused as such later.
        """
        if self._history.has_changed_checks(request):
            raise Tampered("tampered", task_id=request.task.id, what="checks")
        baseline = request.proofs.baseline
        if baseline is not None and not self._history.is_own(request, baseline):
            raise Tampered("not_seen_here", task_id=request.task.id, what="baseline")
        if baseline is None or self._trust.list_unapproved(request.plan_id, request.task.checks):
            return
        if self._checker.has_protected_changes(request.task, baseline):
            raise Tampered("tampered", task_id=request.task.id, what="protect")

    def _pin_checks(self, tasks: Iterable[Task]) -> None:
        """Pin the checks and protected files of tasks, as a person wants them."""
        plan_id = self._plan_id()
        for task in tasks:
            state = self._trust.pin_state(plan_id, task)
            if state == "changed" or (not state and (task.checks or task.protect)):
                self._trust.pin_checks(plan_id, task)

    def _record_protection(
        self, tasks: Iterable[Task], *, renew: bool, accepted: Collection[int] = ()
    ) -> None:
        """Record the protected files of tasks; `renew` replaces what was recorded before."""
        notes = []
        for task in tasks:
            request = self._request(task.id)
            before = request.proofs.baseline
            if before is None and (task.protect or task.id in accepted):
                notes.append(NoteProof(self._run(request, "set")))
            elif before is not None and renew:
                notes.append(NoteProof(self._renew_protection(request, before)))
        if notes:
            with suppress(OutlastError):  # the change that they belong to is committed
                self._handle.commit(notes, return_commit, reason=_ACCEPTED if accepted else "")

    def _renew_protection(self, request: ProofRequest, before: Proof) -> Proof:
        """Record the protected files again and keep the evidence, if the checks are the same."""
        same = checks_of(before) == request.task.checks and self._history.is_own(request, before)
        proof = replace(self._run(request, "set"), evidence=before.evidence if same else ())
        return self._trust.seal(request.plan_id, proof)

    def _record(self, proof: Proof, stage: Stage) -> None:
        """Record a proof; if the store fails, the next change reports it."""
        with suppress(OutlastError):
            sealed = self._trust.seal(self._plan_id(), replace(proof, stage=stage))
            self._handle.commit((NoteProof(sealed),), return_commit)

    def _run(self, request: ProofRequest, stage: Stage, baseline: Proof | None = None) -> Proof:
        attributes = {"outlast.task": request.task.id, "outlast.stage": stage}
        with (
            self._keep_lease(request.lease),
            self._find_edits(),
            while_checks_run(),
            span("outlast.check", **attributes) as write,
        ):
            proof = self._checker.run(
                request.plan_id,
                request.task,
                stage,
                actor=self._handle.actor,
                confirmed=self._confirmed_checks(request, stage),
                baseline=baseline,
                now=self._handle.now(),
                report=request.report,
            )
            result = "unknown" if proof.is_unknown else "passed" if proof.is_green else "failed"
            write(OUTCOME, result)
            return proof

    def _confirmed_checks(self, request: ProofRequest, stage: Stage) -> list[Check]:
        """Return the checks that a person has confirmed.

        When a finished task is checked again, what was confirmed for its proof still counts.
        """
        confirmed = [confirmation.check for confirmation in request.proofs.confirmed]
        latest, task = request.proofs.latest, request.task
        if (
            stage != "later"
            or latest is None
            or not task.finished
            or is_of_earlier_attempt(latest, task)
        ):
            return confirmed
        proved = [evidence.check for evidence in latest.evidence if evidence.ok]
        return confirmed + proved if self._history.is_own(request, latest) else confirmed

    def _apply_edits(self) -> None:
        """Apply what people have changed in the plan's views: it may be the checks themselves."""
        if self._views is not None:
            self._views.sync_touched()

    @contextmanager
    def _find_edits(self) -> Iterator[None]:
        """Sync what changes in the plan's views while checks run: it may not be a person's."""
        views = self._views
        if views is None:
            yield
            return
        views.sync_touched()
        try:
            yield
        finally:
            views.sync_touched(_CHECK)

    @contextmanager
    def _keep_lease(self, lease: Lease | None) -> Iterator[None]:
        """Renew the lease on a task while its checks run."""
        heartbeat = None if lease is None else self._start_heartbeat(lease)
        try:
            yield
        finally:
            if heartbeat is not None:
                heartbeat.stop()

    def _start_heartbeat(self, lease: Lease) -> Heartbeat:
        remaining = ceil((lease.until - self._handle.now()).total_seconds())
        seconds = max(_LEASE_SECONDS, remaining)
        if remaining < _RENEW_BELOW:
            lease = renew_lease(self._handle, lease, seconds)
        return Heartbeat(self._handle, lease, seconds)

    def _plan_id(self) -> str:
        return self._handle.read(lambda state: state.id)

    def _request(self, ref: c.TaskRef, token: int | None = None) -> ProofRequest:
        tokens = (*self._tokens, token)
        return self._handle.read(lambda state: _read_request(state, ref, tokens))


def _read_request(state: PlanState, ref: c.TaskRef, tokens: Sequence[int | None]) -> ProofRequest:
    task = state.task(ref)
    lease = state.ledger.leases.get(task.id)  # the runner renews the plan's own lease
    own = None if lease is None or lease.token not in tokens else lease
    proofs = state.ledger.proofs.get(task.id, TaskProofs())
    return ProofRequest(state.id, task, proofs, own, state.ledger.report_since_start(task))
