"""Changes of the list of tasks, and of the work on them."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

from collections.abc import Iterable
from datetime import datetime

from msgspec import field
from msgspec.structs import replace

from outlast.errors import CircularDependency
from outlast.model.changes.plan import PlanChange
from outlast.model.dependencies import is_sequence, refuse_cycle
from outlast.model.ledger import TaskProofs
from outlast.model.model import FINISHED, Check, How, Progress, Task, TaskStatus
from outlast.model.state import PlanState


class TaskAdded(PlanChange, frozen=True):
    """A task was added at the end of its phase, or after `after` (0: at the front)."""

    task: Task
    after: int | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.insert_task(self.task, self.after)

    def is_applicable(self, state: PlanState) -> bool:
        task = self.task
        new = task.id > 0 and task.id not in state.tasks and task.alias not in state.aliases
        if not new or task.phase not in state.phases or not _has_tasks(state, task.needs):
            return False
        return self.has_valid_place(state) and (
            state.order == "graph" or _is_after_its_needs(state, task, self.after)
        )

    def has_valid_place(self, state: PlanState) -> bool:
        """Return whether the task may stand where it was put."""
        return self.after is None or _fits_after(state, self.task.phase, self.after, self.task.id)


class TaskRemoved(PlanChange, frozen=True):
    """A task was removed; its id is not reused."""

    id: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.remove_task(state.tasks[self.id])

    def is_applicable(self, state: PlanState) -> bool:
        task = state.tasks.get(self.id)
        if task is None or task.status == "in_progress":
            return False
        return task.id not in state.graph.dependents


class TaskEdited(PlanChange, frozen=True):
    """Fields of a task changed; None is unchanged."""

    id: int
    name: str | None = None
    needs: tuple[int, ...] | None = field(default=None, name="dependencies")
    reasoning: str | None = None
    description: str | None = None
    active_form: str | None = None
    kind: str | None = None
    checks: tuple[Check, ...] | None = None
    run: str | None = None
    files: tuple[str, ...] | None = None
    protect: tuple[str, ...] | None = None
    result: str | None = None
    constraints: str | None = None
    expected: str | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        old = state.tasks[self.id]
        given = {
            field: value
            for field in self.__struct_fields__[1:]
            if (value := getattr(self, field)) is not None
        }
        state.edit_task(old, replace(old, **given))
        state.drop(state.ledger.phase_marks, old.phase)

    def is_applicable(self, state: PlanState) -> bool:
        if self.id not in state.tasks or not _has_tasks(state, self.needs or ()):
            return False
        try:
            refuse_cycle(state, self.id, self.needs or ())
        except CircularDependency:
            return False
        return state.order == "graph" or all(
            state.graph.is_before(d, self.id) for d in self.needs or ()
        )


class TaskMoved(PlanChange, frozen=True):
    """A task moved to this phase, after the task `after` (0: at the front of the list)."""

    id: int
    phase: str
    after: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        state.move_task(replace(state.tasks[self.id], phase=self.phase), self.after)

    def is_applicable(self, state: PlanState) -> bool:
        if self.id not in state.tasks or not _fits_after(state, self.phase, self.after, self.id):
            return False
        if state.order == "graph":
            return True
        order = [task for task in state.graph.order if task != self.id]
        order.insert(order.index(self.after) + 1 if self.after else 0, self.id)
        return is_sequence(state, order)


class TaskStarted(PlanChange, frozen=True):
    """An actor started a task."""

    id: int
    actor: str

    def apply(self, state: PlanState, at: datetime) -> None:
        old = state.tasks[self.id]
        state.replace_task(old, replace(old, status="in_progress", actor=self.actor, started_at=at))

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.tasks and state.tasks[self.id].status == "pending"


class TaskCompleted(PlanChange, frozen=True):
    """A task was completed."""

    id: int
    result: str | None = None
    how: How = "reported"

    def apply(self, state: PlanState, at: datetime) -> None:
        old = state.tasks[self.id]
        new = replace(
            old, status="completed", result=self.result, error=None, how=self.how, ended_at=at
        )
        state.replace_task(old, new)

    def is_applicable(self, state: PlanState) -> bool:
        return _is_open(state, self.id)


class CompletionConfirmed(PlanChange, frozen=True):
    """A completion that was assumed was confirmed; without a result, the task keeps its own."""

    id: int
    result: str | None = None
    how: How = "reported"

    def apply(self, state: PlanState, _at: datetime) -> None:
        old = state.tasks[self.id]
        result = old.result if self.result is None else self.result
        state.edit_task(old, replace(old, result=result, how=self.how))

    def is_applicable(self, state: PlanState) -> bool:
        task = state.tasks.get(self.id)
        return task is not None and task.is_assumed


class TaskRetried(PlanChange, frozen=True):
    """A try failed, and the task is pending again."""

    id: int
    error: str
    retry_count: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        old = state.tasks[self.id]
        new = replace(
            old,
            status="pending",
            error=self.error,
            retry_count=self.retry_count,
            actor="",
            started_at=None,
        )
        state.replace_task(old, new)
        _drop_confirmations(state, self.id)

    def is_applicable(self, state: PlanState) -> bool:
        return _is_open(state, self.id)


class TaskFailed(PlanChange, frozen=True):
    """A task failed for good."""

    id: int
    error: str

    def apply(self, state: PlanState, at: datetime) -> None:
        old = state.tasks[self.id]
        state.replace_task(old, replace(old, status="failed", error=self.error, ended_at=at))

    def is_applicable(self, state: PlanState) -> bool:
        return _is_open(state, self.id)


class TaskSkipped(PlanChange, frozen=True):
    """A task was skipped."""

    id: int
    reason: str = ""

    def apply(self, state: PlanState, at: datetime) -> None:
        old = state.tasks[self.id]
        state.replace_task(
            old, replace(old, status="skipped", result=self.reason or None, ended_at=at)
        )

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.tasks and state.tasks[self.id].status not in FINISHED


class TaskReopened(PlanChange, frozen=True):
    """A task that had ended is pending again."""

    id: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        old = state.tasks[self.id]
        new = replace(
            old,
            status="pending",
            result=None,
            retry_count=0,
            how="",
            actor="",
            started_at=None,
            ended_at=None,
        )
        state.replace_task(old, new)
        _drop_confirmations(state, self.id)

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.tasks


class TaskReturned(PlanChange, frozen=True):
    """A task in progress is pending again, without an outcome."""

    id: int

    def apply(self, state: PlanState, _at: datetime) -> None:
        old = state.tasks[self.id]
        state.replace_task(old, replace(old, status="pending", actor="", started_at=None))
        _drop_confirmations(state, self.id)

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.tasks and state.tasks[self.id].status == "in_progress"


class TaskProgressed(PlanChange, frozen=True):
    """A task made progress."""

    id: int
    progress: Progress | None

    def apply(self, state: PlanState, _at: datetime) -> None:
        old = state.tasks[self.id]
        state.edit_task(old, replace(old, progress=self.progress))

    def is_applicable(self, state: PlanState) -> bool:
        return self.id in state.tasks


class TaskRestored(PlanChange, frozen=True):
    """The work state of a task was restored: the inverse of every change to its work."""

    id: int
    status: TaskStatus = "pending"
    result: str | None = None
    error: str | None = None
    retry_count: int = 0
    progress: Progress | None = None
    how: How = ""
    actor: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None

    def apply(self, state: PlanState, _at: datetime) -> None:
        old = state.tasks[self.id]
        fields = {field: getattr(self, field) for field in self.__struct_fields__}
        state.replace_task(old, replace(old, **fields))

    def is_applicable(self, state: PlanState) -> bool:
        lease = state.ledger.leases.get(self.id)
        keeps_lease = lease is None or self.status != "in_progress" or self.actor == lease.holder
        return self.id in state.tasks and keeps_lease


class PlanReset(PlanChange, frozen=True):
    """Every task was reset to pending."""

    def apply(self, state: PlanState, at: datetime) -> None:
        for task_id in state.graph.order:
            TaskRestored(task_id).apply(state, at)
            _drop_confirmations(state, task_id)
        state.begun, state.hold = False, ""
        state.ledger.set_pause_reason("")


def work_state(task: Task) -> TaskRestored:
    """Return everything that work on a task can change."""
    return TaskRestored(*(getattr(task, field) for field in TaskRestored.__struct_fields__))


def is_pristine(task: Task) -> bool:
    """Return whether a task was never worked on."""
    return work_state(task) == TaskRestored(task.id)


def _drop_confirmations(state: PlanState, task_id: int) -> None:
    """Drop people's confirmations of a task's checks: it is going to be done again."""
    proofs = state.ledger.proofs
    known = proofs.get(task_id)
    if known is not None and known.confirmed:
        rest = replace(known, confirmed=())
        if rest == TaskProofs():
            state.drop(proofs, task_id)
        else:
            state.put(proofs, task_id, rest)


def _is_open(state: PlanState, task_id: int) -> bool:
    task = state.tasks.get(task_id)
    return task is not None and task.status in ("pending", "in_progress")


def _is_after_its_needs(state: PlanState, task: Task, after: int | None) -> bool:
    """Return whether a new task would stand after the tasks it needs."""
    position = state.graph.position
    if after is None:
        index = state.graph.end_of_phase(state.phase_positions[task.phase], state.phase_position)
    else:
        index = position(after) + 1 if after else 0
    return all(position(d) < index for d in task.needs)


def _has_tasks(state: PlanState, tasks: Iterable[int]) -> bool:
    return all(task in state.tasks for task in tasks)


def _fits_after(state: PlanState, phase: str, after: int, task_id: int) -> bool:
    """Return whether a task of a phase may stand after another task (0: at the front)."""
    graph = state.graph
    if after == task_id or phase not in state.phases or (after and after not in state.tasks):
        return False
    index = graph.position(after) + 1 if after else 0
    following = [task for task in graph.order[index : index + 2] if task != task_id][:1]
    place = state.phase_positions[phase]
    if after and state.phase_position(after) > place:
        return False
    return all(state.phase_position(task) >= place for task in following)
