"""Run the checks of a task, make its proof, and verify proofs made earlier."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import CheckNotApproved
from outlast.model.model import PERSON, Evidence, Proof
from outlast.proof.checks import commands, files, functions, reports
from outlast.proof.checks.approvals import Approvals
from outlast.proof.checks.digests import FileDigests, escape_pattern
from outlast.proof.checks.runner import CheckRunner
from outlast.proof.checks.seals import Seals
from outlast.proof.checks.workspace_files import WorkspaceFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from outlast.model.model import BaselineResult, Check, Stage, Task, TaskReport
    from outlast.proof.port import DigestCache, PinState, ProofDefect
    from outlast.system.state_home import StateHome


_TOUCHED: Final = "touched:"  # before the digest of files that changed while checks ran


class LocalChecker:
    """Runs checks in the root of one workspace, with the rights of the current user."""

    def __init__(
        self,
        root: str,
        home: StateHome,
        seconds: float,
        pass_env: Callable[[], Collection[str]] = tuple,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Take the workspace, the user's state directory and the timeout of one check.

        Checks get the variables that `pass_env` names even if they look like secrets, and
        `variables` on top of ours.
        """
        self._files = WorkspaceFiles(root)
        name = sha256(os.fsencode(self._files.root)).hexdigest()
        self._approvals = Approvals(home, name)
        self._seals = Seals(home, name)
        self._runner = CheckRunner(self._files, seconds, pass_env, variables)
        self._digests = FileDigests(self._files)

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
        report: TaskReport | None = None,
    ) -> Proof:
        """Run the checks of a task in order, then digest the files they cover.

        Protected files are looked at before and after: a check, or a process beside it, may
        exchange one and put it back.
        """
        evidence: tuple[Evidence, ...] = ()
        untouched = self._digests.observe_settled(task.protect if stage != "set" else ())
        if stage != "set":
            self._require_approval(plan_id, task)
            confirmed_checks = set(confirmed)
            if stage == "done" and actor == PERSON:
                confirmed_checks.update(task.checks)
            before = {item.check: item for item in baseline.evidence} if baseline else {}
            evidence = tuple(
                replace(
                    self._run_check(check, confirmed_checks, report),
                    baseline=_baseline_result(before.get(check)),
                )
                for check in task.checks
            )
        protected = self._digests.observe(task.protect)
        is_touched = stage != "set" and not protected.is_untouched_since(untouched)
        proof = Proof(
            task=task.id,
            stage=stage,
            at=now,
            evidence=evidence,
            protected=f"{_TOUCHED}{protected.digest}" if is_touched else protected.digest,
            files=self._digests.compute(self._proof_patterns(task)) if stage != "set" else "",
        )
        return self.seal(plan_id, proof)

    def seal(self, plan_id: str, proof: Proof) -> Proof:
        """Return the proof with the seal of this user and this machine."""
        return self._seals.seal(plan_id, proof)

    def is_sealed(self, plan_id: str, proof: Proof) -> bool:
        """Return whether the proof was sealed here, for this user, and is unchanged."""
        return self._seals.is_valid(plan_id, proof)

    def approve(self, plan_id: str, checks: Iterable[Check]) -> int:
        """Allow checks of a plan to run; return how many were not approved before."""
        return self._approvals.approve(plan_id, checks)

    def list_unapproved(self, plan_id: str, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Return the checks that still need an approval."""
        return self._approvals.list_unapproved(plan_id, checks)

    def pin_checks(self, plan_id: str, task: Task) -> None:
        """Record that a person set the current checks and protected files of a task."""
        self._approvals.pin_checks(plan_id, task)

    def pin_state(self, plan_id: str, task: Task) -> PinState:
        """Return whether a task still has the checks that a person pinned; empty without a pin."""
        return self._approvals.pin_state(plan_id, task)

    def verify_proof(
        self, plan_id: str, task: Task, proof: Proof, cache: DigestCache | None = None
    ) -> ProofDefect:
        """Return why a proof no longer holds, without running its checks."""
        cache = {} if cache is None else cache
        if proof.task != task.id or not self.is_sealed(plan_id, proof):
            return "forged"
        if tuple(item.check for item in proof.evidence) != task.checks:
            return "tampered"
        if self.has_protected_changes(task, proof, cache):
            return "tampered"
        return (
            "" if self._cached_digest(self._proof_patterns(task), cache) == proof.files else "stale"
        )

    def has_protected_changes(
        self, task: Task, proof: Proof, cache: DigestCache | None = None
    ) -> bool:
        """Return whether a protected file changed since the proof."""
        return self._cached_digest(task.protect, {} if cache is None else cache) != proof.protected

    def stop(self) -> None:
        """Stop the running check; call it from another thread."""
        self._runner.stop()

    def _cached_digest(self, patterns: Sequence[str], cache: DigestCache) -> str:
        key = tuple(sorted(set(patterns)))
        if key not in cache:
            cache[key] = self._digests.compute(key)
        return cache[key]

    def _require_approval(self, plan_id: str, task: Task) -> None:
        unapproved = self._approvals.list_unapproved(plan_id, task.checks)
        if unapproved:
            rules = [check.rule for check in unapproved]
            raise CheckNotApproved("check_not_approved", task_id=task.id, checks=rules)

    def _run_check(
        self, check: Check, confirmed: Collection[Check], report: TaskReport | None
    ) -> Evidence:
        if check.kind == "command":
            return commands.run(check, self._runner)
        if check.kind == "file":
            return files.run(check, self._runner)
        if check.kind == "python":
            return functions.run(check, self._runner)
        if check.kind == "report":
            return reports.run(check, report, self._runner)
        return _confirmation(check, is_confirmed=check in confirmed)

    def _proof_patterns(self, task: Task) -> list[str]:
        """Return the patterns a proof depends on: the task's files and its file checks."""
        rules = (check.path for check in task.checks if check.kind == "file")
        paths = (self._files.resolve(path) for path in rules)
        return [*task.files, *(escape_pattern(path) for path in paths if path is not None)]


def _confirmation(check: Check, *, is_confirmed: bool) -> Evidence:
    return Evidence(check, is_confirmed, "confirmed" if is_confirmed else "unconfirmed")


def _baseline_result(before: Evidence | None) -> BaselineResult:
    """Return the check's result before the attempt; red in any earlier attempt stays red."""
    if before is None:
        return ""
    return "green" if before.ok and before.baseline != "red" else "red"
