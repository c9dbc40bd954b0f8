"""`SessionPlan` (R4.03): a plan as phases and steps, for an agent driven by hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, get_args

from msgspec import Struct

from outlast.agent.plan_locator import PlanLocator
from outlast.errors import PhaseNotFound, PlanNotFound, TaskNotFound
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.limits import check_choice, check_name, check_ref, make_slug, wrong_type_error
from outlast.model.model import PHASE_STATUSES, PhaseStatus, Task, TaskStatus
from outlast.model.phase_status import phase_status, phase_tasks
from outlast.model.state import PlanState
from outlast.plan.core import as_tuple, new_tasks_of
from outlast.plan.tools.advance import StepStatus, order_shown_by, set_status
from outlast.redact.text_fields import redact_text

if TYPE_CHECKING:
    from outlast.plan.plan import Plan

STEP_STATUSES: Final[tuple[StepStatus, ...]] = get_args(StepStatus)
_ANY_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)
_DRY_RUN: Final = "dry_run"


class TaskStep(Struct, frozen=True):
    """A task. A new one may bring an `id` of its own; otherwise the plan assigns a number."""

    content: str
    status: TaskStatus = "pending"
    active_form: str = ""
    id: str = ""


class TaskPhase(Struct, frozen=True):
    """A phase with its tasks.

    A new one may bring an `id`; otherwise it is made from the title. A `status` other than pending
    is shown until one of the steps changes.
    """

    title: str
    steps: tuple[TaskStep, ...] = ()
    notes: str = ""
    id: str = ""
    status: PhaseStatus = "pending"


class Metadata(Struct, frozen=True):
    """How many tasks there are, how many are finished, and how many are blocked."""

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


class SessionPlan:
    """The plan of a session. What the rules forbid raises `outlast.errors`."""

    def __init__(self, locator: PlanLocator) -> None:
        """Serve the plan that the locator finds, which may not exist yet."""
        self._locator = locator

    @property
    def plan_path(self) -> str:
        """The path of the file in which people read the plan."""
        return f"{self._locator.directory}/task_plan.md"

    def create(self, title: str, objective: str, phases: Iterable[TaskPhase] = ()) -> TaskPlan:
        """Create the plan if there is none, or if the last one has ended.

        Phases and steps start with the status and the id that they are given.
        """
        draft = _PlanDraft(title, objective, as_tuple(phases, "phases"))
        _dry_run(draft)
        plan = self._locator.get_or_create()
        if plan.status in ("completed", "failed"):
            plan.initialize(objective, ())
        commands = plan.core.read(lambda state: tuple(_creation_commands(state, draft, plan.actor)))
        return plan.core.commit(commands, lambda state, _: _plan(state))

    def read(self) -> TaskPlan | None:
        """Return the plan as it is now, None if there is none."""
        plan = self._locator.find()
        return None if plan is None else plan.core.read(_plan_if_any)

    def update_step_status(self, phase_id: str, step_id: str, status: StepStatus) -> TaskStep:
        """Set the status of a step; one with checks is completed only if they pass.

        A step that is worked on before its turn makes the order of the plan `graph`.
        """
        check_choice(status, "status", STEP_STATUSES)
        plan = self._plan()
        task = plan.core.read(lambda state: _task(state, phase_id, step_id))
        return _step(set_status(plan, task.id, status, out_of_turn=True))

    def update_phase_status(self, phase_id: str, status: PhaseStatus) -> TaskPhase:
        """Show a phase with a status until one of its steps changes."""
        plan = self._plan()
        plan.core.read(lambda state: _check_phase(state, phase_id))
        return plan.core.commit((c.MarkPhase(phase_id, status),), lambda s, _: _phase(s, phase_id))

    def add_step(
        self,
        phase_id: str,
        content: str,
        active_form: str = "",
        *,
        status: StepStatus = "pending",
        id: str = "",  # noqa: A002 - the document's field
    ) -> TaskStep:
        """Add a step with a status at the end of a phase."""
        check_choice(status, "status", STEP_STATUSES)
        plan = self._plan()
        plan.core.read(lambda state: _check_phase(state, phase_id))
        new = c.NewTask(content, phase_id, active_form=active_form, alias=id)
        task = plan.core.commit((c.AddTasks((new,)),), new_tasks_of)[0]
        return _step(set_status(plan, task.id, status, out_of_turn=True))

    def is_complete(self) -> bool:
        """Return whether there are steps, all of them finished, the last not merely assumed."""
        plan = self._locator.find()
        return plan is not None and plan.core.read(_is_complete)

    def get_current_task(self) -> CurrentTask | None:
        """Return the first step in progress."""
        return self._first(lambda _, task: task.status == "in_progress")

    def get_next_pending_task(self) -> CurrentTask | None:
        """Return the first pending step that is not blocked."""
        return self._first(lambda s, task: task.status == "pending" and not s.blocked_by(task))

    def _first(self, matches: Callable[[PlanState, Task], bool]) -> CurrentTask | None:
        plan = self._locator.find()
        return None if plan is None else plan.core.read(lambda state: _first(state, matches))

    def _plan(self) -> Plan:
        plan = self._locator.find()
        if plan is None or plan.core.read(_is_blank):
            raise PlanNotFound("no_plan_exists", where=self._locator.directory, candidates=[])
        return plan


# Creating a plan


class _PlanDraft(Struct, frozen=True):
    title: str
    objective: str
    phases: tuple[TaskPhase, ...]


def _dry_run(draft: _PlanDraft) -> None:
    """Refuse an invalid draft before anything is created."""
    for phase in draft.phases:
        if type(phase) is not TaskPhase:
            raise wrong_type_error("phases", "TaskPhase", phase)
        check_choice(phase.status, "status", PHASE_STATUSES)
        _check_id(phase.id)
        for step in phase.steps:
            if type(step) is not TaskStep:
                raise wrong_type_error("steps", "TaskStep", step)
            check_choice(step.status, "status", STEP_STATUSES)
            _check_id(step.id)
    state = PlanState(_ANY_TIME)
    execute(state, (c.CreatePlan(_DRY_RUN, ""),), _ANY_TIME)
    execute(state, tuple(_creation_commands(state, draft, _DRY_RUN)), _ANY_TIME)


def _creation_commands(state: PlanState, draft: _PlanDraft, actor: str) -> Iterator[c.Command]:
    """Yield the commands that turn an empty plan into the draft, for one commit."""
    yield c.InitializePlan(state.id, draft.objective, ())
    order = order_shown_by(step.status for phase in draft.phases for step in phase.steps)
    yield c.EditPlan(title=draft.title, order=order)
    phases: list[str] = []
    new: list[c.NewTask] = []
    steps: list[TaskStep] = []
    for phase in draft.phases:
        title = redact_text(phase.title)  # its id is made from it
        previous = phases[-1] if phases else None
        if phase.id in state.phases and phase.id not in phases:
            phases.append(phase.id)
            yield c.EditPhase(phase.id, title, phase.notes)
            yield c.MovePhase(phase.id, previous)
        else:
            phases.append(phase.id or make_slug(title, (*state.phases, *phases)))
            yield c.AddPhase(title, phase.notes, id=phases[-1])
        new += (
            c.NewTask(x.content, phases[-1], active_form=x.active_form, alias=x.id)
            for x in phase.steps
        )
        steps += phase.steps
    if draft.phases:
        yield from (c.RemovePhase(phase) for phase in state.phases if phase not in phases)
    if new:
        yield c.AddTasks(tuple(new))
    for task_id, step in enumerate(steps, state.next_id):
        yield from _status_commands(task_id, step, actor)
    for phase_id, phase in zip(phases, draft.phases, strict=True):
        if phase.status != "pending":
            yield c.MarkPhase(phase_id, phase.status)


def _check_id(value: object) -> None:
    """Refuse an id that is given and no name."""
    if value != "":
        check_name(value, "id")


def _status_commands(task_id: int, step: TaskStep, actor: str) -> Iterator[c.Command]:
    if step.status == "in_progress":
        yield c.Start(actor, task_id)
    elif step.status == "completed":
        yield c.Complete(task_id, actor)
    elif step.status == "skipped":
        yield c.Skip(task_id)


# Showing a plan


def _is_blank(state: PlanState) -> bool:
    """Return whether the plan was created only to keep notes."""
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
        metadata=Metadata(len(state.tasks), state.finished_count, blocked),
    )


def _is_complete(state: PlanState) -> bool:
    return 0 < len(state.tasks) == state.finished_count and state.assumed_end is None


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
    return TaskStep(task.name, task.status, task.active_form, task.alias or str(task.id))


def _first(state: PlanState, matches: Callable[[PlanState, Task], bool]) -> CurrentTask | None:
    for task in state.tasks_in_order():
        if matches(state, task):
            return CurrentTask(_phase(state, task.phase), _step(task))
    return None


def _check_phase(state: PlanState, phase_id: str) -> None:
    if check_name(phase_id, "phase") not in state.phases:
        known = list(state.phases)
        raise PhaseNotFound("no_such_phase", phase=phase_id, known=known)


def _task(state: PlanState, phase_id: str, step_id: str) -> Task:
    _check_phase(state, phase_id)
    task = state.find(check_ref(step_id, "step"))
    if task is None or task.phase != phase_id:
        raise TaskNotFound("no_such_step", task_id=step_id)
    return task
