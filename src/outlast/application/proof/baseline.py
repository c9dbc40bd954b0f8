"""How a task and its checks were seen earlier, and whether it is still measured by the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.application.proof.labels import checks_of
from outlast.domain.changes import PlanReset, TaskAdded, TaskEdited, TaskReopened
from outlast.domain.ledger import Proving
from outlast.domain.model import PERSON, Lease, Proof, Task
from outlast.domain.note_changes import ProofNoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outlast.domain.changes import Change, Commit
    from outlast.ports.check import Checker, Looked

    Past = Callable[[int], Sequence[Commit]]

Tampering = Literal["", "protect", "checks", "baseline"]


class Asked(Struct, frozen=True):
    """What has to be known of a task before its checks are run."""

    plan_id: str
    task: Task
    known: Proving
    lease: Lease | None = None


class Earlier:
    """Looks back at a plan, with the eyes of a checker."""

    def __init__(self, checker: Checker, past: Past) -> None:
        """Look at a plan whose commits after a revision are what `past` returns."""
        self._checker, self._past = checker, past

    def is_own(self, asked: Asked, proof: Proof) -> bool:
        """Tell whether Outlast itself has seen what a proof says."""
        return self._checker.is_sealed(asked.plan_id, proof)

    def seen(self, asked: Asked) -> Proof | None:
        """Return how the checks of a task stood before the work that is looked at now."""
        before, latest, status = asked.known.baseline, asked.known.latest, asked.task.status
        known = before is not None and before.evidence and self.is_own(asked, before)
        if before is not None and known:
            begun = status in ("in_progress", "completed")
            known = begun or not self._is_past(asked, before)
        if known:
            return before
        if status != "completed":
            return self.looked(asked)
        return _retold(latest) if latest is not None and self.is_own(asked, latest) else None

    def looked(self, asked: Asked) -> Proof | None:
        """Return how the checks showed when they were run last.

        What was known then of a time before is of no use to a task that was taken up again since.
        """
        latest = asked.known.latest
        if latest is None or not self.is_own(asked, latest):
            return None
        if not self._is_past(asked, latest):
            return latest
        return replace(latest, evidence=tuple(replace(one, seen="") for one in latest.evidence))

    def attempt(self, asked: Asked) -> Proof | None:
        """Return how things stood before an attempt that came to no good end, if there was one."""
        before = asked.known.baseline
        if before is None or before.stage != "before" or not self.is_own(asked, before):
            return None
        ended_well = any(
            proof.stage == "done" and proof.at >= before.at and self.is_own(asked, proof)
            for proof in self._noted(asked)
        )
        return None if ended_well else before

    def is_replaced(self, asked: Asked) -> bool:
        """Tell whether something stands in the place of how Outlast itself has seen the task."""
        baseline = asked.known.baseline
        if baseline is None or self.is_own(asked, baseline):
            return False
        return any(
            proof.stage in ("set", "before") and self.is_own(asked, proof)
            for proof in self._noted(asked)
        )

    def is_changed(self, asked: Asked) -> bool:
        """Tell whether somebody else has changed what a person gave a task to be measured by."""
        if self._checker.is_given(asked.plan_id, asked.task) is not False:
            return False
        authors = (by for by, change in self._changes() if _shapes(change, asked.task.id))
        return next(authors, "") != PERSON

    def tampering(self, asked: Asked, looked: Looked | None = None) -> Tampering:
        """Tell what of a task is no longer as it was when it was given out or begun."""
        if asked.task.status == "completed":
            return self._of_completed(asked, looked)
        baseline = asked.known.baseline
        if self.is_changed(asked):
            return "checks"
        if baseline is None:
            return ""
        if not self.is_own(asked, baseline):  # of a project that was moved, say
            return "baseline" if self.is_replaced(asked) else ""
        if self._checker.is_touched(asked.task, baseline, looked):
            return "protect"
        other = baseline.stage == "before" and checks_of(baseline) != asked.task.checks
        return "checks" if other else ""

    def _of_completed(self, asked: Asked, looked: Looked | None) -> Tampering:
        baseline, latest = asked.known.baseline, asked.known.latest
        reference = baseline or latest
        if reference is None:
            return "checks" if self.is_changed(asked) else ""
        if self.is_replaced(asked):
            return "baseline"
        if self._checker.is_touched(asked.task, reference, looked):
            return "protect"
        if self._checker.is_given(asked.plan_id, asked.task):
            return ""
        told = baseline if baseline is not None and baseline.evidence else latest
        other = told is not None and checks_of(told) != asked.task.checks
        return "checks" if other or self.is_changed(asked) else ""

    def _is_past(self, asked: Asked, proof: Proof) -> bool:
        """Tell whether a task was taken up again after a proof."""
        for commit in reversed(self._past(0)):
            if any(_takes_up(change, asked.task.id) for change in commit.changes):
                return proof.at < commit.at
        return False

    def _noted(self, asked: Asked) -> Iterator[Proof]:
        for _, change in self._changes():
            if isinstance(change, ProofNoted) and change.proof.task == asked.task.id:
                yield change.proof

    def _changes(self) -> Iterator[tuple[str, Change]]:
        """Yield all changes of the plan, the newest first, with who made them."""
        for commit in reversed(self._past(0)):
            yield from ((commit.author, change) for change in reversed(commit.changes))


def _retold(latest: Proof) -> Proof:
    """Return what a proof says of the time before it, as it was seen then."""
    evidence = (
        replace(one, ok=one.seen == "green", seen="") for one in latest.evidence if one.seen
    )
    return replace(latest, evidence=tuple(evidence))


def _takes_up(change: Change, task: int) -> bool:
    return isinstance(change, PlanReset) or (isinstance(change, TaskReopened) and change.id == task)


def _shapes(change: Change, task: int) -> bool:
    """Tell whether a change says what a task is measured by."""
    if isinstance(change, TaskAdded):
        return change.task.id == task
    if not isinstance(change, TaskEdited) or change.id != task:
        return False
    return change.checks is not None or change.protect is not None
