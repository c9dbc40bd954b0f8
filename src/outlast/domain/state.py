"""The fold: one mutable plan that only `apply` alters and everybody else reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.graph import Graph
from outlast.domain.ledger import Ledger
from outlast.domain.limits import check_name
from outlast.domain.model import FINISHED, MAIN_PHASE, TASK_STATUSES, Progress
from outlast.domain.notes import Notes
from outlast.errors import PhaseNotFound, TaskNotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from outlast.domain.graph import Layers
    from outlast.domain.model import Hold, Order, Phase, PlanStatus, Task, TaskStatus

_DIGITS: Final = 17


def number(ref: str) -> int:
    """Read the number out of `3` or `step_3`; 0, which no task has, if there is none."""
    digits = ref.removeprefix("step_")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < _DIGITS else 0


class PlanState:
    """A plan as its changes have left it, with the indexes that make its questions cheap."""

    __slots__ = (
        "aliases",
        "begun",
        "busy",
        "checked",
        "counts",
        "created_at",
        "extra",
        "goal",
        "graph",
        "hold",
        "id",
        "iteration_count",
        "key",
        "last_done",
        "layers",
        "ledger",
        "next_id",
        "notes",
        "order",
        "phases",
        "places",
        "revision",
        "tasks",
        "title",
        "updated_at",
    )

    def __init__(self, now: datetime) -> None:
        """Begin before the first change: no plan yet."""
        self.clear(now)

    def clear(self, now: datetime) -> None:
        """Forget the plan."""
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
        self.places: dict[str, int] = {}
        self.tasks: dict[int, Task] = {}
        self.aliases: dict[str, int] = {}
        self.counts: dict[TaskStatus, int] = dict.fromkeys(TASK_STATUSES, 0)
        self.busy: dict[str, list[int]] = {}
        self.checked: set[int] = set()
        self.last_done = 0
        self.graph = Graph()
        self.ledger = Ledger()
        self.notes = Notes()
        self.layers: tuple[tuple[int, Order], Layers] | None = None

    # Looking things up

    def find(self, ref: int | str) -> Task | None:
        """Return the task known as `3`, `"3"`, `step_3` or by the id it had elsewhere."""
        if type(ref) is int:
            return self.tasks.get(ref)
        alias = self.aliases.get(str(ref))
        return self.tasks.get(number(str(ref)) if alias is None else alias)

    def task(self, ref: int | str) -> Task:
        """Return a task or say that there is none."""
        found = self.find(ref)
        if found is None:
            raise TaskNotFound("task_not_found", task_id=ref)
        return found

    def phase(self, phase_id: str) -> Phase:
        """Return a phase or say that there is none."""
        found = self.phases.get(check_name(phase_id, "phase"))
        if found is None:
            raise PhaseNotFound("phase_not_found", phase=phase_id, known=list(self.phases))
        return found

    def in_order(self) -> Iterator[Task]:
        """Yield all tasks in list order."""
        return map(self.tasks.__getitem__, self.graph.order)

    def default_phase(self) -> str:
        """Return the phase of a task that names none: `main`, else the last one."""
        return MAIN_PHASE if MAIN_PHASE in self.phases else next(reversed(self.phases))

    # What follows from the tasks

    @property
    def finished(self) -> int:
        """How many tasks are finished."""
        return self.counts["completed"] + self.counts["skipped"]

    @property
    def progress(self) -> Progress:
        """Finished tasks out of all."""
        return Progress(self.finished, len(self.tasks))

    @property
    def status(self) -> PlanStatus:
        """The state of the plan as a whole."""
        if self.hold == "aborted":
            return "failed"
        if self.tasks and self.finished == len(self.tasks):
            return "completed"
        if self.hold:
            return "paused"
        if self.stuck:
            return "failed"
        return "running" if self.begun else "idle"

    @property
    def stuck(self) -> bool:
        """Whether tasks are left but none runs and none can ever run, because of failed ones."""
        return (
            self.counts["failed"] > 0
            and not self.counts["in_progress"]
            and self.next_executable() is None
        )

    def next_executable(self) -> int | None:
        """Return the first task in list order that may be started now."""
        if self.order == "graph":
            return self.graph.first_ready()
        first = self.first_open()
        return first if first in self.graph.ready else None

    def executable(self) -> list[int]:
        """Return all tasks that may be started now, in list order."""
        if self.order == "graph":
            return self.graph.sort(self.graph.ready)
        first = self.next_executable()
        return [] if first is None else [first]

    def is_executable(self, task_id: int) -> bool:
        """Tell whether a task may be started now."""
        return task_id in self.graph.ready and (
            self.order == "graph" or task_id == self.first_open()
        )

    def first_open(self) -> int | None:
        """Return the first unfinished task in list order."""
        return self.graph.first_open()

    def unmet(self, task: Task) -> list[int]:
        """Return the dependencies of a task that are unfinished."""
        if task.id not in self.graph.unmet:
            return []
        tasks = self.tasks
        return [d for d in task.needs if d in tasks and tasks[d].status not in FINISHED]

    def blocked_by(self, task: Task) -> list[int]:
        """Return what a pending task is blocked by; nothing for a task in another state."""
        return self.unmet(task) if task.status == "pending" else []

    def in_progress(self) -> list[int]:
        """Return the tasks in progress, in list order."""
        return self.graph.sort(task for tasks in self.busy.values() for task in tasks)

    def current(self, actor: str) -> int | None:
        """Return the task that an actor has in progress: the first one in list order."""
        own = self.busy.get(actor)
        if not own:
            return None
        return own[0] if len(own) == 1 else self.graph.sort(own)[0]

    @property
    def current_step_index(self) -> int:
        """The index of the current task, else of the first unfinished one, else the length."""
        current = next(iter(self.in_progress()), self.first_open())
        return len(self.tasks) if current is None else self.graph.position(current)

    def completed_last(self) -> int | None:
        """Return the task that was completed last, if one is completed."""
        if not self.counts["completed"]:
            return None
        if self._last() is None:
            done = (task for task in self.tasks.values() if task.status == "completed")
            self.last_done = max(done, key=self._end).id
        return self.last_done

    def _last(self) -> Task | None:
        """Return the task that is known to have been completed last, if that still holds."""
        known = self.tasks.get(self.last_done)
        return known if known is not None and known.status == "completed" else None

    def _end(self, task: Task) -> tuple[datetime, int]:
        return task.ended_at or self.created_at, task.id

    def place_of(self, task_id: int) -> int:
        """Return the place of a task's phase among the phases."""
        return self.places[self.tasks[task_id].phase]

    # The only ways in, for `apply`

    def put(self, old: Task, new: Task) -> None:  # noqa: C901, PLR0912 - calls are felt here
        """Replace a task by its next value, which may have another status, and index it."""
        graph, counts, ledger, task_id = self.graph, self.counts, self.ledger, new.id
        was, status = old.status, new.status
        self.tasks[task_id] = new
        counts[was] -= 1
        counts[status] += 1
        if was == "in_progress":
            own = self.busy.pop(old.actor)
            if len(own) > 1:
                own.remove(task_id)
                self.busy[old.actor] = own
            if status != "in_progress" and (ledger.leases or ledger.done):
                ledger.leave(task_id)
        elif was in FINISHED and status not in FINISHED:
            graph.reopen(task_id)
        if status in FINISHED:
            if was not in FINISHED:
                self._close(task_id)
            if self.last_done:
                self._finish(new)
        elif status == "in_progress":
            self._enter(new)
        if was == "pending":
            if status != "pending" and task_id in graph.ready:
                graph.withdraw(task_id)
        elif status == "pending" and task_id not in graph.unmet:
            graph.offer(task_id)
        if ledger.marked:
            ledger.marked.pop(new.phase, None)
        books = ledger.books
        if (books.stops or books.iterations) and was != status:
            ledger.turn(task_id, leaves=was == "in_progress")

    def _close(self, task_id: int) -> None:
        graph = self.graph
        if task_id in graph.dependents:
            graph.finish(task_id, self.tasks)
        if task_id in graph.holes:
            graph.holes.remove(task_id)
        elif graph.order[graph.mark] == task_id:
            graph.mark = mark = graph.mark + 1
            if mark < len(graph.order) and self.tasks[graph.order[mark]].status in FINISHED:
                self.advance()

    def _finish(self, task: Task) -> None:
        """Remember a task as the one completed last, if it is."""
        last = self._last()
        if last is not None and task.status == "completed" and self._end(task) > self._end(last):
            self.last_done = task.id

    def _enter(self, task: Task) -> None:
        if task.actor in self.busy:
            self.busy[task.actor].append(task.id)
        else:
            self.busy[task.actor] = [task.id]

    def advance(self) -> None:
        """Move the mark past finished tasks."""
        tasks, graph = self.tasks, self.graph
        order, mark = graph.order, graph.mark
        last = len(order)
        while mark < last and tasks[order[mark]].status in FINISHED:
            mark += 1
        graph.mark = mark

    def insert(self, task: Task, after: int | None) -> None:
        """Add a task at the end of its phase, or behind the task `after` (0: at the front)."""
        self.tasks[task.id] = task
        self.next_id = max(self.next_id, task.id + 1)
        if task.alias:
            self.aliases[task.alias] = task.id
        self._index(task.id, task.phase, after)
        if task.checks or task.protect:
            self.guard(task)
        self.counts[task.status] += 1
        if task.status == "in_progress":
            self._enter(task)
        if self.last_done:
            self._finish(task)
        self.relink(task.id, (), task.needs)
        if self.ledger.marked:
            self.ledger.marked.pop(task.phase, None)

    def _index(self, task_id: int, phase: str, after: int | None) -> None:
        graph = self.graph
        if after is None:
            index = graph.end_of(self.places[phase], self.place_of)
        else:
            index = graph.position(after) + 1 if after else 0
        graph.insert(task_id, index)
        if self.tasks[task_id].status in FINISHED:
            graph.holes.discard(task_id)
            self.advance()

    def guard(self, task: Task) -> None:
        """Note whether there is something to be run or looked at before a task is done."""
        if task.checks or task.protect:
            self.checked.add(task.id)
        else:
            self.checked.discard(task.id)

    def remove(self, task: Task) -> None:
        """Take a task that nobody works on and nothing depends on out of the plan."""
        graph = self.graph
        graph.withdraw(task.id)
        graph.unlink(task.id, task.needs)
        graph.take_out(task.id)
        del self.tasks[task.id]
        self.checked.discard(task.id)
        self.counts[task.status] -= 1
        self.ledger.marked.pop(task.phase, None)
        if task.alias:
            del self.aliases[task.alias]
        self.advance()

    def relink(self, task_id: int, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        """Exchange the dependencies of a task."""
        tasks, graph = self.tasks, self.graph
        if old:
            graph.unlink(task_id, old)
        if new:
            graph.link(task_id, new, len([d for d in new if tasks[d].status not in FINISHED]))
        if tasks[task_id].status == "pending" and task_id not in graph.unmet:
            if task_id not in graph.ready:
                graph.offer(task_id)
        elif task_id in graph.ready:
            graph.withdraw(task_id)

    def move(self, task: Task, after: int) -> None:
        """Give a task, whose value may name another phase, another place in the list order."""
        graph = self.graph
        ready, left = task.id in graph.ready, self.tasks[task.id].phase
        graph.withdraw(task.id)
        graph.take_out(task.id)
        self.tasks[task.id] = task
        self._index(task.id, task.phase, after)
        self.advance()  # it may have been the first one that is not finished
        if ready:
            graph.offer(task.id)
        if left != task.phase:
            self.ledger.marked.pop(left, None)
            self.ledger.marked.pop(task.phase, None)

    def arrange(self, phases: dict[str, Phase]) -> None:
        """Replace the phases; the list order follows them."""
        moved = [p for p in phases if p in self.phases] != [p for p in self.phases if p in phases]
        self.phases = phases
        self.places = {phase: place for place, phase in enumerate(phases)}
        if moved:
            self.graph.rearrange(sorted(self.graph.order, key=self.place_of))
            self.advance()
