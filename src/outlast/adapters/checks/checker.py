"""The checker of a workspace: runs the checks of its tasks and tells what a proof is worth."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.adapters.checks import commands, files, persons
from outlast.adapters.checks.approvals import Approvals
from outlast.adapters.checks.digests import Digests, literal
from outlast.adapters.checks.inside import Inside
from outlast.adapters.checks.runner import Desk
from outlast.adapters.checks.seals import Seals
from outlast.domain.model import PERSON, Proof
from outlast.errors import CheckNotApproved

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from outlast.domain.model import Check, Evidence, Seen, Stage, Task
    from outlast.ports.check import Doubt, Looked
    from outlast.system.state_home import StateHome


class LocalChecker:
    """Runs commands as the user who runs Outlast, in the root of the workspace."""

    def __init__(self, root: str, home: StateHome, seconds: float) -> None:
        """Check the tasks of the plans of one workspace; a check may take so many seconds."""
        self._inside = Inside(root)
        name = sha256(os.fsencode(self._inside.root)).hexdigest()
        self._approvals = Approvals(home, name)
        self._seals = Seals(home, name)
        self._desk = Desk(self._inside, seconds)
        self._digests = Digests(self._inside)

    def run(  # noqa: PLR0913 - what a proof is made of
        self,
        plan_id: str,
        task: Task,
        stage: Stage,
        *,
        actor: str,
        confirmed: Collection[Check],
        baseline: Proof | None,
        now: datetime,
    ) -> Proof:
        """Run the checks of a task one after the other, and look at its files behind them."""
        evidence: tuple[Evidence, ...] = ()
        if stage != "set":
            self._require_approval(plan_id, task)
            given = set(confirmed)
            if stage == "done" and actor == PERSON:
                given.update(task.checks)
            seen = {one.check: one for one in baseline.evidence} if baseline else {}
            evidence = tuple(
                replace(self._one(check, given), seen=_seen(seen.get(check)))
                for check in task.checks
            )
        proof = Proof(
            task=task.id,
            stage=stage,
            at=now,
            evidence=evidence,
            protected=self._digests.of(task.protect),
            files=self._digests.of(self._patterns(task)) if stage != "set" else "",
        )
        return self.seal(plan_id, proof)

    def seal(self, plan_id: str, proof: Proof) -> Proof:
        """Return a proof under the seal of this user and this machine."""
        return self._seals.seal(plan_id, proof)

    def is_sealed(self, plan_id: str, proof: Proof) -> bool:
        """Tell whether a proof was made for this user on this machine, and is as it was."""
        return self._seals.holds(plan_id, proof)

    def approve(self, plan_id: str, checks: Iterable[Check]) -> int:
        """Let these checks be run for a plan; return how many were not allowed yet."""
        return self._approvals.approve(plan_id, checks)

    def unapproved(self, plan_id: str, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Return those checks that need to be allowed and are not."""
        return self._approvals.missing(plan_id, checks)

    def give(self, plan_id: str, task: Task) -> None:
        """Note that a person wants a task to have the checks and to guard what it does now."""
        self._approvals.give(plan_id, task)

    def is_given(self, plan_id: str, task: Task) -> bool | None:
        """Tell whether what a task is measured by is what a person gave it; None if none did."""
        return self._approvals.is_given(plan_id, task)

    def glance(self, plan_id: str, task: Task, proof: Proof, looked: Looked | None = None) -> Doubt:
        """Tell why a proof no longer holds, without running anything."""
        looked = {} if looked is None else looked
        if proof.task != task.id or not self.is_sealed(plan_id, proof):
            return "forged"
        if tuple(one.check for one in proof.evidence) != task.checks:
            return "tampered"
        if self.is_touched(task, proof, looked):
            return "tampered"
        return "" if self._look(self._patterns(task), looked) == proof.files else "stale"

    def is_touched(self, task: Task, proof: Proof, looked: Looked | None = None) -> bool:
        """Tell whether what a task must not touch is not what it was at a proof."""
        return self._look(task.protect, {} if looked is None else looked) != proof.protected

    def stop(self) -> None:
        """Break off what is being run, from another thread."""
        self._desk.stop()

    def _look(self, patterns: Sequence[str], looked: Looked) -> str:
        key = tuple(sorted(set(patterns)))
        if key not in looked:
            looked[key] = self._digests.of(key)
        return looked[key]

    def _require_approval(self, plan_id: str, task: Task) -> None:
        missing = self._approvals.missing(plan_id, task.checks)
        if missing:
            rules = [check.rule for check in missing]
            raise CheckNotApproved("check_not_approved", task_id=task.id, checks=rules)

    def _one(self, check: Check, given: Collection[Check]) -> Evidence:
        if check.kind == "command":
            return commands.run(check, self._desk)
        if check.kind == "file":
            return files.run(check, self._desk)
        return persons.asked(check, given=check in given)

    def _patterns(self, task: Task) -> list[str]:
        """Return what a proof stands on: the files of the task, and those that its checks name."""
        named = (files.path_of(check) for check in task.checks if check.kind == "file")
        found = (self._inside.find(path) for path in named)
        return [*task.files, *(literal(path) for path in found if path is not None)]


def _seen(before: Evidence | None) -> Seen:
    """Tell how a check stood before; once seen red in an earlier attempt, it was."""
    if before is None:
        return ""
    return "green" if before.ok and before.seen != "red" else "red"
