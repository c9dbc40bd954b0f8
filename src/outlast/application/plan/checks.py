"""Checks of a plan: looking again, giving one's word, allowing what may run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.application.plan.handle import Handle
from outlast.domain.limits import check_ref
from outlast.domain.model import PERSON, Check
from outlast.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.proof.labels import Approval, Known, Standing
    from outlast.application.proof.prover import Prover
    from outlast.domain.commands import TaskRef
    from outlast.domain.ledger import Proving
    from outlast.domain.model import Proof, Task
    from outlast.ports.check import Doubt, Looked


class Checking(Handle):
    """The part of `outlast.Plan` that deals with proof."""

    __slots__ = ()

    def check(self, task: TaskRef | None = None) -> list[Standing]:
        """Run the checks of a task now, or of all tasks, and keep what they show.

        A task that is completed is proved anew by that, or no longer.
        """
        guarded = [one for one in self._chosen(task) if one.checks or one.protect]
        return [self._checked_again(one) for one in guarded]

    def confirm(self, task: TaskRef, rule: str | None = None) -> Task:
        """Give a person's word on a check that asks for it; without a rule, on all of a task's."""
        from outlast.domain.note_commands import Confirm

        found = self.task(task)
        asking = [check for check in found.checks if check.kind == "person"]
        if rule is not None:
            asking = [Check("person", rule)]
        if not asking:
            raise InvalidArgument("not_a_person_check", argument="task", task_id=found.id)
        commands = [Confirm(found.id, check, self.actor) for check in asking]
        return self.commit(commands, lambda state, _: state.task(found.id))

    def approve(self, task: TaskRef | None = None) -> Approval:
        """Let the checks of a task, or of any task, be run; return what was not allowed so far.

        Only a person can. For a single task it also says that what the task is measured by is right
        as it is now; what had been changed is told, and kept in the history.
        """
        if self.actor != PERSON:
            raise InvalidArgument("only_a_person", argument="actor", person=PERSON)
        return self._need_prover().approve(self._chosen(task), anew=task is not None)

    def unapproved(self) -> dict[int, tuple[Check, ...]]:
        """Return the checks of commands and files that nobody has allowed, by task."""
        checked = [one for one in self._chosen(None) if one.checks]
        return self._need_prover().unapproved(checked) if checked else {}

    def proof(self, task: TaskRef) -> Standing:
        """Return what it is known by that a task is done."""
        from outlast.application.proof.labels import known_of

        ref = check_ref(task, "task_id")
        plan_id, known = self.read(lambda state: (state.id, known_of(state, state.task(ref))))
        return self._stands(plan_id, known, {})

    def proofs(self) -> dict[int, Standing]:
        """Return the same for all tasks that are completed or whose checks were run, by task."""
        from outlast.application.proof.labels import all_known

        plan_id, found = self.read(lambda state: (state.id, all_known(state)))
        looked: Looked = {}
        return {known[0].id: self._stands(plan_id, known, looked) for known in found}

    def stop_checks(self) -> None:
        """Break off the checks that other threads are running on this plan."""
        if self._checker is not None:
            self._checker().stop()

    def _checked_again(self, task: Task) -> Standing:
        refused = self._need_prover().recheck(task.id)
        found = self.proof(task.id)
        return replace(found, label=refused) if refused else found

    def _stands(self, plan_id: str, known: Known, looked: Looked) -> Standing:
        from outlast.application.proof.labels import standing

        glance = partial(self._glance, plan_id, looked)
        return standing(*known, glance, partial(self._touched, plan_id, looked))

    def _glance(self, plan_id: str, looked: Looked, task: Task, proof: Proof) -> Doubt:
        """Tell whether a proof holds; where nobody can tell, it is as good as forged."""
        if self._checker is None:
            return "forged"
        return self._checker().glance(plan_id, task, proof, looked)

    def _touched(self, plan_id: str, looked: Looked, task: Task, known: Proving) -> bool:
        """Tell whether what an unfinished task is measured by is not what it was."""
        from outlast.application.proof.baseline import Asked

        prover = self._prover()
        return prover is not None and bool(prover.tampering(Asked(plan_id, task, known), looked))

    def _chosen(self, task: TaskRef | None) -> Iterable[Task]:
        return self.tasks() if task is None else (self.task(task),)

    def _need_prover(self) -> Prover:
        prover = self._prover()
        if prover is None:
            raise InvalidArgument("no_checker", argument="plan")
        return prover
