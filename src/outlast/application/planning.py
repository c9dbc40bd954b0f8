"""`Plan`: the handle that people and programs hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from outlast.application.questions import Questions
from outlast.domain import commands as c
from outlast.domain.changes import PhaseAdded, TaskAdded
from outlast.domain.enact import receipt
from outlast.domain.limits import LARGEST_ID, check_name, check_number, check_text, wrong_type
from outlast.domain.model import Lease
from outlast.errors import OutlastError
from outlast.formats.conceal import without_secrets
from outlast.texts import EXPLAINING, explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from typing import Self

    from outlast.application.claims import Heartbeat
    from outlast.domain.changes import Commit
    from outlast.domain.model import Check, How, Order, Outcome, Phase, Task
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock, NewId
    from outlast.ports.store import Notice, Store

T = TypeVar("T")
TaskRef = c.TaskRef


class Plan(Questions):
    """A goal and its tasks. Methods return frozen values and raise `outlast.errors`.

    A handle acts in somebody's name (`actor`); several handles may share one plan.
    """

    __slots__ = ("_clock", "_fence", "_key", "_new_id")

    def __init__(  # noqa: PLR0913 - what a handle is made of
        self,
        store: Store,
        clock: Clock,
        new_id: NewId,
        actor: str = "human",
        *,
        fence: tuple[c.Fence, ...] = (),
        key: str = "",
    ) -> None:
        """Hold the plan in a store; `outlast.create_plan` is the usual way to get one."""
        with EXPLAINING:
            self.actor = check_name(actor, "actor")
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._fence = fence
        self._key = key

    def acting_as(self, actor: str) -> Plan:
        """Return a handle on the same plan that acts in another name."""
        store, clock, new_id = self._store, self._clock, self._new_id
        return Plan(store, clock, new_id, actor, fence=self._fence, key=self._key)

    def fenced(self, lease: Lease, key: str = "") -> Plan:
        """Return a handle whose changes are refused once the claim is lost.

        With a key it makes one change only: asked for it again, it gives the same answer.
        """
        fence = (c.Fence(_checked(lease).token, lease.task),)
        return Plan(self._store, self._clock, self._new_id, self.actor, fence=fence, key=key)

    def close(self) -> None:
        """Let go of the plan; what was done is kept already."""
        with EXPLAINING:
            self._store.close()

    def __enter__(self) -> Self:
        """Hold the plan open for a `with` block."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Let go of it."""
        self.close()

    @property
    def notices(self) -> list[Notice]:
        """What had to be mended since the plan was opened, as text keys with details."""
        return self._store.notices

    def subscribe(self, callback: Callable[[Commit], None]) -> Callable[[], None]:
        """Have every commit told to a function from now on; return what ends that."""
        return self._store.subscribe(callback)

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

    def complete(
        self,
        task: TaskRef,
        result: str | None = None,
        *,
        how: How = "reported",
        lease: Lease | None = None,
    ) -> Task:
        """Finish a task; one that may run but was not started is started first."""
        command = c.Complete(task, self.actor, without_secrets(result), how, _token(lease))
        return self._do(command, _last_task)

    def fail(
        self, task: TaskRef, error: str, *, retry: bool = True, lease: Lease | None = None
    ) -> Task:
        """Note a failed attempt: the task is pending again, or failed after three retries."""
        command = c.Fail(task, self.actor, without_secrets(error), retry, _token(lease))
        return self._do(command, _last_task)

    def give_back(self, task: TaskRef, reason: str = "", *, lease: Lease | None = None) -> Task:
        """Put a task in progress back to pending, without an outcome."""
        return self._do(c.Return(task, without_secrets(reason), _token(lease)), _last_task, reason)

    def skip(self, task: TaskRef, reason: str = "") -> Task:
        """Leave an unfinished task out; what depends on it may go on."""
        return self._do(c.Skip(task, without_secrets(reason)), _last_task, reason)

    def reopen(self, task: TaskRef, reason: str = "") -> Task:
        """Take a failed or finished task up again."""
        return self._do(c.Reopen(task), _last_task, reason)

    def set_progress(
        self, task: TaskRef, current: int, total: int, *, lease: Lease | None = None
    ) -> Task:
        """Note that `current` of `total` parts of a task are done."""
        command = c.SetProgress(task, current, total, _token(lease))
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

    # Holding tasks

    def claim(self, task: TaskRef | None = None, seconds: int = 60) -> Lease:
        """Begin a task, or the next one, and hold it; a task whose claim ran out may be taken."""
        return self._do(c.Claim(self.actor, task, seconds), _leased)

    def renew(self, lease: Lease, seconds: int = 60) -> Lease:
        """Hold a claimed task for so many seconds from now."""
        command = c.Renew(_checked(lease).task, lease.token, seconds)
        return self._do(command, lambda state, _: state.ledger.leases[lease.task])

    def release(self, lease: Lease) -> Task | None:
        """Give a claimed task back."""
        command = c.Release(_checked(lease).task, lease.token)
        return self._do(command, lambda state, _: state.tasks.get(lease.task))

    def hold(self, task: TaskRef | None = None, seconds: int = 60) -> Heartbeat:
        """Claim a task and go on renewing the claim until the `with` block is left."""
        from outlast.application.claims import Heartbeat

        return Heartbeat(self, self.claim(task, seconds), seconds)

    def hold_plan(self, seconds: int = 60) -> Heartbeat:
        """Claim the plan itself as its one runner, and keep the claim until the block is left."""
        from outlast.application.claims import Heartbeat

        return Heartbeat(self, self._do(c.ClaimPlan(self.actor, seconds), _leased), seconds)

    def settle(self, attempt: str, outcome: Outcome, note: str = "") -> None:
        """Say as a person how an attempt came out whose end nobody has seen."""
        self._do(c.EndAttempt(attempt, outcome, "person", without_secrets(note)), receipt)

    # Looking and going back

    def history(self, limit: int = 20) -> list[Commit]:
        """Return the last commits that changed the plan, the newest first."""
        with EXPLAINING:
            check_number(limit, "limit", 1, LARGEST_ID)
            made = self._store.since(max(0, self.revision - limit))
        return [commit for commit in reversed(made) if commit.changes][:limit]

    def undo(self) -> Commit:
        """Take back the newest commit that shaped the plan and was not taken back; return it.

        What was claimed, tried or counted in it stays: facts are not undone.
        """
        from outlast.application.undoing import undo

        with EXPLAINING:
            return undo(self._store, lambda command: self._do(command, receipt))

    def now(self) -> datetime:
        """Return the time by the plan's clock."""
        return self._clock()

    def commit(
        self,
        commands: Sequence[c.Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
        key: str = "",
    ) -> T:
        """Carry commands out, all or none, and answer with what `then` makes of it; for loops."""
        with EXPLAINING:
            return self._store.commit(
                (*self._fence, *commands),
                then,
                author=self.actor,
                now=self._clock(),
                reason=check_text(without_secrets(reason), "reason"),
                key=key or self._key,
            )

    def _do(
        self,
        command: c.Command,
        then: Callable[[PlanState, Commit], T],
        reason: str | None = None,
    ) -> T:
        try:
            why = "" if reason is None else check_text(without_secrets(reason), "reason")
            return self._store.commit(
                (*self._fence, command),
                then,
                author=self.actor,
                now=self._clock(),
                reason=why,
                key=self._key,
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


def _leased(state: PlanState, commit: Commit) -> Lease:
    return state.ledger.leases[_last_id(state, commit)]


def _token(lease: Lease | None) -> int | None:
    return None if lease is None else _checked(lease).token


def _checked(lease: Lease) -> Lease:
    with EXPLAINING:
        if not isinstance(lease, Lease):
            raise wrong_type("lease", "Lease", lease)
    return lease


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
