"""`Plan`: the handle that people and programs hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.domain import commands as c
from outlast.domain.changes import PhaseAdded, TaskAdded
from outlast.domain.limits import check_choice, check_name, check_ref, check_text
from outlast.domain.model import TASK_STATUSES
from outlast.errors import OutlastError
from outlast.texts import EXPLAINING, explain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.domain.model import Check, How, Order, Phase, PlanStatus, Progress, Task
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock, NewId
    from outlast.ports.store import Store

TaskRef = c.TaskRef
_NO_REASON: Final = ""


class Plan:
    """A goal and its tasks. Methods return frozen values and raise `outlast.errors`.

    A handle acts in somebody's name (`actor`); several handles may share one plan.
    """

    __slots__ = ("_clock", "_new_id", "_store", "actor")

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

    # What the plan is

    @property
    def state(self) -> PlanState:
        """The whole plan, for the formats: to read, never to alter."""
        return self._store.state

    @property
    def id(self) -> str:
        """The plan's own id, `plan_<random>`."""
        return self.state.id

    @property
    def key(self) -> str:
        """The name under which the plan is found."""
        return self.state.key

    @property
    def goal(self) -> str:
        """What is to be reached."""
        return self.state.goal

    @property
    def title(self) -> str:
        """The goal in one short line."""
        return self.state.title

    @property
    def order(self) -> Order:
        """Whether only dependencies hold a task back, or also every earlier task."""
        return self.state.order

    @property
    def status(self) -> PlanStatus:
        """Where the plan as a whole stands."""
        return self.state.status

    @property
    def progress(self) -> Progress:
        """Finished tasks out of all."""
        return self.state.progress

    @property
    def current_step_index(self) -> int:
        """The index in the list of the current task, else of the first unfinished one."""
        return self.state.current_step_index

    @property
    def iteration_count(self) -> int:
        """How many iterations of work have been counted; never falls."""
        return self.state.iteration_count

    @property
    def revision(self) -> int:
        """How many commits have changed the plan."""
        return self.state.revision

    @property
    def created_at(self) -> datetime:
        """When the plan began."""
        return self.state.created_at

    @property
    def updated_at(self) -> datetime:
        """When the plan last changed."""
        return self.state.updated_at

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in order."""
        return tuple(self.state.phases.values())

    # Questions about tasks

    def task(self, task: TaskRef) -> Task:
        """Return one task."""
        with EXPLAINING:
            return self.state.task(check_ref(task, "task_id"))

    def tasks(self, status: str | None = None) -> tuple[Task, ...]:
        """Return the tasks in list order; `pending` includes the `blocked` ones."""
        state = self.state
        if status is None:
            return tuple(state.in_order())
        with EXPLAINING:
            check_choice(status, "status_filter", (*TASK_STATUSES, "blocked"))
        if status == "blocked":
            return tuple(task for task in state.in_order() if state.blocked_by(task))
        return tuple(task for task in state.in_order() if task.status == status)

    def current(self) -> Task | None:
        """Return the task that this actor has in progress."""
        state = self.state
        task = state.current(self.actor)
        return None if task is None else state.tasks[task]

    def next(self) -> Task | None:
        """Return the task that `start()` would take."""
        state = self.state
        task = state.next_executable()
        return None if task is None else state.tasks[task]

    def ready(self) -> tuple[Task, ...]:
        """Return all tasks that may be started now."""
        state = self.state
        return tuple(state.tasks[task] for task in state.executable())

    def blocked_by(self, task: TaskRef) -> tuple[int, ...]:
        """Return the unfinished dependencies that keep a pending task from starting."""
        return tuple(self.state.blocked_by(self.task(task)))

    # Views of the dependencies

    def graph(self, form: str = "mermaid") -> str:
        """Draw the dependencies as `mermaid`, `dot` or `ascii`."""
        from outlast.formats import graph_text

        with EXPLAINING:
            check_choice(form, "form", graph_text.FORMS)
        return graph_text.FORMS[form](self.state)

    def dependency_text(self) -> str:
        """Describe the plan and its dependencies in words, for a prompt."""
        from outlast.formats import graph_text

        return graph_text.prompt(self.state)

    def parallel_groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the tasks in layers; those of one layer may run side by side."""
        from outlast.domain.layers import layers

        return layers(self.state).groups

    def critical_path(self) -> tuple[int, ...]:
        """Return the longest chain of dependencies, counted in tasks."""
        from outlast.domain.layers import layers

        return layers(self.state).critical_path

    # Shaping the plan

    def initialize(self, goal: str, tasks: Iterable[c.NewTask]) -> tuple[Task, ...]:
        """Give an empty plan its goal and tasks, or follow one that has ended by a new one."""
        self._do(c.InitializePlan(self._new_id(), goal, tuple(tasks)))
        return self.tasks()

    def edit(
        self, *, goal: str | None = None, title: str | None = None, order: Order | None = None
    ) -> None:
        """Change what the plan is for, is called, or is ordered by."""
        self._do(c.EditPlan(goal, title, order))

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
            dependencies=tuple(dependencies),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=tuple(checks),
        )
        return self.add_all((new,), after=after)[0]

    def add_all(
        self, tasks: Iterable[c.NewTask], *, after: TaskRef | None = None
    ) -> tuple[Task, ...]:
        """Add several tasks, which may depend on each other, all or none."""
        commit = self._do(c.AddTasks(tuple(tasks), after))
        return tuple(
            self.state.tasks[change.task.id]
            for change in commit.changes
            if isinstance(change, TaskAdded)
        )

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
            dependencies=None if dependencies is None else tuple(dependencies),
            reasoning=reasoning,
            active_form=active_form,
            kind=kind,
            checks=None if checks is None else tuple(checks),
        )
        self._do(edited)
        return self.task(task)

    def move(
        self,
        task: TaskRef,
        *,
        after: TaskRef | None = None,
        phase: str | None = None,
        first: bool = False,
    ) -> Task:
        """Move a task behind another, else to the end (or front) of its phase or a named one."""
        self._do(c.MoveTask(task, phase, after, first))
        return self.task(task)

    def remove(self, task: TaskRef) -> int:
        """Remove a pending task that nothing depends on; return its id, which is not reused."""
        removed: Any = self._do(c.RemoveTask(task)).changes[-1]
        return int(removed.id)

    def add_phase(self, title: str, *, notes: str = "", after: str | None = None) -> Phase:
        """Add a phase at the end, or behind another."""
        commit = self._do(c.AddPhase(title, notes, after))
        return next(change.phase for change in commit.changes if isinstance(change, PhaseAdded))

    def edit_phase(
        self, phase: str, *, title: str | None = None, notes: str | None = None
    ) -> Phase:
        """Change a phase's title or notes; its id stays."""
        self._do(c.EditPhase(phase, title, notes))
        return self.state.phases[phase]

    def move_phase(self, phase: str, *, after: str | None = None) -> None:
        """Move a phase with its tasks behind another, or to the front."""
        self._do(c.MovePhase(phase, after))

    def remove_phase(self, phase: str) -> None:
        """Remove a phase that has no tasks."""
        self._do(c.RemovePhase(phase))

    # Working on it

    def start(self, task: TaskRef | None = None) -> Task:
        """Begin a task, or the next one if this actor has none in progress."""
        commit = self._do(c.Start(self.actor, task))
        return self._touched(commit)

    def complete(self, task: TaskRef, result: str | None = None, *, how: How = "reported") -> Task:
        """Finish a task; one that may run but was not started is started first."""
        return self._touched(self._do(c.Complete(task, self.actor, result, how)))

    def fail(self, task: TaskRef, error: str, *, retry: bool = True) -> Task:
        """Note a failed attempt: the task is pending again, or failed after three retries."""
        return self._touched(self._do(c.Fail(task, self.actor, error, retry)))

    def skip(self, task: TaskRef, reason: str = "") -> Task:
        """Leave an unfinished task out; what depends on it may go on."""
        return self._touched(self._do(c.Skip(task, reason), reason))

    def reopen(self, task: TaskRef, reason: str = "") -> Task:
        """Take a failed or finished task up again."""
        return self._touched(self._do(c.Reopen(task), reason))

    def set_progress(self, task: TaskRef, current: int, total: int) -> Task:
        """Note that `current` of `total` parts of a task are done."""
        self._do(c.SetProgress(task, current, total))
        return self.task(task)

    def pause(self, reason: str = "") -> None:
        """Stop work for now."""
        self._do(c.Pause(), reason)

    def resume(self) -> None:
        """Go on after a pause."""
        self._do(c.Resume())

    def abort(self, reason: str = "") -> None:
        """Give the plan up; everything done so far is kept."""
        self._do(c.Abort(), reason)

    def reset(self) -> int:
        """Put every task back to pending; return how many there are."""
        self._do(c.Reset())
        return len(self.state.tasks)

    def count_iteration(self) -> int:
        """Count one more iteration of work; return how many there were."""
        self._do(c.CountIteration())
        return self.state.iteration_count

    def _touched(self, commit: Commit) -> Task:
        """Return the task that the last change of a commit is about."""
        last: Any = commit.changes[-1]
        return self._store.state.tasks[last.id]

    def _do(self, command: c.Command, reason: str = _NO_REASON) -> Commit:
        try:
            if reason is not _NO_REASON:
                check_text(reason, "reason")
            return self._store.commit(
                (command,), author=self.actor, now=self._clock(), reason=reason
            )
        except OutlastError as error:
            explain(error)
            raise
