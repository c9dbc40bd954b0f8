"""`plan.checks`: run checks again, confirm and approve them, read proofs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.errors import InvalidArgument
from outlast.model.commands import Confirm, TaskRef
from outlast.model.limits import check_ref
from outlast.model.model import Check, Proof, Task
from outlast.plan.core import Facet
from outlast.proof.labels import Approval, ProofStatus, all_task_proofs, proof_status, task_proofs

if TYPE_CHECKING:
    from outlast.model.ledger import TaskProofs
    from outlast.model.state import PlanState
    from outlast.proof.checks.checker import DigestCache, ProofDefect
    from outlast.proof.prover import Prover


class PlanChecks(Facet):
    """The checks of a plan's tasks, and what they have shown."""

    __slots__ = ()

    def run(self, task: TaskRef | None = None) -> list[ProofStatus]:
        """Run the checks of one task or of all tasks now, and record the evidence.

        A completed task is proved again by that, or no longer proved.
        """
        targets = [item for item in self._select(task) if item.checks or item.protect]
        return [self._recheck(target) for target in targets]

    def confirm(self, task: TaskRef, rule: str | None = None) -> Task:
        """Confirm a check of kind `person`; without a rule, all of them in the task."""
        [target] = self._select(task)
        checks = [check for check in target.checks if check.kind == "person"]
        if rule is not None:
            checks = [Check("person", rule)]
        if not checks:
            raise InvalidArgument("not_a_person_check", argument="task", task_id=target.id)
        commands = [Confirm(target.id, check, self._core.actor) for check in checks]
        return self._core.commit(commands, lambda state, _: state.task(target.id))

    def approve(self, task: TaskRef | None = None) -> Approval:
        """Approve the checks of one task or of all tasks; return what was new.

        Only a person can. For a single task this also accepts its checks and protected files as
        they are now; what had been changed is returned, and the history records it.
        """
        self._core.require_person("approve")
        return self._need_prover().approve(self._select(task), accept=task is not None)

    def approve_shown(self, shown: Iterable[Check]) -> None:
        """Approve checks and commands that a person was shown, and nothing that came later."""
        self._core.require_person("approve")
        self._need_prover().approve_shown(self._select(None), shown)

    def unapproved(self) -> dict[int, tuple[Check, ...]]:
        """Return the command and file checks that no person has approved, by task."""
        tasks = [task for task in self._select(None) if task.checks]
        return self._need_prover().unapproved_checks(tasks) if tasks else {}

    def unapproved_runs(self) -> dict[int, str]:
        """Return the commands that do tasks and that no person has approved, by task."""
        tasks = [task for task in self._select(None) if task.run]
        return self._need_prover().list_unapproved_runs(tasks) if tasks else {}

    def proof(self, task: TaskRef) -> ProofStatus:
        """Return the label and the newest proof of a task."""
        ref = check_ref(task, "task")

        def read(state: PlanState) -> tuple[str, Task, TaskProofs]:
            target = state.task(ref)
            return state.id, target, task_proofs(state, target)

        plan_id, target, proofs = self._core.read(read)
        return self._proof_status(plan_id, target, proofs, {})

    def proofs(self) -> dict[int, ProofStatus]:
        """Return the same for every task that is completed or whose checks were run."""
        plan_id, tasks = self._core.read(lambda state: (state.id, all_task_proofs(state)))
        cache: DigestCache = {}
        return {task.id: self._proof_status(plan_id, task, proofs, cache) for task, proofs in tasks}

    def _recheck(self, task: Task) -> ProofStatus:
        refusal = self._need_prover().recheck(task.id)
        status = self.proof(task.id)
        return replace(status, label=refusal) if refusal else status

    def _proof_status(
        self, plan_id: str, task: Task, proofs: TaskProofs, cache: DigestCache
    ) -> ProofStatus:
        verify = partial(self._verify_proof, plan_id, cache)
        return proof_status(task, proofs, verify, partial(self._is_tampered, plan_id, cache))

    def _verify_proof(
        self, plan_id: str, cache: DigestCache, task: Task, proof: Proof
    ) -> ProofDefect:
        """Return why a proof does not hold; without a checker every proof counts as forged."""
        if self._core.checker is None:
            return "forged"
        return self._core.checker().verify_proof(plan_id, task, proof, cache)

    def _is_tampered(
        self, plan_id: str, cache: DigestCache, task: Task, proofs: TaskProofs
    ) -> bool:
        from outlast.proof.baseline import ProofRequest

        prover, request = self._core.prover(), ProofRequest(plan_id, task, proofs)
        return prover is not None and bool(prover.find_tampering(request, cache))

    def _select(self, task: TaskRef | None) -> Iterable[Task]:
        if task is None:
            return self._core.read(lambda state: tuple(state.tasks_in_order()))
        return (self._core.read(lambda state: state.task(check_ref(task, "task"))),)

    def _need_prover(self) -> Prover:
        prover = self._core.prover()
        if prover is None:
            raise InvalidArgument("no_checker", argument="plan")
        return prover
