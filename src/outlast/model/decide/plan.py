"""The plan as a whole: create, initialize, edit, pause, resume, abort, reset, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import InvalidArgument, InvalidDependency, InvalidStatus, PhaseNotFound
from outlast.model import changes as c
from outlast.model import commands
from outlast.model.budget import NO_LIMIT, Budget
from outlast.model.changes.tasks import is_pristine
from outlast.model.decide.tasks import (
    TEXTS,
    check_new_tasks,
    check_task_rules,
    new_task_changes,
    ordered_add_changes,
)
from outlast.model.dependencies import refuse_cycles, refuse_later_needs_in_sequence
from outlast.model.limits import (
    LARGEST_GIVEN_ID,
    check_choice,
    check_flag,
    check_name,
    check_progress,
    check_ref,
    check_text,
    check_tuple,
    default_title,
)
from outlast.model.model import MAIN, MAX_RETRIES, ORDERS, PAUSE_REASONS, PLAN, Order, Task
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from datetime import datetime


_TASK_PATH: Final = "tasks[{}]."


def create(state: PlanState, command: commands.CreatePlan, now: datetime) -> tuple[c.Change, ...]:
    """Create a plan where there is none."""
    if state.id:
        raise InvalidStatus("plan_exists", plan=state.id)
    check_name(command.id, "id")
    check_text(command.goal, "goal")
    if command.key != "":
        check_name(command.key, "key")
    check_choice(command.order, "order", ORDERS)
    check_flag(command.needs_approval, "needs_approval")
    title = default_title(command.goal) if command.title is None else command.title
    if title != "":
        check_name(title, "title")
    _check_tasks(command)
    created = c.PlanCreated(
        id=command.id,
        goal=command.goal,
        key=command.key,
        title=title,
        order=command.order,
        phases=command.phases,
        next_id=command.next_id,
        begun=command.begun,
        hold=command.hold,
        iteration_count=command.iteration_count,
        created_at=command.created_at or now,
        updated_at=command.updated_at or now,
        extra=command.extra,
    )
    added = ordered_add_changes(tuple(map(_drop_proof_claim, command.tasks)), set())
    approval = (c.ApprovalRequired(),) if command.needs_approval else ()
    return (created, *added, *_budget_changes(command.budget), *approval)


def _budget_changes(budget: Budget) -> tuple[c.Change, ...]:
    if budget == NO_LIMIT:
        return ()
    from outlast.model.decide.budget import initial_budget  # only agents need it

    return (initial_budget(budget, PLAN),)


def _drop_proof_claim(task: Task) -> Task:
    """Return an imported task as `reported` if it claims a proof that it does not carry."""
    return replace(task, how="reported") if task.how == "proved" else task


def initialize(
    state: PlanState, command: commands.InitializePlan, now: datetime
) -> tuple[c.Change, ...]:
    """Give a plan without tasks its goal and tasks; replace a plan that has ended by a new one.

    The new one needs approval if the ended one does.
    """
    check_name(command.id, "id")
    goal = check_text(command.goal, "goal")
    check_tuple(command.tasks, "tasks")
    check_new_tasks(command.tasks, _TASK_PATH)
    if state.status in ("completed", "failed"):
        fresh = PlanState(now)
        fresh.set_phases((MAIN,))
        fresh.order = state.order
        created = c.PlanCreated(
            id=command.id,
            goal=goal,
            key=state.key,
            title=default_title(goal),
            order=state.order,
            phases=(MAIN,),
            created_at=now,
            updated_at=now,
        )
        approval = (c.ApprovalRequired(),) if state.needs_approval else ()
        return (
            created,
            *new_task_changes(fresh, command.tasks, _TASK_PATH),
            *_budget_changes(command.budget),
            *approval,
        )
    if state.tasks:
        raise InvalidStatus("plan_unfinished", plan=state.id, status=state.status)
    return (
        c.PlanEdited(goal=goal, title=_title_for(state, goal)),
        *new_task_changes(state, command.tasks, _TASK_PATH),
        *_budget_changes(command.budget),
    )


def edit(state: PlanState, command: commands.EditPlan, _now: datetime) -> tuple[c.Change, ...]:
    """Change goal, title or order."""
    if command.goal is not None:
        check_text(command.goal, "goal")
    if command.title is not None:
        check_name(command.title, "title")
    if command.order is not None:
        check_choice(command.order, "order", ORDERS)
        if command.order == "sequential":
            refuse_later_needs_in_sequence(state.tasks_in_order(), state.graph.position)
    return _edit_changes(state, command.goal, command.title, command.order)


def goal_changes(state: PlanState, goal: str) -> tuple[c.Change, ...]:
    """Return the change of the goal, and of a title that follows it."""
    return _edit_changes(state, goal, None, None)


def _edit_changes(
    state: PlanState, goal: str | None, title: str | None, order: Order | None
) -> tuple[c.Change, ...]:
    if title is None and goal is not None:
        title = _title_for(state, goal)
    new = c.PlanEdited(
        goal=None if goal == state.goal else goal,
        title=None if title == state.title else title,
        order=None if order == state.order else order,
    )
    return () if new == c.PlanEdited() else (new,)


def _title_for(state: PlanState, goal: str) -> str:
    """Return the title after the goal changes: a title that was set explicitly stays."""
    return default_title(goal) if state.title == default_title(state.goal) else state.title


def pause(state: PlanState, command: commands.Pause, _now: datetime) -> tuple[c.Change, ...]:
    """Pause an idle or running plan."""
    check_choice(command.why, "why", PAUSE_REASONS)
    status = state.status
    if status not in ("idle", "running"):
        raise InvalidStatus("plan_cannot_pause", status=status)
    return (c.PlanPaused(command.why),)


def resume(state: PlanState, _command: commands.Resume, _now: datetime) -> tuple[c.Change, ...]:
    """Resume a paused plan."""
    status = state.status
    if status != "paused":
        raise InvalidStatus("plan_cannot_resume", status=status)
    return (c.PlanResumed(),)


def abort(state: PlanState, _command: commands.Abort, _now: datetime) -> tuple[c.Change, ...]:
    """Abort a plan that has not ended."""
    status = state.status
    if status in ("completed", "failed"):
        raise InvalidStatus("plan_cannot_abort", status=status)
    return (c.PlanAborted(),)


def reset(state: PlanState, _command: commands.Reset, _now: datetime) -> tuple[c.Change, ...]:
    """Reset all tasks and the plan to their initial status."""
    if state.begun or state.hold or not all(map(is_pristine, state.tasks.values())):
        return (c.PlanReset(),)
    return ()


def count_iteration(
    state: PlanState, command: commands.CountIteration, _now: datetime
) -> tuple[c.Change, ...]:
    """Count one more iteration, and one more of the task if it is in progress."""
    task = None if command.task is None else state.task(check_ref(command.task, "task"))
    counts = task is not None and task.status == "in_progress"
    return (c.IterationCounted(state.iteration_count + 1, task.id if task and counts else 0),)


def undo(state: PlanState, command: commands.Undo, _now: datetime) -> tuple[c.Change, ...]:
    """Undo a commit with changes that were computed for revision `at` and fit only that one."""
    if state.revision != command.at:
        raise InvalidStatus("plan_changed_since", at=command.at, revision=state.revision)
    return (c.Undone(command.of), *command.changes)


def _check_tasks(command: commands.CreatePlan) -> None:
    places = {phase.id: place for place, phase in enumerate(command.phases)}
    if len(places) < len(command.phases):
        raise InvalidArgument("phase_twice", argument="phases")
    for phase in command.phases:
        check_name(phase.id, "phases.id")
        check_name(phase.title, "phases.title")
        check_text(phase.notes, "phases.notes")
    known: set[int] = set()
    for index, task in enumerate(command.tasks):
        where = f"tasks[{index}]"
        _check_task(task, where)
        if task.phase not in places:
            raise PhaseNotFound("phase_not_found", phase=task.phase, known=list(places))
        if task.id in known:
            raise InvalidArgument("id_twice", argument=f"{where}.id", id=task.id)
        known.add(task.id)
    if not 0 < command.next_id <= LARGEST_GIVEN_ID:
        raise InvalidArgument("not_a_task_id", argument="next_id")
    for index, task in enumerate(command.tasks):
        unknown = [d for d in task.needs if d not in known]
        if unknown:
            where = f"tasks[{index}].needs"
            raise InvalidDependency("dependency_unknown", argument=where, unknown=unknown)
    refuse_cycles({task.id: task.needs for task in command.tasks})
    if command.order == "sequential":
        ordered = sorted(command.tasks, key=lambda task: places[task.phase])
        position = {task.id: index for index, task in enumerate(ordered)}
        refuse_later_needs_in_sequence(ordered, position.__getitem__)


def _check_task(task: Task, where: str) -> None:
    if type(task.id) is not int or not 0 < task.id < LARGEST_GIVEN_ID:
        raise InvalidArgument("not_a_task_id", argument=f"{where}.id")
    if task.alias:
        check_ref(task.alias, f"{where}.id")
    check_task_rules(task, f"{where}.")
    check_name(task.name, f"{where}.name")
    if task.status == "in_progress":
        check_name(task.actor, f"{where}.actor")
    if type(task.retry_count) is not int or not 0 <= task.retry_count <= MAX_RETRIES:
        raise InvalidArgument("bad_retries", argument=f"{where}.retry_count", limit=MAX_RETRIES)
    if task.progress:
        check_progress(task.progress, f"{where}.progress")
    for field in (*TEXTS, "result", "error"):
        value = getattr(task, field)
        if value is not None:
            check_text(value, f"{where}.{field}")
