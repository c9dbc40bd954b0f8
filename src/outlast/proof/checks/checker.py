"""Run the checks of a task, make its proof, and verify proofs made earlier."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace

from outlast.errors import CheckNotApproved
from outlast.model.model import PERSON, Evidence, Proof
from outlast.proof.checks.tree_content import TreeIndexes
from outlast.proof.checks.trust import Trust
from outlast.proof.checks.workspace_files import FileDigests, WorkspaceFiles, escape_pattern
from outlast.system.clock import monotonic

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.model import BaselineResult, Check, Stage, Task, TaskReport
    from outlast.proof.checks.programs import CheckRunner
    from outlast.system.state_home import StateHome

ProofDefect = Literal["", "stale", "tampered", "forged"]
DigestCache = dict[tuple[str, ...], str]  # digests by patterns
_TOUCHED: Final = "touched:"  # before the digest of files that changed while checks ran


class Checker:
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
        self._files, self._indexes = WorkspaceFiles(root), TreeIndexes(home)
        self.trust = Trust(home, sha256(os.fsencode(self._files.root)).hexdigest())
        self._options = seconds, pass_env, variables
        self._running: CheckRunner | None = None
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
        """Run the checks of a task in order, and return the proof; a red check raises nothing.

        Stage `set` runs no check and only digests the protected files. `baseline` is the proof from
        before the attempt, `report` what an agent says about it. Protected files are looked at
        before and after: a check, or a process beside it, may exchange one and put it back. The
        digest is then one that no other proof has. Raises `CheckNotApproved` if a check lacks a
        person's approval.
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
                    self._time_check(check, confirmed_checks, report),
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
            content=self.content_id() if stage != "set" else "",
        )
        return self.trust.seal(plan_id, proof)

    def content_id(self) -> str:
        """Return the id of what is in the workspace now."""
        return self._indexes.content_id(self._files.root)

    def _require_approval(self, plan_id: str, task: Task) -> None:
        unapproved = self.trust.list_unapproved(plan_id, task.checks)
        if unapproved:
            rules = [check.rule for check in unapproved]
            raise CheckNotApproved("check_not_approved", task_id=task.id, checks=rules)

    def _time_check(
        self, check: Check, confirmed: Collection[Check], report: TaskReport | None
    ) -> Evidence:
        """Run a check, and note how long it took; a word takes no time."""
        begun = monotonic()
        evidence = self._run_check(check, confirmed, report)
        if check.is_word:
            return evidence
        return replace(evidence, took_ms=round((monotonic() - begun) * 1_000))

    def _run_check(
        self, check: Check, confirmed: Collection[Check], report: TaskReport | None
    ) -> Evidence:
        # A proof can be verified without what runs programs: that costs a hook a fifth of its time.
        from outlast.proof.checks.files import check_file, check_report
        from outlast.proof.checks.programs import check_command, check_function

        if check.kind == "command":
            return check_command(check, self._runner)
        if check.kind == "file":
            return check_file(check, self._runner)
        if check.kind == "python":
            return check_function(check, self._runner)
        if check.kind == "report":
            return check_report(check, report, self._runner)
        is_confirmed = check in confirmed
        return Evidence(check, is_confirmed, "confirmed" if is_confirmed else "unconfirmed")

    def _proof_patterns(self, task: Task) -> list[str]:
        """Return the patterns a proof depends on: the task's files and its file checks."""
        rules = (check.path for check in task.checks if check.kind == "file")
        paths = (self._files.resolve(path) for path in rules)
        return [*task.files, *(escape_pattern(path) for path in paths if path is not None)]

    def verify_proof(
        self, plan_id: str, task: Task, proof: Proof, cache: DigestCache | None = None
    ) -> ProofDefect:
        """Return why a proof no longer holds, without running its checks.

        Pass one `cache` for many tasks, so that files they share are digested once.
        """
        cache = {} if cache is None else cache
        if proof.task != task.id or not self.trust.is_sealed(plan_id, proof):
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

    @property
    def _runner(self) -> CheckRunner:
        if self._running is None:
            from outlast.proof.checks.programs import CheckRunner

            self._running = CheckRunner(self._files, *self._options)
        return self._running

    def stop(self) -> None:
        """Stop the running check; call it from another thread."""
        if self._running is not None:
            self._running.stop()

    def _cached_digest(self, patterns: Sequence[str], cache: DigestCache) -> str:
        key = tuple(sorted(set(patterns)))
        if key not in cache:
            cache[key] = self._digests.compute(key)
        return cache[key]


def _baseline_result(before: Evidence | None) -> BaselineResult:
    """Return the check's result before the attempt; red in any earlier attempt stays red."""
    if before is None:
        return ""
    if before.ok is None:
        return before.baseline
    return "green" if before.ok and before.baseline != "red" else "red"


CheckerFactory = Callable[[], Checker]
"""Creates the checker on first use."""
