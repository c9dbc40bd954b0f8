"""The list of tasks: add, edit, move, remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.errors import InvalidArgument, InvalidDependency, TaskNotEditable
from outlast.model import changes as c
from outlast.model.budget import NO_LIMIT
from outlast.model.commands import AddTasks, Charge, EditTask, MoveTask, NewTask, RemoveTask
from outlast.model.decide.preconditions import revive_changes
from outlast.model.dependencies import (
    refuse_cycle,
    refuse_cycles,
    refuse_later_needs,
    resolve_needs,
)
from outlast.model.limits import (
    LARGEST_LIST,
    check_flag,
    check_form,
    check_name,
    check_ref,
    check_rule,
    check_text,
    check_tuple,
    wrong_type_error,
)
from outlast.model.model import Task
from outlast.model.state import task_number

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from datetime import datetime

    from outlast.model.state import PlanState

_NONE: Final[tuple[object, ...]] = ()
RULES: Final = ("checks", "run", "files", "protect")  # what an attempt itself must not change
TEXTS: Final = tuple(
    name
    for name in NewTask.__struct_fields__
    if name in Task.__struct_fields__ and name not in ("name", "phase", "needs", "alias", *RULES)
)
EDITABLE: Final = ("name", *TEXTS, *RULES)  # the content of a task, whatever its place


def add(state: PlanState, command: AddTasks, now: datetime) -> tuple[c.Change, ...]:
    """Add tasks, all or none."""
    if command.insert_after is not None:
        check_ref(command.insert_after, "insert_after")
    check_tuple(command.tasks, "tasks")
    where = "tasks[{}]." if len(command.tasks) > 1 else ""
    once = check_flag(command.once, "once")
    tasks, reopened = _drop_known_tasks(state, command.tasks) if once else (command.tasks, ())
    is_last = check_flag(command.last_phase, "last_phase")
    phase = next(reversed(state.phases)) if is_last else None
    changes = (*reopened, *new_task_changes(state, tasks, where, command.insert_after, phase))
    if changes and command.cost is not None:
        return (*charge_replan(state, command.cost, now), *revive_changes(state), *changes)
    return (*revive_changes(state), *changes) if changes else ()


def charge_replan(state: PlanState, cost: Charge, now: datetime) -> tuple[c.Change, ...]:
    """Return the cost of a new list of tasks; the first one of a plan costs nothing."""
    from outlast.model.decide.budget import charge
    from outlast.model.plan_costs import has_work_started

    if type(cost) is not Charge:
        raise wrong_type_error("cost", "Charge", cost)
    return charge(state, replace(cost, limited=True), now) if has_work_started(state) else ()


def _drop_known_tasks(
    state: PlanState, tasks: Sequence[NewTask]
) -> tuple[tuple[NewTask, ...], tuple[c.Change, ...]]:
    """Drop new tasks that the plan has, and return the changes that reopen one of them.

    A finished task may be added again, unless the new tasks list the plan again: they name several
    of its tasks, or all. One whose completion was only assumed is reopened instead.
    """
    from outlast.model.markers import normalize_name  # late: only agents need it

    finished_first = sorted(state.tasks.values(), key=lambda task: not task.finished)
    known = {normalize_name(task.name) or task.name: task for task in finished_first}
    wanted = {normalize_name(new.name) or new.name: new for new in tasks}
    named = {name: known[name] for name in wanted if name in known}
    reopened: tuple[c.Change, ...] = ()
    if len(named) == 1:
        (task,) = named.values()
        if task.is_assumed:
            reopened = (c.TaskReopened(task.id),)
        elif task.finished and len(known) > 1:
            named = {}
    return tuple(new for name, new in wanted.items() if name not in named), reopened


def new_task_changes(
    state: PlanState,
    tasks: Sequence[NewTask],
    where: str,
    after: int | str | None = None,
    phase: str | None = None,
) -> tuple[c.Change, ...]:
    """Return the changes that add new tasks, which may need each other.

    `where` is the path of a task in error messages, `phase` that of tasks which name none.
    """
    check_new_tasks(tasks, where)
    if not tasks:
        return ()
    previous = None if after is None else state.task(after)
    default = phase or state.default_phase()
    phases = [_phase_for(state, new.phase, previous, default) for new in tasks]
    changes = [_build_task(state, index, tasks, each, where) for index, each in enumerate(phases)]
    if any(new.alias for new in tasks):
        changes = _honour_aliases(state, changes, where)
    if any(new.peers for new in tasks):
        refuse_cycles({task.id: task.needs for task in changes})
    if state.order == "sequential":
        _refuse_later_needs_in_batch(state, changes, previous)
    return (*ordered_add_changes(changes, state.tasks, previous), *_budget_changes(tasks, changes))


def _honour_aliases(state: PlanState, tasks: Sequence[Task], where: str) -> list[Task]:
    """Return tasks with their aliases; the number that a task gets anyway needs none."""
    known = set(state.aliases)
    honoured = []
    for index, task in enumerate(tasks):
        alias, argument = task.alias, f"{where.format(index)}id"
        number = task_number(alias)
        if number not in (0, task.id):
            raise InvalidArgument("id_not_free", argument=argument, id=alias, number=task.id)
        if alias in known:
            raise InvalidArgument("id_twice", argument=argument, id=alias)
        if alias and not number:
            known.add(alias)
        honoured.append(replace(task, alias="") if number else task)
    return honoured


def _budget_changes(tasks: Sequence[NewTask], changes: Sequence[Task]) -> tuple[c.Change, ...]:
    """Return the changes that set the budgets of new tasks."""
    limited = [index for index, new in enumerate(tasks) if new.budget != NO_LIMIT]
    if not limited:
        return ()
    from outlast.model.decide.budget import initial_budget

    return tuple(initial_budget(tasks[index].budget, changes[index].id) for index in limited)


def check_new_tasks(tasks: Sequence[NewTask], where: str) -> None:
    """Refuse new tasks with invalid values."""
    check_tuple(tasks, "tasks")
    for index, new in enumerate(tasks):
        _check_new_task(new, where.format(index))


def ordered_add_changes(
    tasks: Sequence[Task], known: Container[int], previous: Task | None = None
) -> tuple[c.Change, ...]:
    """Return the additions in order; needs on later tasks are linked afterwards."""
    added: list[c.Change] = []
    linked: list[c.Change] = []
    seen: set[int] = set()
    after = None if previous is None else previous.id
    for task in tasks:
        if all(d in seen or d in known for d in task.needs):
            added.append(c.TaskAdded(task, after))
        else:
            added.append(c.TaskAdded(replace(task, needs=()), after))
            linked.append(c.TaskEdited(task.id, needs=task.needs))
        seen.add(task.id)
        after = None if after is None else task.id
    return (*added, *linked)


def edit(state: PlanState, command: EditTask, now: datetime) -> tuple[c.Change, ...]:
    """Edit a pending or failed task; a person may amend others."""
    check_ref(command.task, "task")
    check_flag(command.amend, "amend")
    check_fields(command, "")
    if command.name is not None:
        check_name(command.name, "name")
    if command.result is not None:
        check_text(command.result, "result")
    if command.needs is not None:
        check_tuple(command.needs, "needs")
        for ref in command.needs:
            check_ref(ref, "needs")
    task = state.task(command.task)
    if not command.amend and task.status not in ("pending", "failed"):
        raise TaskNotEditable("task_not_editable", task_id=task.id, status=task.status)
    if command.result is not None and not task.finished:
        raise TaskNotEditable("no_result_yet", task_id=task.id, status=task.status)
    wanted = {
        field: value
        for field in (*EDITABLE, "result")
        if (value := getattr(command, field)) is not None and value != getattr(task, field)
    }
    if task.status == "in_progress" and not wanted.keys().isdisjoint(RULES):
        _require_rest(state, task, now)
    if command.needs is not None:
        needs = _check_needs(state, task, command.needs)
        if needs != task.needs:
            wanted["needs"] = needs
    return (c.TaskEdited(task.id, **wanted),) if wanted else ()


def _require_rest(state: PlanState, task: Task, now: datetime) -> None:
    """Refuse to change the rules of a task that somebody works on now, or has claimed.

    Between two attempts of a run a person may correct a check that is wrong.
    """
    from outlast.model.decide.claims import refuse_claimed

    refuse_claimed(state, task.id, now)
    if any(attempt.task == task.id for attempt in state.ledger.attempts.values()):
        raise TaskNotEditable("checks_locked", task_id=task.id, status=task.status)


def _check_needs(state: PlanState, task: Task, refs: tuple[int | str, ...]) -> tuple[int, ...]:
    """Return the ids of what a task is to need; refuse a cycle, and a later task of a sequence."""
    needs = resolve_needs(state, refs)
    refuse_cycle(state, task.id, needs)
    if state.order == "sequential":
        before = state.graph.is_before
        refuse_later_needs(task.id, (d for d in needs if before(task.id, d)))
    return needs


def move(state: PlanState, command: MoveTask, _now: datetime) -> tuple[c.Change, ...]:
    """Move a task in the list order, within its phase or to another."""
    check_ref(command.task, "task")
    if command.insert_after is not None:
        check_ref(command.insert_after, "insert_after")
    check_flag(command.first, "first")
    task = state.task(command.task)
    previous = None if command.insert_after is None else state.task(command.insert_after)
    if previous is task:
        raise InvalidArgument("after_itself", argument="insert_after", task_id=task.id)
    phase = _phase_for(state, command.phase, previous, task.phase)
    after = (
        previous.id if previous else _predecessor_in_phase(state, task, phase, first=command.first)
    )
    if after == state.graph.predecessor(task.id) and phase == task.phase:
        return ()
    if state.order == "sequential":
        _refuse_later_after_move(state, task, after)
    return (c.TaskMoved(task.id, phase, after),)


def remove(state: PlanState, command: RemoveTask, _now: datetime) -> tuple[c.Change, ...]:
    """Remove a pending task that no task needs; a person may remove any not in progress."""
    check_ref(command.task, "task")
    check_flag(command.amend, "amend")
    task = state.task(command.task)
    if task.status != "pending" and (task.status == "in_progress" or not command.amend):
        raise TaskNotEditable("task_not_removable", task_id=task.id, status=task.status)
    dependents = state.graph.sort(state.graph.dependents.get(task.id, ()))
    if dependents and not command.amend:
        raise InvalidDependency("task_needed", task_id=task.id, dependents=dependents)
    freed = (_without_need(state.tasks[dependent], task.id) for dependent in dependents)
    return (*freed, c.TaskRemoved(task.id))


def _without_need(task: Task, dependency: int) -> c.TaskEdited:
    left = tuple(d for d in task.needs if d != dependency)
    return c.TaskEdited(task.id, needs=left)


def _check_new_task(new: NewTask, where: str) -> None:
    if type(new) is not NewTask:
        raise wrong_type_error(where.rstrip(".") or "tasks", "NewTask", new)
    check_name(new.name, f"{where}name")
    check_tuple(new.needs, f"{where}needs")
    check_tuple(new.peers, f"{where}peers")
    check_fields(new, where)
    if new.budget != NO_LIMIT:
        from outlast.model.decide.budget import check_budget

        check_budget(new.budget, f"{where}budget")
    if new.alias != "":
        if type(new.alias) is not str:
            raise wrong_type_error(f"{where}id", "str", new.alias)
        check_ref(new.alias, f"{where}id")
    for ref in new.needs:
        check_ref(ref, f"{where}needs")
    for peer in new.peers:
        if type(peer) is not int:
            raise wrong_type_error(f"{where}peers", "int", peer)


def _build_task(
    state: PlanState, index: int, tasks: Sequence[NewTask], phase: str, where: str
) -> Task:
    new, first = tasks[index], state.next_id
    argument = f"{where.format(index)}needs"
    unknown = [peer for peer in new.peers if not 0 < peer <= len(tasks)]
    if unknown:
        raise InvalidDependency("dependency_unknown", argument=argument, unknown=unknown)
    known = resolve_needs(state, new.needs, argument)
    needs = tuple(dict.fromkeys((*known, *(first + peer - 1 for peer in new.peers))))
    return build_task(new, first + index, phase, needs)


def build_task(new: NewTask, id_: int, phase: str, needs: tuple[int, ...]) -> Task:
    """Return a new task as it is stored."""
    return Task(
        id=id_,
        name=new.name,
        phase=phase,
        needs=needs,
        reasoning=new.reasoning,
        description=new.description,
        active_form=new.active_form,
        kind=new.kind,
        checks=new.checks,
        run=new.run,
        files=new.files,
        protect=new.protect,
        constraints=new.constraints,
        expected=new.expected,
        alias=new.alias,
    )


def _phase_for(state: PlanState, wanted: str | None, previous: Task | None, default: str) -> str:
    """Return the phase of a task: the named one, else that of the task before it."""
    if wanted is None:
        return previous.phase if previous else default
    phase = state.phase(wanted).id
    if previous and previous.phase != phase:
        raise InvalidArgument(
            "after_in_other_phase",
            argument="insert_after",
            task_id=previous.id,
            phase=previous.phase,
        )
    return phase


def _predecessor_in_phase(state: PlanState, task: Task, phase: str, *, first: bool) -> int:
    """Return the task to insert after, for the front or the end of a phase."""
    order = state.graph.order
    index = state.graph.end_of_phase(state.phase_positions[phase] - first, state.phase_position)
    if index and order[index - 1] == task.id:
        index -= 1
    return order[index - 1] if index else 0


def _refuse_later_after_move(state: PlanState, task: Task, after: int) -> None:
    graph = state.graph

    def comes_first(other: int) -> bool:
        return bool(after) and (other == after or graph.is_before(other, after))

    refuse_later_needs(task.id, (d for d in task.needs if not comes_first(d)))
    for dependent in graph.dependents.get(task.id, ()):
        if comes_first(dependent):
            refuse_later_needs(dependent, (task.id,))


def _refuse_later_needs_in_batch(
    state: PlanState, changes: Sequence[Task], previous: Task | None
) -> None:
    """Refuse new tasks of a sequence that need a task which comes after them."""
    places, precedes = state.phase_positions, state.graph.is_before
    position = {task.id: (places[task.phase], index) for index, task in enumerate(changes)}

    def is_later(task: Task, other: int) -> bool:
        if other in position:
            return position[other] > position[task.id]
        if previous:
            return precedes(previous.id, other)
        return state.phase_position(other) > places[task.phase]

    for task in changes:
        refuse_later_needs(task.id, (d for d in task.needs if is_later(task, d)))


# The fields of a task


def check_fields(fields: NewTask | EditTask, where: str) -> None:
    """Refuse texts and rules that no task can have; None is skipped."""
    for field in TEXTS:
        value = getattr(fields, field)
        if value is not None:
            check_text(value, where + field)
    check_task_rules(fields, where)
    for check in fields.checks or ():
        check_form(check, f"{where}checks")


def check_task_rules(fields: NewTask | EditTask | Task, where: str) -> None:
    """Refuse invalid checks, commands and patterns."""
    if fields.run is not None and fields.run != "":
        check_name(fields.run, f"{where}run")
    if fields.checks is not _NONE:  # most tasks have the empty tuple, which is a singleton
        _check_each(fields.checks, f"{where}checks", check_rule)
    if fields.files is not _NONE:
        _check_each(fields.files, f"{where}files", _check_pattern)
    if fields.protect is not _NONE:
        _check_each(fields.protect, f"{where}protect", _check_pattern)


def _check_each(
    values: tuple[object, ...] | None, argument: str, check: Callable[[object, str], object]
) -> None:
    if values is not None:
        check_tuple(values, argument, LARGEST_LIST)
        for value in values:
            check(value, argument)


def _check_pattern(pattern: object, argument: str) -> None:
    """Refuse a pattern that leads out of the workspace."""
    named = check_name(pattern, argument)
    if named.startswith("/") or ".." in named.split("/"):
        raise InvalidArgument("pattern_outside", argument=argument, pattern=named)
