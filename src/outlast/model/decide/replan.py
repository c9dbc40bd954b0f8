"""Replan: replace the tasks that have not started by a new list, as a patch (R1.07, X7).

A task of the new list that has the name of a pending one is that task, with its id; the others are
new. Pending tasks that are not in the list are removed. Everything that was begun stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from outlast.errors import InvalidArgument, InvalidDependency
from outlast.model import changes as c
from outlast.model.decide.preconditions import require_active, revive_changes
from outlast.model.decide.tasks import (
    EDITABLE,
    build_task,
    charge_replan,
    check_new_tasks,
    ordered_add_changes,
)
from outlast.model.dependencies import refuse_cycles, resolve_needs
from outlast.model.limits import (
    LARGEST_ID,
    check_name,
    check_number,
    check_text,
    check_tuple,
    wrong_type_error,
)
from outlast.model.markers import normalize_name
from outlast.model.model import Task
from outlast.model.replan_position import OBSERVATION_CHARACTERS, Observation, ReplanPosition

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from outlast.model.commands import MoveReplan, NewTask, Replan
    from outlast.model.state import PlanState

_OPEN: Final = ("pending", "in_progress")


class Patch(Struct, frozen=True):
    """What a replan would change: the tasks as planned, under their ids, and those removed.

    `old` are the tasks that planned ones replace, by id.
    """

    planned: tuple[Task, ...]
    old: dict[int, Task]
    removed: tuple[Task, ...]


def replan(state: PlanState, command: Replan, now: datetime) -> tuple[c.Change, ...]:
    """Replace the tasks that have not started; refuse needs that lead nowhere or in a circle.

    A plan that was aborted stays so.
    """
    if state.hold:
        require_active(state)
    patch = make_patch(state, command.tasks, only=command.only)
    changes = tuple(_changes(state, patch))
    if not changes:
        return ()
    cost = () if command.cost is None else charge_replan(state, command.cost, now)
    return (*cost, *revive_changes(state), *changes)


def make_patch(
    state: PlanState, tasks: tuple[NewTask, ...], also: int = 0, only: tuple[int, ...] | None = None
) -> Patch:
    """Return what a new list of tasks would change; refuse what no plan can have.

    `also` is a task in progress that would be returned first. With `only`, no task with another id
    is edited or removed.
    """
    check_tuple(tasks, "tasks")
    if only is not None:
        check_tuple(only, "only")
    check_new_tasks(tasks, "tasks[{}].")
    pending = [
        task
        for task in state.tasks_in_order()
        if (task.status == "pending" or task.id == also) and (only is None or task.id in only)
    ]
    patch = _match(state, tasks, pending)
    _refuse_bad_needs(state, patch)
    return patch


def _match(state: PlanState, tasks: Sequence[NewTask], pending: Sequence[Task]) -> Patch:
    """Match the new tasks with pending ones by name, each once."""
    left = list(pending)
    matches: list[Task | None] = []
    for new in tasks:
        match = next((task for task in left if _name(task) == _name(new)), None)
        matches.append(match)
        if match is not None:
            left.remove(match)
    fresh = iter(range(state.next_id, state.next_id + len(tasks)))
    ids = [next(fresh) if match is None else match.id for match in matches]
    planned = tuple(
        _plan_task(new, match, id_, _needs(state, new, ids, f"tasks[{index}]."), state)
        for index, (new, match, id_) in enumerate(zip(tasks, matches, ids, strict=True))
    )
    return Patch(planned, {task.id: task for task in matches if task is not None}, tuple(left))


def _needs(state: PlanState, new: NewTask, ids: Sequence[int], where: str) -> tuple[int, ...]:
    """Return the ids that a task of the list needs."""
    unknown = [peer for peer in new.peers if not 0 < peer <= len(ids)]
    if unknown:
        raise InvalidDependency("dependency_unknown", argument=f"{where}needs", unknown=unknown)
    known = resolve_needs(state, new.needs, f"{where}needs")
    return tuple(dict.fromkeys((*known, *(ids[peer - 1] for peer in new.peers))))


def _plan_task(
    new: NewTask, match: Task | None, id_: int, needs: tuple[int, ...], state: PlanState
) -> Task:
    """Return a task as planned; what the list leaves out of a known task stays as it was."""
    task = build_task(new, id_, state.default_phase(), needs)
    if match is None:
        return task
    stated = {field: value for field in EDITABLE if (value := getattr(task, field))}
    return replace(match, needs=needs, **stated)


def _refuse_bad_needs(state: PlanState, patch: Patch) -> None:
    removed = {task.id for task in patch.removed}
    for index, task in enumerate(patch.planned):
        lost = [need for need in task.needs if need in removed]
        if lost:
            argument = f"tasks[{index}].needs"
            raise InvalidDependency("dependency_unknown", argument=argument, unknown=lost)
    stays = {
        task.id: task.needs
        for task in state.tasks.values()
        if task.id not in removed and task.id not in patch.old
    }
    refuse_cycles(stays | {task.id: task.needs for task in patch.planned})


def _changes(state: PlanState, patch: Patch) -> Iterator[c.Change]:
    new = [task for task in patch.planned if task.id not in patch.old]
    yield from ordered_add_changes(new, state.tasks)
    for task in patch.planned:
        old = patch.old.get(task.id)
        if old is not None and old != task:
            edited = {field: getattr(task, field) for field in changed_fields(old, task)}
            yield c.TaskEdited(task.id, **edited)
    yield from _removals(state, patch)
    yield from _moves(state, patch)


def changed_fields(old: Task, new: Task) -> list[str]:
    """Return the fields that a new version of a task changes."""
    fields = (*EDITABLE, "needs")
    return [field for field in fields if getattr(old, field) != getattr(new, field)]


def _removals(state: PlanState, patch: Patch) -> Iterator[c.Change]:
    """Remove tasks, dependents first; a task that stays no longer needs them."""
    removed = {task.id for task in patch.removed}
    planned = {task.id for task in patch.planned}
    for task in state.tasks.values():
        if task.id not in removed | planned and removed & set(task.needs):
            yield c.TaskEdited(task.id, needs=tuple(d for d in task.needs if d not in removed))
    left = {task.id: task for task in patch.removed}
    while left:
        needed = {need for task in left.values() for need in task.needs}
        for id_ in [id_ for id_ in left if id_ not in needed]:
            del left[id_]
            yield c.TaskRemoved(id_)


def _moves(state: PlanState, patch: Patch) -> Iterator[c.Change]:
    """Put the planned tasks in the order of the list, if they are all in one phase."""
    phases = {task.phase for task in patch.planned}
    if len(phases) != 1:
        return
    (phase,) = phases
    removed, planned = {task.id for task in patch.removed}, [task.id for task in patch.planned]
    order = [id_ for id_ in state.graph.order if id_ not in removed]
    order += [id_ for id_ in planned if id_ not in patch.old]
    before = [id_ for id_ in order if id_ not in planned and _comes_before(state, id_, phase)]
    previous = before[-1] if before else 0
    for id_ in planned:
        index = order.index(id_)
        if (order[index - 1] if index else 0) != previous:
            yield c.TaskMoved(id_, phase, previous)
            order.remove(id_)
            order.insert(order.index(previous) + 1 if previous else 0, id_)
        previous = id_


def _comes_before(state: PlanState, id_: int, phase: str) -> bool:
    """Return whether a task stands before the planned ones of a phase.

    A pending task of that phase, which the replan leaves alone, stands behind them.
    """
    task = state.tasks[id_]
    if task.phase == phase:
        return task.status != "pending"
    return state.phase_positions[task.phase] <= state.phase_positions[phase]


def _name(task: Task | NewTask) -> str:
    return normalize_name(task.name) or task.name


def move_replan(state: PlanState, command: MoveReplan, _now: datetime) -> tuple[c.Change, ...]:
    """Record a position; the invariants of R3.14 hold in it.

    Its items are the open tasks of the plan behind those that are done. An answer that came after
    the loop read its position still calls for a replan (R3.02), but none is due while a question is
    open. Steps that fall or pass the limit are refused.
    """
    position = align_position(state, _check_position(state, command.position))
    position = position.take_over_answers(state.ledger.replan)
    if position.needs_replan and any(each.kind == "ask" for each in state.open_questions()):
        position = position.clear_replan()
    observation = None if command.observation is None else _cut_observation(command.observation)
    if observation is None and position == state.ledger.replan:
        return ()
    return (c.ReplanMoved(position, observation),)


def align_position(state: PlanState, position: ReplanPosition) -> ReplanPosition:
    """Return a position whose items are the tasks that the plan has now.

    An item that a person has returned, or a reset of the plan, is not done any more.
    """
    open_tasks = [task for task in state.tasks_in_order() if task.status in _OPEN]
    pending = {task.id for task in open_tasks if task.status == "pending"}
    begun = {item for item in position.items if item in state.tasks} - pending
    return position.align((task.id for task in open_tasks), begun)


def _check_position(state: PlanState, position: object) -> ReplanPosition:
    """Refuse a position that is none, or whose steps fall or pass the limit."""
    if type(position) is not ReplanPosition or not _has_shape(position):
        raise wrong_type_error("position", "ReplanPosition", position)
    counts = (
        *(position.steps, position.limit, position.cursor, position.answers),
        *(position.successes, position.failures),
        *(position.failures_in_a_row, position.failed_rounds),
    )
    for count in counts:
        check_number(count, "position", 0, LARGEST_ID)
    for item in position.items:
        check_number(item, "position", 1, LARGEST_ID)
    texts = [position.conclusion, position.snapshot]
    if position.action is not None:
        texts += (position.action.tool, position.action.input)
        check_number(position.action.step, "position", 0, LARGEST_ID)
    for each in texts:
        check_text(each, "position")
    is_within = state.ledger.replan.steps <= position.steps <= position.limit
    if position.cursor > len(position.items) or not is_within:
        raise InvalidArgument("replan_position_invalid", argument="position")
    return position


def _has_shape(value: Struct) -> bool:
    """Return whether each field has the type that it is stored as."""
    try:
        msgspec.convert(msgspec.to_builtins(value), type(value))
    except (msgspec.MsgspecError, TypeError, ValueError):
        return False
    return True


def _cut_observation(observation: object) -> Observation:
    if type(observation) is not Observation or not _has_shape(observation):
        raise wrong_type_error("observation", "Observation", observation)
    return replace(
        observation,
        tool=check_name(observation.tool, "tool"),
        input=check_text(observation.input[:OBSERVATION_CHARACTERS], "input"),
        result=check_text(observation.result[:OBSERVATION_CHARACTERS], "result"),
    )
