"""Running the checks of a task around an attempt, and keeping what they showed."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from math import ceil
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from msgspec.structs import replace

from outlast.application.heartbeat import Heartbeat
from outlast.application.proof.baseline import Asked, Earlier
from outlast.application.proof.labels import Approval, checks_of, is_older
from outlast.application.tracer import OUTCOME, span
from outlast.domain import commands as c
from outlast.domain.enact import receipt
from outlast.domain.ledger import Proving
from outlast.domain.model import PERSON, Lease, Proof, Task
from outlast.domain.note_commands import NoteProof
from outlast.errors import (
    CheckFailed,
    CheckNotApproved,
    OutlastError,
    ProofNeeded,
    Tampered,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from outlast.application.proof.baseline import Past, Tampering
    from outlast.application.proof.labels import Label
    from outlast.domain.changes import Commit
    from outlast.domain.model import Check, Stage
    from outlast.domain.state import PlanState
    from outlast.ports.check import Checker, Looked

T = TypeVar("T")
_TRIES: Final = 3
_PARDONED: Final = "pardoned"  # the reason of a commit by which a person takes changes as they are
_HELD: Final = 60  # seconds that a claim is kept for at least while checks run
_SOON: Final = 40  # seconds: too few for the first beat to be in time, should it be late


class Acting(Protocol):
    """What a prover needs of the handle it works for."""

    actor: str

    def now(self) -> datetime:
        """Return the time."""

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Answer a question about the plan."""

    def commit(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
    ) -> T:
        """Change the plan."""


class Prover:
    """Runs checks for a handle, and notes through it what they show."""

    def __init__(
        self, handle: Acting, checker: Checker, past: Past, tokens: Sequence[int] = ()
    ) -> None:
        """Work for a handle whose changes have no key; its claims are kept alive meanwhile.

        `past` returns the commits after a revision.
        """
        self._handle, self._checker, self._tokens = handle, checker, tokens
        self._earlier = Earlier(checker, past)

    def complete(self, command: c.Complete, commit: Callable[[c.Command], T]) -> T:
        """Complete a task whose checks pass; a red outcome is kept before it is told."""
        for tries_left in reversed(range(_TRIES)):
            asked = self._ask(command.task, command.token)
            self._refuse_tampered(asked)
            proof = self._run(asked, "done", self._earlier.seen(asked))
            try:
                return commit(replace(command, proof=proof))
            except CheckFailed:
                self._note(proof, "later")
                raise
            except ProofNeeded as error:  # the checks were others by then
                if error.text != "proof_of_other_checks" or not tries_left:
                    raise
        raise AssertionError

    def begin(self, task: c.TaskRef, token: int | None = None) -> None:
        """See how the checks of a task stand before it is worked on; `StoreError` if none can.

        What a failed attempt at it has touched stays touched in the next one.
        """
        asked = self._ask(task, token)
        try:
            if self._earlier.is_replaced(asked) or self._earlier.is_changed(asked):
                return  # which the completion is told, until a person has looked at it
            earlier = self._earlier.attempt(asked)
            proof = self._run(asked, "before", earlier or self._earlier.looked(asked))
        except CheckNotApproved:
            self._set((asked.task,), anew=False)
            return
        if earlier is not None:
            proof = replace(proof, protected=earlier.protected)
        self._note(proof, "before")

    def guard(self, tasks: Sequence[Task], given: Iterable[Check]) -> None:
        """Look at what tasks must not touch, as they are given out; a person's checks may run."""
        by_person = self._handle.actor == PERSON
        if by_person:
            self._checker.approve(self._plan_id(), given)
            self._give(tasks)
        self._set(tasks, anew=by_person)

    def approve(self, tasks: Iterable[Task], *, anew: bool) -> Approval:
        """Let the checks of tasks be run; `anew` also takes what they guard for right as it is."""
        chosen, plan_id = list(tasks), self._plan_id()
        pardoned = {one.id: self.tampering(self._ask(one.id)) for one in chosen if anew}
        count = self._checker.approve(plan_id, _all_checks(chosen))
        self._give(task for task in chosen if anew or self._checker.is_given(plan_id, task) is None)
        self._set(chosen, anew=anew, pardoned={one for one in pardoned if pardoned[one]})
        return Approval(count, {task: what for task, what in pardoned.items() if what})

    def unapproved(self, tasks: Iterable[Task]) -> dict[int, tuple[Check, ...]]:
        """Return the checks that nobody has allowed, by task."""
        plan_id = self._plan_id()
        found = {task.id: self._checker.unapproved(plan_id, task.checks) for task in tasks}
        return {task: checks for task, checks in found.items() if checks}

    def recheck(self, ref: c.TaskRef) -> Label:
        """Run the checks of a task again and keep what they show, or say why not.

        What was tampered with is not proved anew before a person has allowed it.
        """
        asked = self._ask(ref)
        if asked.task.status != "skipped" and self.tampering(asked):
            return "tampered"
        try:
            proof = self._run(asked, "later", self._earlier.seen(asked))
        except CheckNotApproved:
            return "not approved"
        self._handle.commit((NoteProof(proof),), receipt)
        return ""

    def tampering(self, asked: Asked, looked: Looked | None = None) -> Tampering:
        """Tell what of a task is no longer as it was when it was given out or begun."""
        return self._earlier.tampering(asked, looked)

    def _refuse_tampered(self, asked: Asked) -> None:
        """Refuse a task that is not measured as it was, or by what Outlast has not seen itself."""
        if self._earlier.is_changed(asked):
            raise Tampered("tampered", task_id=asked.task.id, what="checks")
        baseline = asked.known.baseline
        if baseline is not None and not self._earlier.is_own(asked, baseline):
            raise Tampered("not_seen_here", task_id=asked.task.id, what="baseline")

    def _give(self, tasks: Iterable[Task]) -> None:
        """Note that a person wants tasks to be measured as they are."""
        plan_id = self._plan_id()
        for task in tasks:
            given = self._checker.is_given(plan_id, task)
            if not given and (task.checks or task.protect or given is not None):
                self._checker.give(plan_id, task)

    def _set(self, tasks: Iterable[Task], *, anew: bool, pardoned: Collection[int] = ()) -> None:
        """Note what tasks guard; what was noted before gives way only if this is done anew."""
        notes = []
        for task in tasks:
            asked = self._ask(task.id)
            before = asked.known.baseline
            if before is None and (task.protect or task.id in pardoned):
                notes.append(NoteProof(self._run(asked, "set")))
            elif before is not None and anew:
                notes.append(NoteProof(self._set_anew(asked, before)))
        if notes:
            with suppress(OutlastError):  # what they belong to has been done already
                self._handle.commit(notes, receipt, reason=_PARDONED if pardoned else "")

    def _set_anew(self, asked: Asked, before: Proof) -> Proof:
        """Look at what a task guards; how its checks stood before stays known."""
        same = checks_of(before) == asked.task.checks and self._earlier.is_own(asked, before)
        proof = replace(self._run(asked, "set"), evidence=before.evidence if same else ())
        return self._checker.seal(asked.plan_id, proof)

    def _note(self, proof: Proof, stage: Stage) -> None:
        """Keep a proof as a fact; what stands in the way says so at the next change."""
        with suppress(OutlastError):
            sealed = self._checker.seal(self._plan_id(), replace(proof, stage=stage))
            self._handle.commit((NoteProof(sealed),), receipt)

    def _run(self, asked: Asked, stage: Stage, seen: Proof | None = None) -> Proof:
        about = {"outlast.task": asked.task.id, "outlast.stage": stage}
        with self._holding(asked.lease), span("outlast.check", **about) as note:
            proof = self._checker.run(
                asked.plan_id,
                asked.task,
                stage,
                actor=self._handle.actor,
                confirmed=self._confirmed(asked, stage),
                baseline=seen,
                now=self._handle.now(),
            )
            note(OUTCOME, "passed" if all(one.ok for one in proof.evidence) else "failed")
            return proof

    def _confirmed(self, asked: Asked, stage: Stage) -> list[Check]:
        """Return the checks that a person has given their word on.

        When somebody looks again, the word that an earlier proof was made with still stands.
        """
        given = [one.check for one in asked.known.confirmed]
        latest, task = asked.known.latest, asked.task
        if stage != "later" or latest is None or not task.finished or is_older(latest, task):
            return given
        said = [one.check for one in latest.evidence if one.ok]
        return given + said if self._earlier.is_own(asked, latest) else given

    @contextmanager
    def _holding(self, lease: Lease | None) -> Iterator[None]:
        """Keep a claim on the task alive while its checks run."""
        beat = None if lease is None else self._kept(lease)
        try:
            yield
        finally:
            if beat is not None:
                beat.stop()

    def _kept(self, lease: Lease) -> Heartbeat:
        left = ceil((lease.until - self._handle.now()).total_seconds())
        seconds, renewal = max(_HELD, left), _Renewal(self._handle)
        if left < _SOON:
            lease = renewal.renew(lease, seconds)
        return Heartbeat(renewal, lease, seconds)

    def _plan_id(self) -> str:
        return self._handle.read(lambda state: state.id)

    def _ask(self, ref: c.TaskRef, token: int | None = None) -> Asked:
        tokens = (*self._tokens, token)
        return self._handle.read(lambda state: _asked(state, ref, tokens))


class _Renewal:
    """What a heartbeat needs of a plan."""

    def __init__(self, handle: Acting) -> None:
        self._handle = handle

    def renew(self, lease: Lease, seconds: int) -> Lease:
        command = c.Renew(lease.task, lease.token, seconds)
        return self._handle.commit((command,), lambda state, _: state.ledger.leases[lease.task])

    def release(self, lease: Lease) -> object:
        return self._handle.commit((c.Release(lease.task, lease.token),), receipt)


def _asked(state: PlanState, ref: c.TaskRef, tokens: Sequence[int | None]) -> Asked:
    task = state.task(ref)
    lease = state.ledger.leases.get(task.id)  # whoever holds the plan itself keeps that alive
    held = None if lease is None or lease.token not in tokens else lease
    return Asked(state.id, task, state.ledger.proofs.get(task.id, Proving()), held)


def _all_checks(tasks: Iterable[Task]) -> list[Check]:
    return [check for task in tasks for check in task.checks]
