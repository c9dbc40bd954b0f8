"""Mirror the list that a coding agent keeps for itself into the plan it is attached to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from outlast.application.hosts.refusal import Refusal
from outlast.application.tools.advance import set_status
from outlast.domain.limits import NAME_CHARACTERS
from outlast.domain.replies.markers import normalize_name
from outlast.errors import CheckFailed, CheckNotApproved, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.application.plan.plan import Plan
    from outlast.domain.state import PlanState
    from outlast.formats.hosts.events import ListedTodo


class Mirrored(Struct, frozen=True):
    """What came of a list: which completions were refused, and our tasks by the agent's ids."""

    refusals: tuple[Refusal, ...]
    ids: dict[str, int]


def mirror_todos(plan: Plan, todos: Iterable[ListedTodo], ids: dict[str, int]) -> Mirrored:
    """Give each listed task its status in the plan; add new ones, and leave the unlisted alone.

    Completions come first and starts last, so that one task at a time is in progress. Nothing is
    started while a check of what was listed as completed is red.
    """
    known, refusals = dict(ids), list[Refusal]()
    listed = [(todo, _find_or_add(plan, todo, known)) for todo in todos]
    for status in ("completed", "deleted", "pending", "in_progress"):
        is_red = any(isinstance(refusal.error, CheckFailed) for refusal in refusals)
        if status == "in_progress" and is_red:
            break
        for todo, task in listed:
            if todo.status != status or task is None:
                continue
            refusal = _set_status(plan, task, todo)
            if refusal is not None:
                refusals.append(refusal)
    return Mirrored(tuple(refusals), known)


def _find_or_add(plan: Plan, todo: ListedTodo, known: dict[str, int]) -> int | None:
    """Return the task of an entry; None if it has none: the plan never had it, or has lost it."""
    name = _shorten(todo.name)
    own = known.get(todo.id, 0)
    if own:
        found = plan.core.read(lambda state: state.tasks.get(own))
        if found is None:  # a person has removed it
            return None
        if name and name != found.name:
            _rename(plan, own, name)
        return own
    if not name:
        return None
    taken = set(known.values())
    task = plan.core.read(lambda state: _find_by_name(state, name, taken if todo.id else set()))
    if task is None:
        description = "" if name == todo.name else todo.name
        active_form = _shorten(todo.active_form)
        task = plan.add(name, description=description, active_form=active_form).id
    if todo.id:
        known[todo.id] = task
    return task


def _shorten(name: str) -> str:
    return name if len(name) <= NAME_CHARACTERS else f"{name[: NAME_CHARACTERS - 1]}…"


def _rename(plan: Plan, task: int, name: str) -> None:
    try:
        plan.update(task, name=name)
    except Refused:  # it is in progress or finished: the plan's name for it stays
        return


def _find_by_name(state: PlanState, name: str, taken: set[int]) -> int | None:
    wanted = normalize_name(name)
    return next(
        (
            task.id
            for task in state.tasks_in_order()
            if task.id not in taken and normalize_name(task.name) == wanted
        ),
        None,
    )


def _set_status(plan: Plan, task: int, todo: ListedTodo) -> Refusal | None:
    try:
        if todo.status == "in_progress":
            current = plan.current()
            if current is not None and current.id != task:
                plan.return_task(current.id)
            set_status(plan, task, "in_progress")
        elif todo.status == "completed":
            set_status(plan, task, "completed")
        elif todo.status == "deleted":
            _drop(plan, task)
        elif todo.status == "pending" and plan.task(task).status == "in_progress":
            plan.return_task(task)
    except (CheckFailed, CheckNotApproved) as error:
        return Refusal(task, error)
    except Refused:  # such as an earlier task that is still open: the plan's order counts
        return None
    return None


def _drop(plan: Plan, task: int) -> None:
    if not plan.task(task).finished:
        plan.skip(task)
