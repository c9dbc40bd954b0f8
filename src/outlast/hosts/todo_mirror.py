"""Mirror the list that a coding agent keeps for itself into the plan it is attached to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from outlast.errors import CheckFailed, CheckNotApproved, Refused
from outlast.hosts.stop import Refusal, note_refusal
from outlast.model import changes as c
from outlast.model.limits import shorten_name
from outlast.model.markers import normalize_name
from outlast.plan.tools.advance import set_status
from outlast.redact.text_fields import TEXT_BYTES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from outlast.hosts.wire.events import ListedTodo
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_Status = Literal["deleted", "pending", "in_progress"]
_WORK: Final = (c.TaskRetried, c.TaskFailed, c.TaskReopened, c.TaskRestored)
_FINISH: Final = (c.TaskCompleted, c.TaskSkipped)


class Mirrored(Struct, frozen=True):
    """What came of a list: which completions were refused, and our tasks by the agent's ids.

    `done_early` are tasks that are listed as completed, and that tasks before them keep open, as of
    a `revision` of the plan.
    """

    refusals: tuple[Refusal, ...]
    ids: dict[str, int]
    done_early: tuple[int, ...] = ()
    revision: int = 0


def mirror_todos(
    plan: Plan,
    todos: Iterable[ListedTodo],
    ids: dict[str, int],
    done_early: Collection[int] = (),
    since: int = 0,
) -> Mirrored:
    """Give each listed task its status in the plan; add new ones, and leave the unlisted alone.

    Deletions come first, since other tasks may wait for them, and starts last, so that one task at
    a time is in progress. The plan's order counts: a task that was `done_early` is completed when
    the tasks before it are finished, unless it was worked on `since` that revision. Nothing is
    started while a check of what was listed as completed is red.
    """
    known = dict(ids)
    listed = [
        (task, todo.status)
        for todo in todos
        if (task := _find_or_add(plan, todo, known)) is not None
    ]
    stated = {task for task, status in listed if status}
    early = _still_done_early(plan, done_early, since) if done_early else ()
    done = [task for task in early if task not in stated]
    done += [task for task, status in listed if status == "completed"]
    _set_listed(plan, listed, "deleted")
    refusals, waiting = _complete_in_order(plan, dict.fromkeys(done))
    _set_listed(plan, listed, "pending")
    if not any(isinstance(refusal.error, CheckFailed) for refusal in refusals):
        _set_listed(plan, listed, "in_progress")
    return Mirrored(refusals, known, waiting, plan.core.read(lambda state: state.revision))


def _still_done_early(plan: Plan, tasks: Iterable[int], since: int) -> tuple[int, ...]:
    """Return those of tasks that are open, and that nobody has worked on since a revision."""
    worked_on = set[int]()
    for commit in plan.core.store.history(since):
        if any(isinstance(change, c.PlanReset) for change in commit.changes):
            return ()
        worked_on |= {change.id for change in commit.changes if isinstance(change, _WORK)}
        if not any(isinstance(change, _FINISH) for change in commit.changes):  # it starts the next
            worked_on |= {each.id for each in commit.changes if isinstance(each, c.TaskStarted)}
    return plan.core.read(
        lambda state: tuple(
            task
            for task in tasks
            if task in state.tasks and not state.tasks[task].finished and task not in worked_on
        )
    )


def _complete_in_order(
    plan: Plan, tasks: Iterable[int]
) -> tuple[tuple[Refusal, ...], tuple[int, ...]]:
    """Complete tasks; return which are refused, and which still wait for tasks before them."""
    waiting, refusals = [*tasks], list[Refusal]()
    while True:
        left = []
        for task in waiting:
            try:
                set_status(plan, task, "completed")
            except (CheckFailed, CheckNotApproved) as error:
                refusals.append(note_refusal(plan, task, error))
            except Refused:  # such as an earlier task that is still open
                left.append(task)
        if len(left) == len(waiting):
            return tuple(refusals), tuple(left)
        waiting = left


def _find_or_add(plan: Plan, todo: ListedTodo, known: dict[str, int]) -> int | None:
    """Return the task of an entry; None if it has none: the plan never had it, or has lost it."""
    name = shorten_name(todo.name)
    description = todo.description if name == todo.name else f"{todo.name}\n\n{todo.description}"
    description = description.strip().encode()[:TEXT_BYTES].decode(errors="ignore")
    own = known.get(todo.id, 0)
    if own:
        found = plan.core.read(lambda state: state.tasks.get(own))
        if found is None:  # a person has removed it
            return None
        _edit(plan, own, name or found.name, description or found.description)
        return own
    if not name:
        return None
    taken = set(known.values())
    task = plan.core.read(lambda state: _find_by_name(state, name, taken if todo.id else set()))
    if task is None:
        active_form = shorten_name(todo.active_form)
        task = plan.add(name, description=description, active_form=active_form).id
    if todo.id:
        known[todo.id] = task
    return task


def _edit(plan: Plan, task: int, name: str, description: str) -> None:
    try:
        plan.update(task, name=name, description=description)
    except Refused:  # it is in progress or finished: what the plan says of it stays
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


def _set_listed(plan: Plan, listed: Iterable[tuple[int, str]], status: _Status) -> None:
    for task, wanted in listed:
        if wanted == status:
            _set_status(plan, task, status)


def _set_status(plan: Plan, task: int, status: _Status) -> None:
    try:
        now = plan.task(task)
        if status == "deleted":
            if not now.finished:
                plan.skip(task)
        elif status == "pending":
            if now.status == "in_progress":
                plan.return_task(task)
        else:
            current = plan.current()
            if current is not None and current.id != task:
                plan.return_task(current.id)
            set_status(plan, task, "in_progress")
    except Refused:  # such as an earlier task that is still open: the plan's order counts
        return
