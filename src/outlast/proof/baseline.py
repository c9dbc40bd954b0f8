"""Baselines: what the checks showed before, and whether a task still has the same checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.model.changes import PlanReset, ProofNoted, TaskAdded, TaskEdited, TaskReopened
from outlast.model.ledger import TaskProofs
from outlast.model.model import PERSON, Lease, Proof, Task, TaskReport
from outlast.proof.labels import checks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Reversible

    from outlast.model.changes import Change, Commit
    from outlast.proof.checks.checker import Checker, DigestCache

    History = Callable[[], Reversible[Commit]]

Tampering = Literal["", "protect", "checks", "baseline"]


class ProofRequest(Struct, frozen=True):
    """A task whose checks are to be run or judged, with what the plan records about them."""

    plan_id: str
    task: Task
    proofs: TaskProofs
    lease: Lease | None = None
    report: TaskReport | None = None


class ProofHistory:
    """Reads the recorded proofs of a plan; only those that carry our own seal count."""

    def __init__(self, checker: Checker, history: History) -> None:
        """Read the commits of a plan through `history()`."""
        self._checker, self._history = checker, history

    def is_own(self, request: ProofRequest, proof: Proof) -> bool:
        """Return whether Outlast itself made a proof, for this user on this machine."""
        return self._checker.trust.is_sealed(request.plan_id, proof)

    def before_attempt(self, request: ProofRequest) -> Proof | None:
        """Return what the checks showed before the current attempt."""
        proofs, status = request.proofs, request.task.status
        before, latest = proofs.baseline, proofs.latest
        if before is not None and before.evidence and self.is_own(request, before):
            started = status in ("in_progress", "completed")
            if started or not self._is_reopened_since(request, before):
                return before
        if status != "completed":
            return self.latest(request)
        return _baseline_in(latest) if latest is not None and self.is_own(request, latest) else None

    def latest(self, request: ProofRequest) -> Proof | None:
        """Return what the checks showed when they were last run.

        If the task was reopened since, what was seen before that run is dropped.
        """
        latest = request.proofs.latest
        if latest is None or not self.is_own(request, latest):
            return None
        if not self._is_reopened_since(request, latest):
            return latest
        return replace(
            latest, evidence=tuple(replace(item, baseline="") for item in latest.evidence)
        )

    def baseline_of_failed_attempt(self, request: ProofRequest) -> Proof | None:
        """Return the baseline of an attempt that did not end in a completion, if there is one."""
        before = request.proofs.baseline
        if before is None or before.stage != "before" or not self.is_own(request, before):
            return None
        is_completed = any(
            proof.stage == "done" and proof.at >= before.at and self.is_own(request, proof)
            for proof in self._proofs(request)
        )
        return None if is_completed else before

    def protected_digest(self, request: ProofRequest) -> str | None:
        """Return the digest that the protected files must have.

        It was taken when the task got its `protect`, or when a person approved the files. None if
        there is none yet, or if `protect` was changed since, as by an edit of a view.
        """
        baseline = request.proofs.baseline
        if baseline is None or not (baseline.protected and request.task.protect):
            return None
        for commit in reversed(self._history()):
            if commit.at <= baseline.at:
                break
            if any(_is_check_change(change, request.task.id) for change in commit.changes):
                return None
        return baseline.protected

    def is_baseline_replaced(self, request: ProofRequest) -> bool:
        """Return whether the baseline is not ours although Outlast had recorded one."""
        baseline = request.proofs.baseline
        if baseline is None or self.is_own(request, baseline):
            return False
        return any(
            proof.stage in ("set", "before") and self.is_own(request, proof)
            for proof in self._proofs(request)
        )

    def has_changed_checks(self, request: ProofRequest) -> bool:
        """Return whether anyone but a person changed the checks that a person gave a task."""
        if self._checker.trust.pin_state(request.plan_id, request.task) != "changed":
            return False
        authors = (
            by for by, change in self._changes() if _is_check_change(change, request.task.id)
        )
        return next(authors, "") != PERSON

    def find_tampering(self, request: ProofRequest, cache: DigestCache | None = None) -> Tampering:
        """Return which part of a task changed since it was added or started, if any did."""
        if request.task.status == "completed":
            return self._find_tampering_of_completed(request, cache)
        baseline = request.proofs.baseline
        if self.has_changed_checks(request):
            return "checks"
        if baseline is None:
            return ""
        if not self.is_own(request, baseline):  # the project may have been moved
            return "baseline" if self.is_baseline_replaced(request) else ""
        if self._checker.has_protected_changes(request.task, baseline, cache):
            return "protect"
        differ = baseline.stage == "before" and checks_of(baseline) != request.task.checks
        return "checks" if differ else ""

    def _find_tampering_of_completed(
        self, request: ProofRequest, cache: DigestCache | None
    ) -> Tampering:
        baseline, latest = request.proofs.baseline, request.proofs.latest
        reference = baseline or latest
        if reference is None:
            return "checks" if self.has_changed_checks(request) else ""
        if self.is_baseline_replaced(request):
            return "baseline"
        if self._checker.has_protected_changes(request.task, reference, cache):
            return "protect"
        if self._checker.trust.pin_state(request.plan_id, request.task) == "pinned":
            return ""
        known = reference if reference.evidence else latest
        differ = known is not None and checks_of(known) != request.task.checks
        return "checks" if differ or self.has_changed_checks(request) else ""

    def _is_reopened_since(self, request: ProofRequest, proof: Proof) -> bool:
        for commit in reversed(self._history()):
            if any(_reopens(change, request.task.id) for change in commit.changes):
                return proof.at < commit.at
        return False

    def _proofs(self, request: ProofRequest) -> Iterator[Proof]:
        for _, change in self._changes():
            if isinstance(change, ProofNoted) and change.proof.task == request.task.id:
                yield change.proof

    def _changes(self) -> Iterator[tuple[str, Change]]:
        """Yield the changes of the plan with their authors, newest first."""
        for commit in reversed(self._history()):
            yield from ((commit.author, change) for change in reversed(commit.changes))


def _baseline_in(latest: Proof) -> Proof:
    """Return the baseline that a proof carries in its evidence."""
    evidence = (
        replace(item, ok=item.baseline == "green", baseline="")
        for item in latest.evidence
        if item.baseline
    )
    return replace(latest, evidence=tuple(evidence))


def _reopens(change: Change, task: int) -> bool:
    return isinstance(change, PlanReset) or (isinstance(change, TaskReopened) and change.id == task)


def _is_check_change(change: Change, task: int) -> bool:
    """Return whether a change sets the checks or the protected files of a task."""
    if isinstance(change, TaskAdded):
        return change.task.id == task
    if not isinstance(change, TaskEdited) or change.id != task:
        return False
    return change.checks is not None or change.protect is not None
