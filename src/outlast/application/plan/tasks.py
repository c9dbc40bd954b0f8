"""Shaping a plan: its goal, its phases, its tasks."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outlast.application.plan.handle import Handle, last_id, several
from outlast.domain import commands as c
from outlast.domain.changes import PhaseAdded, TaskAdded
from outlast.domain.decide.fields import RULES
from outlast.domain.enact import receipt
from outlast.domain.model import PERSON
from outlast.errors import InvalidArgument, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.changes import Commit
    from outlast.domain.commands import TaskRef
    from outlast.domain.model import Check, Order, Phase, Task
    from outlast.domain.state import PlanState


class Shaping(Handle):
    """The part of `outlast.Plan` that says what is to be done."""

    __slots__ = ()

    def initialize(self, goal: str, tasks: Iterable[c.NewTask]) -> tuple[Task, ...]:
        """Give an empty plan its goal and tasks, or follow one that has ended by a new one."""
        command = c.InitializePlan(self._new_id(), goal, several(tasks, "tasks"))
        return self._guarded(self._do(command, lambda state, _: tuple(state.in_order())))

    def edit(
        self, *, goal: str | None = None, title: str | None = None, order: Order | None = None
    ) -> None:
        """Change what the plan is for, is called, or is ordered by."""
        self._do(c.EditPlan(goal, title, order), receipt)

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
        """Add a task at the end of its phase, or right behind the task `after`.

        The commands among a person's checks may run from then on.
        """
        new = c.NewTask(
            name=name,
            phase=phase,
            needs=several(needs, "dependencies"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=several(checks, "checks"),
            run=run,
            files=several(files, "files"),
            protect=several(protect, "protect"),
        )
        return self.add_all((new,), insert_after=insert_after)[0]

    def add_all(
        self,
        tasks: Iterable[c.NewTask],
        *,
        insert_after: TaskRef | None = None,
        new_phase: str | None = None,
    ) -> tuple[Task, ...]:
        """Add several tasks, which may depend on each other, all or none.

        `new_phase` is the title of a phase that is begun at the end in the same step.
        """
        added = c.AddTasks(several(tasks, "tasks"), insert_after)
        if new_phase is None:
            return self._guarded(self._do(added, _added))
        return self._guarded(self.commit((c.AddPhase(new_phase), added), _added))

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
        """Change what a task is; what is not given stays.

        What a task with checks is measured by is a person's to change. A person may also `amend`
        a task that is being worked on, but for its checks, or is finished.
        """
        edited = c.EditTask(
            task=task,
            name=name,
            needs=None if needs is None else several(needs, "dependencies"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=None if checks is None else several(checks, "checks"),
            run=run,
            files=None if files is None else several(files, "files"),
            protect=None if protect is None else several(protect, "protect"),
            amend=amend,
        )
        self._refuse_beyond((edited,))
        if checks is None and protect is None:
            return self._do(edited, lambda state, _: state.task(task))
        before = self.task(task).checks
        found = self._do(edited, lambda state, _: state.task(task))
        return self._guarded((found,), before)[0]

    def move(
        self,
        task: TaskRef,
        *,
        insert_after: TaskRef | None = None,
        phase: str | None = None,
        first: bool = False,
    ) -> Task:
        """Move a task behind another, else to the end (or front) of its phase or a named one."""
        command = c.MoveTask(task, phase, insert_after, first)
        return self._do(command, lambda state, _: state.task(task))

    def revise(self, task: TaskRef, commands: Iterable[c.Command], *, reason: str = "") -> Task:
        """Do several things to one task in one step, all or none."""
        before = self.task(task)
        wanted = several(commands, "commands")
        self._refuse_beyond(wanted)
        found = self.commit(wanted, lambda state, _: state.task(before.id), reason=reason)
        if (found.checks, found.protect) == (before.checks, before.protect):
            return found
        return self._guarded((found,), before.checks)[0]

    def remove(self, task: TaskRef, *, amend: bool = False) -> int:
        """Remove a pending task that nothing depends on; return its id, which is not reused.

        A person may `amend` the plan by one that has ended or is needed by others.
        """
        command = c.RemoveTask(task, amend)
        self._refuse_beyond((command,))
        return self._do(command, last_id)

    def add_phase(self, title: str, *, notes: str = "", insert_after: str | None = None) -> Phase:
        """Add a phase at the end, or behind another."""
        return self._do(c.AddPhase(title, notes, insert_after), _added_phase)

    def edit_phase(
        self, phase: str, *, title: str | None = None, notes: str | None = None
    ) -> Phase:
        """Change a phase's title or notes; its id stays."""
        return self._do(c.EditPhase(phase, title, notes), lambda state, _: state.phases[phase])

    def move_phase(self, phase: str, *, insert_after: str | None = None) -> None:
        """Move a phase with its tasks behind another, or to the front."""
        self._do(c.MovePhase(phase, insert_after), receipt)

    def remove_phase(self, phase: str) -> None:
        """Remove a phase that has no tasks."""
        self._do(c.RemovePhase(phase), receipt)

    def _refuse_beyond(self, commands: Iterable[c.Command]) -> None:
        """Refuse to everybody but a person what only a person may change."""
        if self.actor == PERSON:
            return
        for command in commands:
            if isinstance(command, c.EditTask | c.RemoveTask) and command.amend:
                raise _only_a_person("amend")
            if isinstance(command, c.EditTask):
                self._refuse_other_measure(command)

    def _refuse_other_measure(self, command: c.EditTask) -> None:
        """Refuse to change what shows that a task is done, where it has been said."""
        asked = [field for field in RULES if getattr(command, field) is not None]
        task = self.task(command.task) if asked else None
        if task is None or not (task.checks or task.protect):
            return
        for field in asked:
            if getattr(command, field) != getattr(task, field):
                raise _only_a_person(field)

    def _guarded(self, tasks: tuple[Task, ...], before: tuple[Check, ...] = ()) -> tuple[Task, ...]:
        """Note what tasks guard, and allow the new ones of their checks if a person gave them."""
        if any(task.checks or task.protect or before for task in tasks):
            checks = (check for task in tasks for check in task.checks)
            with suppress(StoreError):  # it is done already; whoever runs the checks is told
                prover = self._prover()
                if prover is not None:
                    prover.guard(tasks, [check for check in checks if check not in before])
        return tasks


def _only_a_person(argument: str) -> InvalidArgument:
    return InvalidArgument("only_a_person", argument=argument, person=PERSON)


def _added(state: PlanState, commit: Commit) -> tuple[Task, ...]:
    return tuple(
        state.tasks[change.task.id] for change in commit.changes if isinstance(change, TaskAdded)
    )


def _added_phase(_state: PlanState, commit: Commit) -> Phase:
    return next(change.phase for change in commit.changes if isinstance(change, PhaseAdded))
