"""Shaping a plan: its goal, its phases, its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.handle import Handle, last_id, several
from outlast.domain import commands as c
from outlast.domain.changes import PhaseAdded, TaskAdded
from outlast.domain.enact import receipt

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
        return self._do(command, lambda state, _: tuple(state.in_order()))

    def edit(
        self, *, goal: str | None = None, title: str | None = None, order: Order | None = None
    ) -> None:
        """Change what the plan is for, is called, or is ordered by."""
        self._do(c.EditPlan(goal, title, order), receipt)

    def add(  # noqa: PLR0913 - one keyword for each thing a task may have
        self,
        name: str,
        dependencies: Iterable[TaskRef] = (),
        reasoning: str = "",
        *,
        after: TaskRef | None = None,
        phase: str | None = None,
        active_form: str = "",
        kind: str = "",
        checks: Iterable[Check] = (),
    ) -> Task:
        """Add a task at the end of its phase, or right behind the task `after`."""
        new = c.NewTask(
            name=name,
            phase=phase,
            dependencies=several(dependencies, "dependencies"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=several(checks, "checks"),
        )
        return self.add_all((new,), after=after)[0]

    def add_all(
        self, tasks: Iterable[c.NewTask], *, after: TaskRef | None = None
    ) -> tuple[Task, ...]:
        """Add several tasks, which may depend on each other, all or none."""
        return self._do(c.AddTasks(several(tasks, "tasks"), after), _added)

    def update(  # noqa: PLR0913 - one keyword for each thing that can change
        self,
        task: TaskRef,
        *,
        name: str | None = None,
        dependencies: Iterable[TaskRef] | None = None,
        reasoning: str | None = None,
        active_form: str | None = None,
        kind: str | None = None,
        checks: Iterable[Check] | None = None,
    ) -> Task:
        """Change what a task is; what is not given stays."""
        edited = c.EditTask(
            task=task,
            name=name,
            dependencies=None if dependencies is None else several(dependencies, "dependencies"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=None if checks is None else several(checks, "checks"),
        )
        return self._do(edited, lambda state, _: state.task(task))

    def move(
        self,
        task: TaskRef,
        *,
        after: TaskRef | None = None,
        phase: str | None = None,
        first: bool = False,
    ) -> Task:
        """Move a task behind another, else to the end (or front) of its phase or a named one."""
        command = c.MoveTask(task, phase, after, first)
        return self._do(command, lambda state, _: state.task(task))

    def remove(self, task: TaskRef) -> int:
        """Remove a pending task that nothing depends on; return its id, which is not reused."""
        return self._do(c.RemoveTask(task), last_id)

    def add_phase(self, title: str, *, notes: str = "", after: str | None = None) -> Phase:
        """Add a phase at the end, or behind another."""
        return self._do(c.AddPhase(title, notes, after), _added_phase)

    def edit_phase(
        self, phase: str, *, title: str | None = None, notes: str | None = None
    ) -> Phase:
        """Change a phase's title or notes; its id stays."""
        return self._do(c.EditPhase(phase, title, notes), lambda state, _: state.phases[phase])

    def move_phase(self, phase: str, *, after: str | None = None) -> None:
        """Move a phase with its tasks behind another, or to the front."""
        self._do(c.MovePhase(phase, after), receipt)

    def remove_phase(self, phase: str) -> None:
        """Remove a phase that has no tasks."""
        self._do(c.RemovePhase(phase), receipt)


def _added(state: PlanState, commit: Commit) -> tuple[Task, ...]:
    return tuple(
        state.tasks[change.task.id] for change in commit.changes if isinstance(change, TaskAdded)
    )


def _added_phase(_state: PlanState, commit: Commit) -> Phase:
    return next(change.phase for change in commit.changes if isinstance(change, PhaseAdded))
