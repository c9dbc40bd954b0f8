"""`SessionPlan` (R4.03): a plan as phases and steps, for whoever drives it by hooks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol, get_args

from msgspec import Struct

from outlast.application.plan.advance import StepStatus
from outlast.application.plan.handle import several
from outlast.domain import commands as c
from outlast.domain.enact import enact
from outlast.domain.limits import check_choice, check_name, check_ref, slug, wrong_type
from outlast.domain.model import PhaseStatus, TaskStatus
from outlast.domain.note_commands import MarkPhase
from outlast.domain.phase_status import phase_status, phase_tasks
from outlast.domain.state import PlanState
from outlast.errors import PhaseNotFound, PlanNotFound, TaskNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Task

STEP_STATUSES: Final[tuple[StepStatus, ...]] = get_args(StepStatus)
_ANY_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)
_REHEARSED: Final = "rehearsed"


class TaskStep(Struct, frozen=True):
    """A task; the id of a new one is given by the plan."""

    content: str
    status: TaskStatus = "pending"
    active_form: str = ""
    id: str = ""


class TaskPhase(Struct, frozen=True):
    """A phase with its tasks; the id and the state of a new one are given by the plan."""

    title: str
    steps: tuple[TaskStep, ...] = ()
    notes: str = ""
    id: str = ""
    status: PhaseStatus = "pending"


class Metadata(Struct, frozen=True):
    """How many tasks there are, are finished, and wait for others."""

    total_steps: int
    completed_steps: int
    blocked_steps: int


class TaskPlan(Struct, frozen=True):
    """A whole plan at one moment."""

    id: str
    title: str
    objective: str
    phases: tuple[TaskPhase, ...]
    created_at: datetime
    updated_at: datetime
    metadata: Metadata


class CurrentTask(Struct, frozen=True):
    """A step and the phase it belongs to."""

    phase: TaskPhase
    step: TaskStep


class Shelf(Protocol):
    """Where the plan of a session is kept, if there is one."""

    @property
    def directory(self) -> str:
        """The directory of the plan."""

    def find(self) -> Plan | None:
        """Return the plan if there is one."""

    def need(self) -> Plan:
        """Return the plan; begin an empty one if there is none."""

    def close(self) -> None:
        """Let go of the plan."""


class SessionPlan:
    """The plan of a session. What cannot be done raises `outlast.errors`."""

    def __init__(self, shelf: Shelf) -> None:
        """Serve the plan that is, or will be, in its place."""
        self._shelf = shelf

    @property
    def plan_path(self) -> str:
        """Where people read the plan."""
        return f"{self._shelf.directory}/task_plan.md"

    def create(self, title: str, objective: str, phases: Iterable[TaskPhase] = ()) -> TaskPlan:
        """Make a plan where there is none, or the one there was has ended.

        What the steps are in is what they begin in; ids are given by the plan.
        """
        wanted = _Wanted(title, objective, several(phases, "phases"))
        _rehearse(wanted)
        plan = self._shelf.need()
        if plan.status in ("completed", "failed"):
            plan.initialize(objective, ())
        commands = plan.read(lambda state: tuple(_filling(state, wanted, plan.actor)))
        return plan.commit(commands, lambda state, _: _plan(state))

    def read(self) -> TaskPlan | None:
        """Return the plan as it is now, None if there is none."""
        plan = self._shelf.find()
        return None if plan is None else plan.read(_plan_if_any)

    def update_step_status(self, phase_id: str, step_id: str, status: StepStatus) -> TaskStep:
        """Bring a step into a state; one with checks is completed only if they pass."""
        check_choice(status, "status", STEP_STATUSES)
        plan = self._plan()
        return _step(plan.bring(plan.read(lambda s: _task(s, phase_id, step_id)).id, status))

    def update_phase_status(self, phase_id: str, status: PhaseStatus) -> TaskPhase:
        """Show a phase in a state until one of its steps changes."""
        plan = self._plan()
        plan.read(lambda state: _known_phase(state, phase_id))
        return plan.commit((MarkPhase(phase_id, status),), lambda s, _: _phase(s, phase_id))

    def add_step(self, phase_id: str, content: str, active_form: str = "") -> TaskStep:
        """Add a step at the end of a phase."""
        plan = self._plan()
        plan.read(lambda state: _known_phase(state, phase_id))
        return _step(plan.add(content, phase=phase_id, active_form=active_form))

    def is_complete(self) -> bool:
        """Tell whether there are steps and all of them are finished."""
        plan = self._shelf.find()
        return plan is not None and plan.read(lambda s: 0 < len(s.tasks) == s.finished)

    def get_current_task(self) -> CurrentTask | None:
        """Return the first step in progress."""
        return self._first(lambda _, task: task.status == "in_progress")

    def get_next_pending_task(self) -> CurrentTask | None:
        """Return the first step to do that waits for no other by name."""
        return self._first(lambda s, task: task.status == "pending" and not s.blocked_by(task))

    def _first(self, is_it: Callable[[PlanState, Task], bool]) -> CurrentTask | None:
        plan = self._shelf.find()
        return None if plan is None else plan.read(lambda state: _first(state, is_it))

    def _plan(self) -> Plan:
        plan = self._shelf.find()
        if plan is None or plan.read(_is_blank):
            raise PlanNotFound("no_plan_exists", where=self._shelf.directory, candidates=[])
        return plan


# Making a plan


class _Wanted(Struct, frozen=True):
    title: str
    objective: str
    phases: tuple[TaskPhase, ...]


def _rehearse(wanted: _Wanted) -> None:
    """Refuse what could not be made, before anything is."""
    for phase in wanted.phases:
        if type(phase) is not TaskPhase:
            raise wrong_type("phases", "TaskPhase", phase)
        for step in phase.steps:
            if type(step) is not TaskStep:
                raise wrong_type("steps", "TaskStep", step)
            check_choice(step.status, "status", STEP_STATUSES)
    state = PlanState(_ANY_TIME)
    enact(state, (c.CreatePlan(_REHEARSED, ""),), _ANY_TIME)
    enact(state, tuple(_filling(state, wanted, _REHEARSED)), _ANY_TIME)


def _filling(state: PlanState, wanted: _Wanted, actor: str) -> Iterator[c.Command]:
    """Yield what makes an empty plan the one that is wanted; all of it is one commit."""
    yield c.InitializePlan(state.id, wanted.objective, ())
    yield c.EditPlan(title=wanted.title, order="sequential")
    phases = list(state.phases)
    new: list[c.NewTask] = []
    steps: list[TaskStep] = []
    for phase in wanted.phases:
        yield c.AddPhase(phase.title, phase.notes)
        phases.append(slug(phase.title, phases))
        new += (c.NewTask(x.content, phases[-1], active_form=x.active_form) for x in phase.steps)
        steps += phase.steps
    if wanted.phases:
        yield from (c.RemovePhase(phase) for phase in state.phases)
    if new:
        yield c.AddTasks(tuple(new))
    for task_id, step in enumerate(steps, state.next_id):
        yield from _begun(task_id, step, actor)


def _begun(task_id: int, step: TaskStep, actor: str) -> Iterator[c.Command]:
    if step.status == "in_progress":
        yield c.Start(actor, task_id)
    elif step.status == "completed":
        yield c.Complete(task_id, actor)
    elif step.status == "skipped":
        yield c.Skip(task_id)


# Showing a plan


def _is_blank(state: PlanState) -> bool:
    """Tell whether the plan was only begun to keep notes in."""
    return not state.tasks and not state.goal


def _plan_if_any(state: PlanState) -> TaskPlan | None:
    return None if _is_blank(state) else _plan(state)


def _plan(state: PlanState) -> TaskPlan:
    blocked = sum(bool(state.blocked_by(task)) for task in state.tasks.values())
    return TaskPlan(
        id=state.id,
        title=state.title,
        objective=state.goal,
        phases=tuple(_phase(state, phase) for phase in state.phases),
        created_at=state.created_at,
        updated_at=state.updated_at,
        metadata=Metadata(len(state.tasks), state.finished, blocked),
    )


def _phase(state: PlanState, phase_id: str) -> TaskPhase:
    phase = state.phases[phase_id]
    return TaskPhase(
        title=phase.title,
        steps=tuple(map(_step, phase_tasks(state, phase_id))),
        notes=phase.notes,
        id=phase_id,
        status=phase_status(state, phase_id),
    )


def _step(task: Task) -> TaskStep:
    return TaskStep(task.name, task.status, task.active_form, str(task.id))


def _first(state: PlanState, is_it: Callable[[PlanState, Task], bool]) -> CurrentTask | None:
    for task in state.in_order():
        if is_it(state, task):
            return CurrentTask(_phase(state, task.phase), _step(task))
    return None


def _known_phase(state: PlanState, phase_id: str) -> None:
    if check_name(phase_id, "phase") not in state.phases:
        known = list(state.phases)
        raise PhaseNotFound("no_such_phase", phase=phase_id, known=known)


def _task(state: PlanState, phase_id: str, step_id: str) -> Task:
    _known_phase(state, phase_id)
    task = state.find(check_ref(step_id, "step"))
    if task is None or task.phase != phase_id:
        raise TaskNotFound("no_such_step", task_id=step_id)
    return task
