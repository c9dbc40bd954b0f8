"""`Plan`: the handle that people and programs hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from outlast.application.questions import Questions
from outlast.domain import commands as c
from outlast.domain.changes import PhaseAdded, TaskAdded
from outlast.domain.enact import receipt
from outlast.domain.limits import check_name, check_text, wrong_type
from outlast.errors import OutlastError
from outlast.texts import EXPLAINING, explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.domain.changes import Commit
    from outlast.domain.model import Check, How, Order, Phase, Task
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock, NewId
    from outlast.ports.store import Store

T = TypeVar("T")
TaskRef = c.TaskRef


class Plan(Questions):
    """A goal and its tasks. Methods return frozen values and raise `outlast.errors`.

    A handle acts in somebody's name (`actor`); several handles may share one plan.
    """

    __slots__ = ("_clock", "_new_id")

    def __init__(self, store: Store, clock: Clock, new_id: NewId, actor: str = "human") -> None:
        """Hold the plan in a store; `outlast.create_plan` is the usual way to get one."""
        with EXPLAINING:
            self.actor = check_name(actor, "actor")
        self._store = store
        self._clock = clock
        self._new_id = new_id

    def acting_as(self, actor: str) -> Plan:
        """Return a handle on the same plan that acts in another name."""
        return Plan(self._store, self._clock, self._new_id, actor)

    # Shaping the plan

    def initialize(self, goal: str, tasks: Iterable[c.NewTask]) -> tuple[Task, ...]:
        """Give an empty plan its goal and tasks, or follow one that has ended by a new one."""
        command = c.InitializePlan(self._new_id(), goal, _several(tasks, "tasks"))
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
            dependencies=_several(dependencies, "dependencies"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=_several(checks, "checks"),
        )
        return self.add_all((new,), after=after)[0]

    def add_all(
        self, tasks: Iterable[c.NewTask], *, after: TaskRef | None = None
    ) -> tuple[Task, ...]:
        """Add several tasks, which may depend on each other, all or none."""
        return self._do(c.AddTasks(_several(tasks, "tasks"), after), _added)

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
            dependencies=None if dependencies is None else _several(dependencies, "dependencies"),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=None if checks is None else _several(checks, "checks"),
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
        return self._do(c.RemoveTask(task), _last_id)

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

    # Working on it

    def start(self, task: TaskRef | None = None) -> Task:
        """Begin a task, or the next one if this actor has none in progress."""
        return self._do(c.Start(self.actor, task), _last_task)

    def complete(self, task: TaskRef, result: str | None = None, *, how: How = "reported") -> Task:
        """Finish a task; one that may run but was not started is started first."""
        return self._do(c.Complete(task, self.actor, result, how), _last_task)

    def fail(self, task: TaskRef, error: str, *, retry: bool = True) -> Task:
        """Note a failed attempt: the task is pending again, or failed after three retries."""
        return self._do(c.Fail(task, self.actor, error, retry), _last_task)

    def skip(self, task: TaskRef, reason: str = "") -> Task:
        """Leave an unfinished task out; what depends on it may go on."""
        return self._do(c.Skip(task, reason), _last_task, reason)

    def reopen(self, task: TaskRef, reason: str = "") -> Task:
        """Take a failed or finished task up again."""
        return self._do(c.Reopen(task), _last_task, reason)

    def set_progress(self, task: TaskRef, current: int, total: int) -> Task:
        """Note that `current` of `total` parts of a task are done."""
        command = c.SetProgress(task, current, total)
        return self._do(command, lambda state, _: state.task(task))

    def pause(self, reason: str = "") -> None:
        """Stop work for now."""
        self._do(c.Pause(), receipt, reason)

    def resume(self) -> None:
        """Go on after a pause."""
        self._do(c.Resume(), receipt)

    def abort(self, reason: str = "") -> None:
        """Give the plan up; everything done so far is kept."""
        self._do(c.Abort(), receipt, reason)

    def reset(self) -> int:
        """Put every task back to pending; return how many there are."""
        return self._do(c.Reset(), lambda state, _: len(state.tasks))

    def count_iteration(self) -> int:
        """Count one more iteration of work; return how many there were."""
        return self._do(c.CountIteration(), lambda state, _: state.iteration_count)

    def _do(
        self,
        command: c.Command,
        then: Callable[[PlanState, Commit], T],
        reason: str | None = None,
    ) -> T:
        try:
            why = "" if reason is None else check_text(reason, "reason")
            return self._store.commit(
                (command,), then, author=self.actor, now=self._clock(), reason=why
            )
        except OutlastError as error:
            explain(error)
            raise


def _last_id(_state: PlanState, commit: Commit) -> int:
    """Return the id of the task that the last change of a commit is about."""
    last: Any = commit.changes[-1]
    return int(last.id)


def _last_task(state: PlanState, commit: Commit) -> Task:
    last: Any = commit.changes[-1]
    return state.task(last.id)


def _added(state: PlanState, commit: Commit) -> tuple[Task, ...]:
    return tuple(
        state.tasks[change.task.id] for change in commit.changes if isinstance(change, TaskAdded)
    )


def _added_phase(_state: PlanState, commit: Commit) -> Phase:
    return next(change.phase for change in commit.changes if isinstance(change, PhaseAdded))


def _several(values: Iterable[T], argument: str) -> tuple[T, ...]:
    """Return several values as a tuple; a string is one value, not several."""
    with EXPLAINING:
        if isinstance(values, str):
            raise wrong_type(argument, "array", values)
        try:
            return tuple(values)
        except TypeError as error:
            raise wrong_type(argument, "array", values) from error
