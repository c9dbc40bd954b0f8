"""The check port: run checks, approve them, seal and verify proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from outlast.model.model import Check, Proof, Stage, Task, TaskReport

ProofDefect = Literal["", "stale", "tampered", "forged"]
PinState = Literal["", "pinned", "changed"]
DigestCache = dict[tuple[str, ...], str]  # digests by patterns


class Checker(Protocol):
    """Runs the checks of tasks in one workspace."""

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
        """Run the checks of a task and return the sealed proof; a red check raises nothing.

        Stage `set` runs no check and only digests the protected files. `baseline` is the proof from
        before the attempt, `report` what an agent says about it. A protected file that was touched
        while the checks ran gives a digest that no other proof has. Raises `CheckNotApproved` if a
        check lacks a person's approval.
        """

    def seal(self, plan_id: str, proof: Proof) -> Proof:
        """Return the proof with the seal of this user and this machine."""

    def is_sealed(self, plan_id: str, proof: Proof) -> bool:
        """Return whether the proof was sealed here, for this user, and is unchanged."""

    def approve(self, plan_id: str, checks: Iterable[Check]) -> int:
        """Allow checks of a plan to run; return how many were not approved before."""

    def list_unapproved(self, plan_id: str, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Return the checks that still need an approval."""

    def pin_checks(self, plan_id: str, task: Task) -> None:
        """Record that a person set the current checks and protected files of a task."""

    def pin_state(self, plan_id: str, task: Task) -> PinState:
        """Return whether a task still has the checks that a person pinned; empty without a pin."""

    def verify_proof(
        self, plan_id: str, task: Task, proof: Proof, cache: DigestCache | None = None
    ) -> ProofDefect:
        """Return why a proof no longer holds, without running its checks.

        Pass one `cache` for many tasks, so that files they share are digested once.
        """

    def has_protected_changes(
        self, task: Task, proof: Proof, cache: DigestCache | None = None
    ) -> bool:
        """Return whether a protected file changed since the proof."""

    def stop(self) -> None:
        """Stop the running check; call it from another thread."""


class CheckerFactory(Protocol):
    """Creates the checker on first use."""

    def __call__(self) -> Checker:
        """Return the checker."""
