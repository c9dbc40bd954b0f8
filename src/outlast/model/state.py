"""The state of a plan: one mutable object that only `apply` modifies and all others read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.errors import PhaseNotFound, TaskNotFound
from outlast.model.graph import Graph, Layers
from outlast.model.ledger import NO_COUNTS, Ledger, Notes
from outlast.model.limits import check_choice, check_name
from outlast.model.model import (
    FINISHED,
    MAIN_PHASE,
    PLAN,
    STATUS_FILTERS,
    TASK_STATUSES,
    Attempt,
    Hold,
    LastRun,
    Order,
    Phase,
    PlanStatus,
    Progress,
    Question,
    StateOf,
    Task,
    TaskStatus,
    cannot_tell,
)

if TYPE_CHECKING:
    from outlast.model.undo_log import UndoLog

_DIGITS: Final = 17
K = TypeVar("K")
V = TypeVar("V")


def task_number(ref: str) -> int:
    """Return the number in `3` or `step_3`; 0, which no task has, if there is none."""
    digits = ref.removeprefix("step_")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < _DIGITS else 0


class PlanState:
    """A plan after all of its changes, with indexes for quick queries.

    `counts` is by status, `phase_positions` the position of each phase. `checked_tasks` have checks
    or protected files. `last_run` is what the last run worked with. A plan that `needs_approval` is
    not carried out by agents until a person has approved it. While a commit of several commands is
    made, `undo_log` saves what it overwrites.
    """

    __slots__ = (
        "aliases",
        "begun",
        "checked_tasks",
        "counts",
        "created_at",
        "extra",
        "goal",
        "graph",
        "hold",
        "id",
        "iteration_count",
        "key",
        "last_completed_id",
        "last_run",
        "layers",
        "ledger",
        "needs_approval",
        "next_id",
        "notes",
        "order",
        "phase_positions",
        "phases",
        "revision",
        "tasks",
        "tasks_by_actor",
        "title",
        "undo_log",
        "updated_at",
    )

    def __init__(self, now: datetime) -> None:
        """Start empty, as before the first change."""
        self.clear(now)

    def clear(self, now: datetime) -> None:
        """Remove the plan."""
        self.id = ""
        self.key = ""
        self.goal = ""
        self.title = ""
        self.order: Order = "graph"
        self.hold: Hold = ""
        self.begun = False
        self.created_at = now
        self.updated_at = now
        self.iteration_count = 0
        self.revision = 0
        self.next_id = 1
        self.extra = ""
        self.phases: dict[str, Phase] = {}
        self.phase_positions: dict[str, int] = {}
        self.last_completed_id = 0
        self.last_run: LastRun | None = None
        self.needs_approval = False
        self.ledger = Ledger()
        self.notes = Notes()
        self.undo_log: UndoLog | None = None
        self.clear_tasks()

    def clear_tasks(self) -> None:
        """Remove the tasks and their indexes."""
        self.tasks: dict[int, Task] = {}
        self.aliases: dict[str, int] = {}
        self.counts: dict[TaskStatus, int] = dict.fromkeys(TASK_STATUSES, 0)
        self.tasks_by_actor: dict[str, list[int]] = {}
        self.checked_tasks: set[int] = set()
        self.graph = Graph()
        self.layers: tuple[tuple[int, Order], Layers] | None = None

    # Lookup

    def find(self, ref: int | str) -> Task | None:
        """Return the task known as `3`, `"3"`, `#3`, `step_3` or by the id it had elsewhere."""
        if type(ref) is int:
            return self.tasks.get(ref)
        alias = self.aliases.get(str(ref))
        return self.tasks.get(task_number(str(ref).removeprefix("#")) if alias is None else alias)

    def task(self, ref: int | str) -> Task:
        """Return a task; raises `TaskNotFound`."""
        task = self.find(ref)
        if task is None:
            raise TaskNotFound("task_not_found", task_id=ref)
        return task

    def phase(self, phase_id: str) -> Phase:
        """Return a phase; raises `PhaseNotFound`."""
        phase = self.phases.get(check_name(phase_id, "phase"))
        if phase is None:
            raise PhaseNotFound("phase_not_found", phase=phase_id, known=list(self.phases))
        return phase

    def tasks_in_order(self) -> Iterator[Task]:
        """Yield all tasks in list order."""
        return map(self.tasks.__getitem__, self.graph.order)

    def with_status(self, status: str | None) -> list[Task]:
        """Return the tasks of one status in list order, `blocked` included; all for None."""
        if status is None:
            return list(self.tasks_in_order())
        check_choice(status, "status", STATUS_FILTERS)
        if status == "blocked":
            return [task for task in self.tasks_in_order() if self.blocked_by(task)]
        return [task for task in self.tasks_in_order() if task.status == status]

    def default_phase(self) -> str:
        """Return the phase of a new task that names none: `main`, else the last phase."""
        return MAIN_PHASE if MAIN_PHASE in self.phases else next(reversed(self.phases))

    # Derived from the tasks

    @property
    def finished_count(self) -> int:
        """How many tasks are finished."""
        return self.counts["completed"] + self.counts["skipped"]

    @property
    def progress(self) -> Progress:
        """Finished tasks out of all."""
        return Progress(self.finished_count, len(self.tasks))

    @property
    def status(self) -> PlanStatus:
        """The status of the whole plan."""
        if self.hold == "aborted":
            return "failed"
        if self.tasks and self.finished_count == len(self.tasks) and self.assumed_end is None:
            return "completed"
        if self.hold:
            return "paused"
        if self.is_stuck:
            return "failed"
        return "running" if self.begun else "idle"

    @property
    def has_ended(self) -> bool:
        """Whether it is completed or aborted; a plan stopped by failed tasks can still go on."""
        return self.hold == "aborted" or self.status == "completed"

    def condition(self, now: datetime, state_of: StateOf = cannot_tell) -> str:
        """Return the status in a word for people: also aborted, interrupted or needs_approval.

        A plan is interrupted if the run that worked on it died: it left its lease, and nobody else
        has begun a task since. The lanes of a run are called like it: `agent`, `agent/3`.
        """
        if self.hold == "aborted":
            return self.hold
        status = self.status
        if status in ("completed", "failed"):
            return status
        if self.needs_approval:
            return "needs_approval"
        lease = self.ledger.leases.get(PLAN)
        if status == "paused" or lease is None or lease.is_live(now, state_of):
            return status
        own, actors = lease.holder, self.tasks_by_actor
        is_own = any(actor == own or actor.startswith(f"{own}/") for actor in actors)
        return "interrupted" if is_own or not actors else status

    @property
    def assumed_end(self) -> Task | None:
        """The last completed task, if all tasks are finished and its completion was only assumed.

        The plan goes on until that is confirmed (M4, M6).
        """
        counts = self.counts
        if counts["completed"] + counts["skipped"] < len(self.tasks):
            return None
        last = self.tasks.get(self.last_completed() or 0)
        return last if last is not None and last.how == "assumed" else None

    @property
    def is_stuck(self) -> bool:
        """Whether unfinished tasks remain, but none runs and failed tasks block the others."""
        return (
            self.counts["failed"] > 0
            and not self.counts["in_progress"]
            and self.next_ready() is None
        )

    def next_ready(self) -> int | None:
        """Return the first ready task in list order."""
        if self.order == "graph":
            return self.graph.first_ready()
        first = self.first_unfinished()
        return first if first in self.graph.ready else None

    def ready_tasks(self) -> list[int]:
        """Return all ready tasks in list order.

        In a `sequential` plan only the first unfinished task can be ready.
        """
        if self.order == "graph":
            return self.graph.sort(self.graph.ready)
        first = self.next_ready()
        return [] if first is None else [first]

    def is_ready(self, task_id: int) -> bool:
        """Return whether a task can start now."""
        return task_id in self.graph.ready and (
            self.order == "graph" or task_id == self.first_unfinished()
        )

    def first_unfinished(self) -> int | None:
        """Return the first unfinished task in list order."""
        return self.graph.first_unfinished(self.tasks)

    def unmet_needs(self, task: Task) -> list[int]:
        """Return the unfinished tasks that a task needs."""
        if task.id not in self.graph.unmet:
            return []
        tasks = self.tasks
        return [d for d in task.needs if d in tasks and tasks[d].status not in FINISHED]

    def open_questions(self) -> list[Question]:
        """Return the questions that wait for an answer, the oldest first.

        One about an attempt waits for none once the attempt is settled or its task has ended.
        """
        questions = self.ledger.conversation.questions.values()
        return [question for question in questions if self._is_open(question)]

    def _is_open(self, question: Question) -> bool:
        if question.answer is not None or question.kind != "settle":
            return question.answer is None
        attempt = self.ledger.attempts.get(question.about)
        return attempt is not None and self.needs_outcome(attempt)

    def needs_outcome(self, attempt: Attempt) -> bool:
        """Return whether work depends on how an attempt ended: its task is open, or it has none."""
        task = self.tasks.get(attempt.task)
        return attempt.task == PLAN or (task is not None and not task.finished)

    def blocked_by(self, task: Task) -> list[int]:
        """Return the unmet needs of a pending task; none for a task in another status."""
        return self.unmet_needs(task) if task.status == "pending" else []

    def tasks_in_progress(self) -> list[int]:
        """Return the tasks in progress, in list order."""
        return self.graph.sort(task for tasks in self.tasks_by_actor.values() for task in tasks)

    def current_task(self, actor: str) -> int | None:
        """Return the task that an actor has in progress: the first in list order."""
        own = self.tasks_by_actor.get(actor)
        if not own:
            return None
        return own[0] if len(own) == 1 else self.graph.sort(own)[0]

    @property
    def current_step_index(self) -> int:
        """The index of the current task, else of the first unfinished one, else the length."""
        current = next(iter(self.tasks_in_progress()), self.first_unfinished())
        return len(self.tasks) if current is None else self.graph.position(current)

    def last_completed(self) -> int | None:
        """Return the task that was completed last, if one is completed."""
        if not self.counts["completed"]:
            return None
        if not self.last_completed_id:
            done = (task for task in self.tasks.values() if task.status == "completed")
            self.last_completed_id = max(done, key=self._end_time).id
        return self.last_completed_id

    def _end_time(self, task: Task) -> tuple[datetime, int]:
        return task.ended_at or self.created_at, task.id

    def phase_position(self, task_id: int) -> int:
        """Return the position of a task's phase among the phases."""
        return self.phase_positions[self.tasks[task_id].phase]

    # Modifications, for changes and the undo log only

    def put(self, table: dict[K, V], key: K, value: V) -> None:
        """Write an entry of a table of the ledger or the notes."""
        if self.undo_log is not None:
            self.undo_log.save_entry(table, key)
        table[key] = value

    def drop(self, table: dict[K, V], key: K) -> None:
        """Remove an entry, if it is there, from a table of the ledger or the notes."""
        if key in table:
            if self.undo_log is not None:
                self.undo_log.save_table(table)
            del table[key]

    def replace_task(self, old: Task, new: Task) -> None:  # noqa: C901, PLR0912 - calls are felt here
        """Replace a task by its next value, and update the indexes for its new status."""
        graph, counts, ledger, task_id = self.graph, self.counts, self.ledger, new.id
        old_status, status = old.status, new.status
        if self.undo_log is not None:
            self.undo_log.save_task(task_id, old)
        self.tasks[task_id] = new
        counts[old_status] -= 1
        counts[status] += 1
        if old_status == "pending":
            if task_id in graph.ready and status != "pending":
                graph.remove_ready(task_id)
        elif old_status == "in_progress":
            own = self.tasks_by_actor.pop(old.actor)
            if len(own) > 1:
                own.remove(task_id)
                self.tasks_by_actor[old.actor] = own
            if status != "in_progress" and (ledger.leases or ledger.done or ledger.said):
                self.drop(ledger.leases, task_id)
                self.drop(ledger.done, task_id)
                self.drop(ledger.said, task_id)
        elif old_status in FINISHED and status not in FINISHED:
            graph.reopen(task_id)
            if task_id == self.last_completed_id:
                self.last_completed_id = 0
        if status == "in_progress":
            if new.actor in self.tasks_by_actor:
                self.tasks_by_actor[new.actor].append(task_id)
            else:
                self.tasks_by_actor[new.actor] = [task_id]
        elif status in FINISHED:
            if old_status not in FINISHED and (task_id in graph.dependents or graph.holes):
                graph.finish(task_id, self.tasks)
            if self.last_completed_id:
                self._remember_completion(new)
        elif status == "pending" != old_status and task_id not in graph.unmet:
            graph.add_ready(task_id)
        if ledger.phase_marks:
            self.drop(ledger.phase_marks, new.phase)
        if ledger.counters is not NO_COUNTS and old_status != status:
            ledger.reset_loop_counts(task_id, was_in_progress=old_status == "in_progress")

    def _remember_completion(self, task: Task) -> None:
        """Keep right which task was completed last, after a task was written that is finished.

        If it was this one, it may be another one now, which is searched for when somebody asks.
        """
        last = self.tasks[self.last_completed_id]
        if task is last:
            self.last_completed_id = 0
        elif task.status == "completed" and self._end_time(task) > self._end_time(last):
            self.last_completed_id = task.id

    def insert_task(self, task: Task, after: int | None) -> None:
        """Add a task at the end of its phase, or after the task `after` (0: at the front).

        Raises `ValueError` for an id below 1, or one that a task has already.
        """
        if task.id < 1 or task.id in self.tasks:
            raise ValueError(task.id)
        if self.undo_log is not None:
            self.undo_log.save_task(task.id, None)
        self.tasks[task.id] = task
        self.next_id = max(self.next_id, task.id + 1)
        if task.alias:
            self.aliases[task.alias] = task.id
        self._insert_in_order(task.id, task.phase, after)
        if task.checks or task.protect:
            self.index_checks(task)
        self.counts[task.status] += 1
        if task.status == "in_progress":
            self.tasks_by_actor.setdefault(task.actor, []).append(task.id)
        if self.last_completed_id:
            self._remember_completion(task)
        self.replace_needs(task.id, (), task.needs)
        if self.ledger.phase_marks:
            self.drop(self.ledger.phase_marks, task.phase)

    def edit_task(self, old: Task, new: Task) -> None:
        """Replace a task by a value with the same status and the same place."""
        if self.undo_log is not None:
            self.undo_log.save_task(new.id, old)
        self.tasks[new.id] = new
        if (new.checks, new.protect) != (old.checks, old.protect):
            self.index_checks(new)
        if new.needs != old.needs:
            self.replace_needs(new.id, old.needs, new.needs)

    def _insert_in_order(self, task_id: int, phase: str, after: int | None) -> None:
        graph = self.graph
        if after is None:
            index = graph.end_of_phase(self.phase_positions[phase], self.phase_position)
        else:
            index = graph.position(after) + 1 if after else 0
        graph.insert(task_id, index)
        if self.tasks[task_id].status in FINISHED:
            graph.holes.discard(task_id)

    def index_checks(self, task: Task) -> None:
        """Index whether a task has checks or protected files."""
        if task.checks or task.protect:
            self.checked_tasks.add(task.id)
        else:
            self.checked_tasks.discard(task.id)

    def remove_task(self, task: Task) -> None:
        """Remove a task that is not in progress and that no task needs."""
        graph = self.graph
        if self.undo_log is not None:
            self.undo_log.save_task(task.id, task, graph.predecessor(task.id))
        if task.id in graph.ready:
            graph.remove_ready(task.id)
        graph.unlink(task.id, task.needs)
        graph.remove(task.id)
        del self.tasks[task.id]
        if task.id == self.last_completed_id:
            self.last_completed_id = 0
        self.checked_tasks.discard(task.id)
        self.counts[task.status] -= 1
        self.drop(self.ledger.phase_marks, task.phase)
        if task.alias:
            del self.aliases[task.alias]

    def replace_needs(self, task_id: int, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        """Replace the needs of a task."""
        tasks, graph = self.tasks, self.graph
        if old:
            graph.unlink(task_id, old)
        if new:
            graph.link(task_id, new, len([d for d in new if tasks[d].status not in FINISHED]))
        if tasks[task_id].status == "pending" and task_id not in graph.unmet:
            if task_id not in graph.ready:
                graph.add_ready(task_id)
        elif task_id in graph.ready:
            graph.remove_ready(task_id)

    def move_task(self, task: Task, after: int) -> None:
        """Move a task, whose value may name another phase, in the list order."""
        graph, old = self.graph, self.tasks[task.id]
        if self.undo_log is not None:
            self.undo_log.save_task(task.id, old, graph.predecessor(task.id))
        ready = task.id in graph.ready
        if ready:
            graph.remove_ready(task.id)
        graph.remove(task.id)
        self.tasks[task.id] = task
        self._insert_in_order(task.id, task.phase, after)
        if ready:
            graph.add_ready(task.id)
        if old.phase != task.phase:
            self.drop(self.ledger.phase_marks, old.phase)
            self.drop(self.ledger.phase_marks, task.phase)

    def set_phases(self, phases: Collection[Phase]) -> None:
        """Replace the phases; the list order follows them. An id given twice is a `ValueError`."""
        old, new = self.phases, {phase.id: phase for phase in phases}
        if len(new) != len(phases):
            raise ValueError
        if self.undo_log is not None:
            self.undo_log.save_phases(self.phases, self.graph.order)
        moved = [p for p in new if p in old] != [p for p in old if p in new]
        self.phases = new
        self.phase_positions = {phase: place for place, phase in enumerate(new)}
        if moved:
            self.graph.set_order(sorted(self.graph.order, key=self.phase_position))


def restore_tasks(state: PlanState, tasks: Sequence[Task]) -> None:
    """Insert tasks, given in list order, into a plan without tasks; build all indexes at once."""
    by_id, counts, finished, pending = state.tasks, state.counts, set(), set()
    for task in tasks:
        task_id, status = task.id, task.status
        by_id[task_id] = task
        counts[status] += 1
        if status == "pending":
            pending.add(task_id)
        elif status in FINISHED:
            finished.add(task_id)
        elif status == "in_progress":
            state.tasks_by_actor.setdefault(task.actor, []).append(task_id)
        if task.checks or task.protect:
            state.index_checks(task)
        if task.alias:
            state.aliases[task.alias] = task_id
    graph = state.graph
    graph.set_order([task.id for task in tasks])
    needs_by_task = {task.id: task.needs for task in tasks if task.needs}
    graph.build_edges(needs_by_task, finished, pending)
