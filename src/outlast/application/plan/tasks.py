"""Task verbs: change the goal, the phases and the tasks of a plan."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outlast.application.plan.handle import PlanHandle, as_tuple, last_id
from outlast.domain import commands as c
from outlast.domain.changes import PhaseAdded, TaskAdded
from outlast.domain.decide.tasks import RULES
from outlast.domain.execute import return_commit
from outlast.domain.model import PERSON
from outlast.errors import InvalidArgument, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.changes import Commit
    from outlast.domain.commands import TaskRef
    from outlast.domain.model import Check, Order, Phase, Task
    from outlast.domain.state import PlanState


class TaskVerbs(PlanHandle):
    """Say what is to be done. A mixin of `outlast.Plan`."""

    __slots__ = ()

    def initialize(self, goal: str, tasks: Iterable[c.NewTask]) -> tuple[Task, ...]:
        """Give an empty plan its goal and tasks, or begin a new plan after one that ended."""
        command = c.InitializePlan(self._new_id(), goal, as_tuple(tasks, "tasks"))
        return self._record_checks(
            self.commit((command,), lambda state, _: tuple(state.tasks_in_order()))
        )

    def edit(
        self, *, goal: str | None = None, title: str | None = None, order: Order | None = None
    ) -> None:
        """Change the goal, the title or the order of the plan."""
        self.commit((c.EditPlan(goal, title, order),), return_commit)

    def add(  # noqa: PLR0913 - one keyword for each thing a task may have
        self,
        name: str,
        needs: Iterable[TaskRef] = (),
        reasoning: str = "",
        *,
        insert_after: TaskRef | None = None,
        phase: str | None = None,
        active_form: str = "",
        kind: str = "",
        checks: Iterable[Check] = (),
        run: str = "",
        files: Iterable[str] = (),
        protect: Iterable[str] = (),
    ) -> Task:
        """Add a task at the end of its phase, or right after the task `insert_after`.

        Checks that a person adds are approved at once.
        """
        new = c.NewTask(
            name=name,
            phase=phase,
            needs=as_tuple(needs, "needs"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=as_tuple(checks, "checks"),
            run=run,
            files=as_tuple(files, "files"),
            protect=as_tuple(protect, "protect"),
        )
        return self.add_all((new,), insert_after=insert_after)[0]

    def add_all(
        self,
        tasks: Iterable[c.NewTask],
        *,
        insert_after: TaskRef | None = None,
        new_phase: str | None = None,
    ) -> tuple[Task, ...]:
        """Add several tasks, which may need each other, all or none.

        `new_phase` is the title of a phase to add for them in the same commit.
        """
        command = c.AddTasks(as_tuple(tasks, "tasks"), insert_after)
        if new_phase is None:
            return self._record_checks(self.commit((command,), _new_tasks))
        return self._record_checks(self.commit((c.AddPhase(new_phase), command), _new_tasks))

    def update(  # noqa: PLR0913 - one keyword for each thing that can change
        self,
        task: TaskRef,
        *,
        name: str | None = None,
        needs: Iterable[TaskRef] | None = None,
        reasoning: str | None = None,
        active_form: str | None = None,
        kind: str | None = None,
        checks: Iterable[Check] | None = None,
        run: str | None = None,
        files: Iterable[str] | None = None,
        protect: Iterable[str] | None = None,
        amend: bool = False,
    ) -> Task:
        """Change the given fields of a task.

        Only a person may change the checks of a task that has any. A person may also `amend` a
        finished task, or one in progress except for its checks.
        """
        command = c.EditTask(
            task=task,
            name=name,
            needs=None if needs is None else as_tuple(needs, "needs"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=None if checks is None else as_tuple(checks, "checks"),
            run=run,
            files=None if files is None else as_tuple(files, "files"),
            protect=None if protect is None else as_tuple(protect, "protect"),
            amend=amend,
        )
        self._check_permission((command,))
        if checks is None and protect is None:
            return self.commit((command,), lambda state, _: state.task(task))
        before = self.task(task).checks
        edited = self.commit((command,), lambda state, _: state.task(task))
        return self._record_checks((edited,), before)[0]

    def move(
        self,
        task: TaskRef,
        *,
        insert_after: TaskRef | None = None,
        phase: str | None = None,
        first: bool = False,
    ) -> Task:
        """Move a task after another, else to the end (or front) of its phase or a named one."""
        command = c.MoveTask(task, phase, insert_after, first)
        return self.commit((command,), lambda state, _: state.task(task))

    def revise(self, task: TaskRef, commands: Iterable[c.Command], *, reason: str = "") -> Task:
        """Commit several commands about one task together, all or none."""
        before = self.task(task)
        wanted = as_tuple(commands, "commands")
        self._check_permission(wanted)
        revised = self.commit(wanted, lambda state, _: state.task(before.id), reason=reason)
        if (revised.checks, revised.protect) == (before.checks, before.protect):
            return revised
        return self._record_checks((revised,), before.checks)[0]

    def remove(self, task: TaskRef, *, amend: bool = False) -> int:
        """Remove a pending task that no other needs; return its id, which is not reused.

        A person may `amend` the plan: remove a task that has ended or that others need.
        """
        command = c.RemoveTask(task, amend)
        self._check_permission((command,))
        return self.commit((command,), last_id)

    def add_phase(self, title: str, *, notes: str = "", insert_after: str | None = None) -> Phase:
        """Add a phase at the end, or after another."""
        return self.commit((c.AddPhase(title, notes, insert_after),), _new_phase)

    def edit_phase(
        self, phase: str, *, title: str | None = None, notes: str | None = None
    ) -> Phase:
        """Change a phase's title or notes; its id stays."""
        return self.commit(
            (c.EditPhase(phase, title, notes),), lambda state, _: state.phases[phase]
        )

    def move_phase(self, phase: str, *, insert_after: str | None = None) -> None:
        """Move a phase with its tasks after another, or to the front."""
        self.commit((c.MovePhase(phase, insert_after),), return_commit)

    def remove_phase(self, phase: str) -> None:
        """Remove a phase that has no tasks."""
        self.commit((c.RemovePhase(phase),), return_commit)

    def _check_permission(self, commands: Iterable[c.Command]) -> None:
        """Refuse an agent's commands that only a person may give."""
        if self.actor == PERSON:
            return
        for command in commands:
            if isinstance(command, c.EditTask | c.RemoveTask) and command.amend:
                raise _person_only("amend")
            if isinstance(command, c.EditTask):
                self._check_same_checks(command)

    def _check_same_checks(self, command: c.EditTask) -> None:
        """Refuse to change the checks or protected files of a task that has some."""
        fields = [field for field in RULES if getattr(command, field) is not None]
        task = self.task(command.task) if fields else None
        if task is None or not (task.checks or task.protect):
            return
        for field in fields:
            if getattr(command, field) != getattr(task, field):
                raise _person_only(field)

    def _record_checks(
        self, tasks: tuple[Task, ...], before: tuple[Check, ...] = ()
    ) -> tuple[Task, ...]:
        """Record protected files, and approve new checks if a person set them."""
        if any(task.checks or task.protect or before for task in tasks):
            checks = (check for task in tasks for check in task.checks)
            with suppress(StoreError):  # the change is committed; a later check reports the problem
                prover = self._prover()
                if prover is not None:
                    prover.record_new_checks(
                        tasks, [check for check in checks if check not in before]
                    )
        return tasks


def _person_only(argument: str) -> InvalidArgument:
    return InvalidArgument("only_a_person", argument=argument, person=PERSON)


def _new_tasks(state: PlanState, commit: Commit) -> tuple[Task, ...]:
    return tuple(
        state.tasks[change.task.id] for change in commit.changes if isinstance(change, TaskAdded)
    )


def _new_phase(_state: PlanState, commit: Commit) -> Phase:
    return next(change.phase for change in commit.changes if isinstance(change, PhaseAdded))
