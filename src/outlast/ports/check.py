"""What runs the checks of a task, and knows which of them may run and which proof is its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from outlast.domain.model import Check, Proof, Stage, Task

Doubt = Literal["", "stale", "tampered", "forged"]
Looked = dict[tuple[str, ...], str]  # digests by patterns


class Checker(Protocol):
    """Runs checks in the workspace of a plan."""

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
        """Run the checks of a task; a red one is told in the proof, not raised.

        With stage `set` nothing is run: only what the task must not touch is looked at. Raises
        `CheckNotApproved` if nobody has allowed one of them. `baseline` is how they stood before.
        """

    def seal(self, plan_id: str, proof: Proof) -> Proof:
        """Return a proof under the seal of this user and this machine."""

    def is_sealed(self, plan_id: str, proof: Proof) -> bool:
        """Tell whether a proof was made for this user on this machine, and is as it was."""

    def approve(self, plan_id: str, checks: Iterable[Check]) -> int:
        """Let these checks be run for a plan; return how many were not allowed yet."""

    def unapproved(self, plan_id: str, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Return those checks that need to be allowed and are not."""

    def give(self, plan_id: str, task: Task) -> None:
        """Note that a person wants a task to have the checks and to guard what it does now."""

    def is_given(self, plan_id: str, task: Task) -> bool | None:
        """Tell whether what a task is measured by is what a person gave it; None if none did."""

    def glance(self, plan_id: str, task: Task, proof: Proof, looked: Looked | None = None) -> Doubt:
        """Tell why a proof no longer holds, without running anything.

        What was `looked` at is not looked at again, for many tasks that rest on the same files.
        """

    def is_touched(self, task: Task, proof: Proof, looked: Looked | None = None) -> bool:
        """Tell whether what a task must not touch is not what it was at a proof."""

    def stop(self) -> None:
        """Break off what is being run, from another thread."""


class NewChecker(Protocol):
    """Makes a checker when one is first needed."""

    def __call__(self) -> Checker:
        """Return it."""
