"""Queries of a plan; every answer is a frozen value of one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from outlast.domain.limits import check_choice, check_ref

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.model import Order, Phase, PlanStatus, Progress, Task
    from outlast.domain.state import PlanState
    from outlast.ports.store import Store

T = TypeVar("T")


class PlanQueries:
    """The reading half of `outlast.Plan`."""

    __slots__ = ("_store", "actor")

    _store: Store
    actor: str

    def __repr__(self) -> str:
        return self.read(
            lambda s: f"<Plan {s.id} {s.title!r} {s.finished_count}/{len(s.tasks)} {s.status}>"
        )

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Call a function with the whole state while no change can happen; for formats."""
        return self._store.read(question)

    # What the plan is

    @property
    def id(self) -> str:
        """The plan's own id, `plan_<random>`."""
        return self.read(lambda state: state.id)

    @property
    def key(self) -> str:
        """The name of the plan in its workspace."""
        return self.read(lambda state: state.key)

    @property
    def goal(self) -> str:
        """What the plan is to achieve."""
        return self.read(lambda state: state.goal)

    @property
    def title(self) -> str:
        """The goal in one short line."""
        return self.read(lambda state: state.title)

    @property
    def order(self) -> Order:
        """`graph` if only needs hold a task back, `sequential` if earlier tasks do too."""
        return self.read(lambda state: state.order)

    @property
    def status(self) -> PlanStatus:
        """The status of the plan as a whole."""
        return self.read(lambda state: state.status)

    @property
    def progress(self) -> Progress:
        """Finished tasks out of all."""
        return self.read(lambda state: state.progress)

    @property
    def current_step_index(self) -> int:
        """The index in the list of the current task, else of the first unfinished one."""
        return self.read(lambda state: state.current_step_index)

    @property
    def iteration_count(self) -> int:
        """How many iterations of work have been counted; never falls."""
        return self.read(lambda state: state.iteration_count)

    @property
    def revision(self) -> int:
        """How many commits have changed the plan."""
        return self.read(lambda state: state.revision)

    @property
    def created_at(self) -> datetime:
        """When the plan was created."""
        return self.read(lambda state: state.created_at)

    @property
    def updated_at(self) -> datetime:
        """When the plan last changed."""
        return self.read(lambda state: state.updated_at)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in order."""
        return self.read(lambda state: tuple(state.phases.values()))

    # Its tasks

    def task(self, task: int | str) -> Task:
        """Return one task."""
        return self.read(lambda state: state.task(check_ref(task, "task_id")))

    def tasks(self, status: str | None = None) -> tuple[Task, ...]:
        """Return the tasks in list order; `pending` includes the `blocked` ones."""
        return self.read(lambda state: tuple(state.with_status(status)))

    def current(self) -> Task | None:
        """Return the task that this actor has in progress."""
        return self.read(lambda state: state.tasks.get(state.current_task(self.actor) or 0))

    def next(self) -> Task | None:
        """Return the task that `start()` would start."""
        return self.read(lambda state: state.tasks.get(state.next_ready() or 0))

    def ready(self) -> tuple[Task, ...]:
        """Return all tasks that can start now."""
        return self.read(lambda state: tuple(map(state.tasks.__getitem__, state.ready_tasks())))

    def blocked_by(self, task: int | str) -> tuple[int, ...]:
        """Return the unfinished needs that keep a pending task from starting."""
        return self.read(
            lambda state: tuple(state.blocked_by(state.task(check_ref(task, "task_id"))))
        )

    # The needs of tasks as a graph

    def graph(self, form: str = "mermaid") -> str:
        """Draw the tasks and their needs as `mermaid`, `dot` or `ascii`."""
        from outlast.formats import graph_text

        check_choice(form, "form", graph_text.FORMS)
        return self.read(graph_text.FORMS[form])

    def dependency_text(self) -> str:
        """Describe the plan and its needs in words, for a prompt."""
        from outlast.formats import graph_text

        return self.read(graph_text.prompt)

    def parallel_groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the tasks in layers; the tasks of one layer can run in parallel."""
        from outlast.domain.layers import compute_layers

        return self.read(compute_layers).groups

    def critical_path(self) -> tuple[int, ...]:
        """Return the longest chain of needs, counted in tasks."""
        from outlast.domain.layers import compute_layers

        return self.read(compute_layers).critical_path
