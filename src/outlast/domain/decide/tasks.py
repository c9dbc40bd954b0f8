"""Which tasks there are: add, edit, move, remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain import changes as c
from outlast.domain.budget import NO_LIMIT
from outlast.domain.commands import NewTask
from outlast.domain.decide.fields import RULES, check_fields
from outlast.domain.decide.work import revive
from outlast.domain.dependencies import refuse_cycle, refuse_cycles, refuse_later, resolve
from outlast.domain.limits import check_flag, check_name, check_ref, check_tuple, wrong_type
from outlast.domain.model import Task
from outlast.errors import InvalidArgument, InvalidDependency, TaskNotEditable

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from datetime import datetime

    from outlast.domain.commands import AddTasks, EditTask, MoveTask, RemoveTask
    from outlast.domain.loop_commands import Charge
    from outlast.domain.state import PlanState

_EDITED: Final = ("name", "reasoning", "active_form", "kind", *RULES)


def add(state: PlanState, command: AddTasks, now: datetime) -> tuple[c.Change, ...]:
    """Add tasks, all or none."""
    if command.insert_after is not None:
        check_ref(command.insert_after, "after_task_id")
    check_tuple(command.tasks, "tasks")
    where = "tasks[{}]." if len(command.tasks) > 1 else ""
    once = check_flag(command.once, "once")
    tasks = _not_open(state, command.tasks) if once else command.tasks
    made = batch(state, tasks, where, command.insert_after)
    if made and command.cost is not None:
        return (*_paid(state, command.cost, now), *revive(state), *made)
    return (*revive(state), *made) if made else ()


def _paid(state: PlanState, cost: Charge, now: datetime) -> tuple[c.Change, ...]:
    from outlast.domain.costs import is_worked_on  # which a process without an agent need not load
    from outlast.domain.decide.budgets import pay

    return pay(state, cost, now) if is_worked_on(state) else ()


def _not_open(state: PlanState, tasks: Sequence[NewTask]) -> tuple[NewTask, ...]:
    """Return those that are not among the unfinished tasks already."""
    known = {task.name for task in state.tasks.values() if not task.finished}
    return tuple(new for new in tasks if new.name not in known)


def batch(
    state: PlanState, tasks: Sequence[NewTask], where: str, after: int | str | None = None
) -> tuple[c.Change, ...]:
    """Return the additions for new tasks that may depend on each other.

    `where` is how a message names the place of a task in what was given.
    """
    check_batch(tasks, where)
    if not tasks:
        return ()
    behind = None if after is None else state.task(after)
    default = state.default_phase()
    phases = [_phase(state, new.phase, behind, default) for new in tasks]
    made = [_make(state, index, tasks, phase, where) for index, phase in enumerate(phases)]
    if any(new.peers for new in tasks):
        refuse_cycles({task.id: task.needs for task in made})
    if state.order == "sequential":
        _refuse_later_in_batch(state, made, behind)
    return (*additions(made, state.tasks, behind), *_limits(tasks, made))


def _limits(tasks: Sequence[NewTask], made: Sequence[Task]) -> tuple[c.Change, ...]:
    """Return the budgets that new tasks bring along."""
    limited = [index for index, new in enumerate(tasks) if new.budget != NO_LIMIT]
    if not limited:
        return ()
    from outlast.domain.decide.budgets import limit

    return tuple(limit(tasks[index].budget, made[index].id) for index in limited)


def check_batch(tasks: Sequence[NewTask], where: str) -> None:
    """Refuse new tasks with a value that no task can have."""
    check_tuple(tasks, "tasks")
    for index, new in enumerate(tasks):
        _check_new(new, where.format(index))


def additions(
    tasks: Sequence[Task], known: Container[int], behind: Task | None = None
) -> tuple[c.Change, ...]:
    """Return the additions in order; a dependency on a task further down is given afterwards."""
    added: list[c.Change] = []
    linked: list[c.Change] = []
    seen: set[int] = set()
    after = None if behind is None else behind.id
    for task in tasks:
        if all(d in seen or d in known for d in task.needs):
            added.append(c.TaskAdded(task, after))
        else:
            added.append(c.TaskAdded(replace(task, needs=()), after))
            linked.append(c.TaskEdited(task.id, needs=task.needs))
        seen.add(task.id)
        after = None if after is None else task.id
    return (*added, *linked)


def edit(state: PlanState, command: EditTask, _now: datetime) -> tuple[c.Change, ...]:
    """Change a task that nobody works on and that is not finished; a person may amend others."""
    check_ref(command.task, "task_id")
    check_flag(command.amend, "amend")
    check_fields(command, "")
    if command.name is not None:
        check_name(command.name, "name")
    if command.needs is not None:
        check_tuple(command.needs, "dependencies")
        for ref in command.needs:
            check_ref(ref, "dependencies")
    task = state.task(command.task)
    if not command.amend and task.status not in ("pending", "failed"):
        raise TaskNotEditable("task_not_editable", task_id=task.id, status=task.status)
    wanted = {
        field: value
        for field in _EDITED
        if (value := getattr(command, field)) is not None and value != getattr(task, field)
    }
    if task.status == "in_progress" and not wanted.keys().isdisjoint(RULES):
        raise TaskNotEditable("checks_under_way", task_id=task.id, status=task.status)
    if command.needs is not None:
        dependencies = resolve(state, command.needs)
        refuse_cycle(state, task.id, dependencies)
        if state.order == "sequential":
            before = state.graph.precedes
            refuse_later(task.id, (d for d in dependencies if before(task.id, d)))
        if dependencies != task.needs:
            wanted["needs"] = dependencies
    return (c.TaskEdited(task.id, **wanted),) if wanted else ()


def move(state: PlanState, command: MoveTask, _now: datetime) -> tuple[c.Change, ...]:
    """Give a task another place in the list order, within its phase or in another."""
    check_ref(command.task, "task_id")
    if command.insert_after is not None:
        check_ref(command.insert_after, "after_task_id")
    check_flag(command.first, "first")
    task = state.task(command.task)
    behind = None if command.insert_after is None else state.task(command.insert_after)
    if behind is task:
        raise InvalidArgument("after_itself", argument="after_task_id", task_id=task.id)
    phase = _phase(state, command.phase, behind, task.phase)
    after = behind.id if behind else _neighbour(state, task, phase, first=command.first)
    if after == state.graph.before(task.id) and phase == task.phase:
        return ()
    if state.order == "sequential":
        _refuse_move(state, task, after)
    return (c.TaskMoved(task.id, phase, after),)


def remove(state: PlanState, command: RemoveTask, _now: datetime) -> tuple[c.Change, ...]:
    """Remove a pending task that nothing depends on; a person may remove any that rests."""
    check_ref(command.task, "task_id")
    check_flag(command.amend, "amend")
    task = state.task(command.task)
    if task.status != "pending" and (task.status == "in_progress" or not command.amend):
        raise TaskNotEditable("task_not_removable", task_id=task.id, status=task.status)
    dependents = state.graph.sort(state.graph.dependents.get(task.id, ()))
    if dependents and not command.amend:
        raise InvalidDependency("task_needed", task_id=task.id, dependents=dependents)
    freed = (_without(state.tasks[dependent], task.id) for dependent in dependents)
    return (*freed, c.TaskRemoved(task.id))


def _without(task: Task, dependency: int) -> c.TaskEdited:
    left = tuple(d for d in task.needs if d != dependency)
    return c.TaskEdited(task.id, needs=left)


def _check_new(new: NewTask, where: str) -> None:
    if type(new) is not NewTask:
        raise wrong_type(where.rstrip(".") or "tasks", "NewTask", new)
    check_name(new.name, f"{where}name")
    check_tuple(new.needs, f"{where}dependencies")
    check_tuple(new.peers, f"{where}peers")
    check_fields(new, where)
    if new.budget != NO_LIMIT:
        from outlast.domain.decide.budgets import check_budget

        check_budget(new.budget, f"{where}budget")
    for ref in new.needs:
        check_ref(ref, f"{where}dependencies")
    for peer in new.peers:
        if type(peer) is not int:
            raise wrong_type(f"{where}peers", "integer", peer)


def _make(state: PlanState, index: int, tasks: Sequence[NewTask], phase: str, where: str) -> Task:
    new, first = tasks[index], state.next_id
    argument = f"{where.format(index)}dependencies"
    unknown = [peer for peer in new.peers if not 0 < peer <= len(tasks)]
    if unknown:
        raise InvalidDependency("dependency_unknown", argument=argument, unknown=unknown)
    known = resolve(state, new.needs, argument)
    return Task(
        id=first + index,
        name=new.name,
        phase=phase,
        needs=tuple(dict.fromkeys((*known, *(first + peer - 1 for peer in new.peers)))),
        reasoning=new.reasoning,
        active_form=new.active_form,
        kind=new.kind,
        checks=new.checks,
        run=new.run,
        files=new.files,
        protect=new.protect,
    )


def _phase(state: PlanState, wanted: str | None, behind: Task | None, default: str) -> str:
    """Return the phase in which a task goes: the one named, else that of the task before it."""
    if wanted is None:
        return behind.phase if behind else default
    phase = state.phase(wanted).id
    if behind and behind.phase != phase:
        raise InvalidArgument(
            "after_in_other_phase", argument="after_task_id", task_id=behind.id, phase=behind.phase
        )
    return phase


def _neighbour(state: PlanState, task: Task, phase: str, *, first: bool) -> int:
    """Return the task that another would stand behind at the front or the end of a phase."""
    order = state.graph.order
    index = state.graph.end_of(state.places[phase] - first, state.place_of)
    if index and order[index - 1] == task.id:
        index -= 1
    return order[index - 1] if index else 0


def _refuse_move(state: PlanState, task: Task, after: int) -> None:
    graph = state.graph

    def comes_first(other: int) -> bool:
        return bool(after) and (other == after or graph.precedes(other, after))

    refuse_later(task.id, (d for d in task.needs if not comes_first(d)))
    for dependent in graph.dependents.get(task.id, ()):
        if comes_first(dependent):
            refuse_later(dependent, (task.id,))


def _refuse_later_in_batch(state: PlanState, made: Sequence[Task], behind: Task | None) -> None:
    """Refuse new tasks of a sequence that depend on one which would stand after them."""
    places, precedes = state.places, state.graph.precedes
    position = {task.id: (places[task.phase], index) for index, task in enumerate(made)}

    def is_later(task: Task, other: int) -> bool:
        if other in position:
            return position[other] > position[task.id]
        if behind:
            return precedes(behind.id, other)
        return state.place_of(other) > places[task.phase]

    for task in made:
        refuse_later(task.id, (d for d in task.needs if is_later(task, d)))
