"""What the compact tools answer: one line that says what has changed, whatever the plan's size.

The next task is told by its number: what it is called stands in the plan block of every request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain import commands as c
from outlast.domain.changes import TaskAdded
from outlast.domain.limits import check_ref
from outlast.domain.model import MAX_RETRIES
from outlast.domain.state import number
from outlast.errors import InvalidArgument, ToolFailed
from outlast.formats.redact.fast import without_secrets
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outlast.application.plan.advance import Advancing, Standing
    from outlast.application.tools.compact_arguments import Wanted
    from outlast.domain.changes import Commit
    from outlast.domain.state import PlanState

Ref = int | str


def add_tasks(plan: Advancing, tasks: tuple[Wanted, ...], behind: Ref | None) -> str:
    """Add tasks, and begin the next one if nothing is in progress."""
    if not tasks:
        raise InvalidArgument("field_missing", argument="tasks[0].name")
    new = c.AddTasks(plan.read(lambda state: _linked(state, tasks)), behind)
    ids, standing = plan.then_next((new,), _added)
    return _line("delta_added", standing, ids=_range(ids))


def complete_task(plan: Advancing, task: Ref, result: str) -> str:
    """Finish a task and begin the next one."""
    _, standing = plan.advance(check_ref(task, "task"), result)
    return _line("delta_completed", standing)


def fail_task(plan: Advancing, task: Ref, error: str, retry: bool) -> str:  # noqa: FBT001 - as the table says
    """Note a failed attempt and begin the next task, which may be the same one."""
    command = c.Fail(task, plan.actor, without_secrets(error), retry)
    found, standing = plan.then_next((command,), lambda state, _: state.task(task))
    if found.status == "failed":
        return _line("delta_failed", standing, task=found.id)
    tries = {"tries": found.retry_count, "limit": MAX_RETRIES}
    return _line("delta_retried", standing, task=found.id, **tries)


def skip_task(plan: Advancing, task: Ref, reason: str) -> str:
    """Leave a task out and begin the next one."""
    command = c.Skip(task, without_secrets(reason))
    found, standing = plan.then_next((command,), lambda state, _: state.task(task))
    return _line("delta_skipped", standing, task=found.id)


def set_progress(plan: Advancing, task: Ref, current: int, total: int) -> str:
    """Note how far a task has come."""
    found = plan.set_progress(task, current, total)
    return text("delta_progress", task=found.id, current=current, total=total)


def ask_user(_plan: Advancing, _question: str) -> str:
    """Leave it to the loop, which knows whether a person is there."""
    raise ToolFailed("tool_missing", tool="ask_user")


def _line(key: str, standing: Standing, **values: object) -> str:
    done, total = standing.progress.current, standing.progress.total
    return f"{text(key, done=done, total=total, **values)} {_next(standing)}"


def _next(standing: Standing) -> str:
    """Say what is next."""
    if standing.status == "paused":
        return text("delta_paused")
    if standing.current is not None:
        return text("delta_now", task=standing.current.id)
    if standing.status == "completed":
        return text("delta_finished")
    return text("delta_stuck" if standing.status == "failed" else "delta_waiting")


def _added(_state: PlanState, commit: Commit) -> list[int]:
    return [change.task.id for change in commit.changes if isinstance(change, TaskAdded)]


def _range(ids: Sequence[int]) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{ids[0]}-{ids[-1]}"


def _linked(state: PlanState, tasks: Sequence[Wanted]) -> tuple[c.NewTask, ...]:
    """Make tasks that may name others, by name or id; each other by the ids they will have."""
    places: dict[Ref, list[int]] = {}
    for place, wanted in enumerate(tasks, 1):
        places.setdefault(wanted.name, []).append(place)
        places.setdefault(state.next_id + place - 1, []).append(place)
    there = _named(state, tasks)
    return tuple(_new(wanted, places, there, index) for index, wanted in enumerate(tasks))


def _named(state: PlanState, tasks: Sequence[Wanted]) -> dict[Ref, list[int]]:
    """Return the tasks that are there already under the names that are no ids."""
    refs = {ref for wanted in tasks for ref in wanted.after if type(ref) is str}
    names = {ref for ref in refs if state.find(ref) is None}
    found: dict[Ref, list[int]] = {}
    for task in state.tasks.values() if names else ():
        if task.name in names:
            found.setdefault(task.name, []).append(task.id)
    return found


def _new(
    wanted: Wanted,
    places: Mapping[Ref, Sequence[int]],
    there: Mapping[Ref, Sequence[int]],
    index: int,
) -> c.NewTask:
    peers: list[int] = []
    others: list[Ref] = []
    for ref in wanted.after:
        found = places.get(ref) or places.get(number(str(ref)), ())
        known = () if found else there.get(ref, (ref,))
        if len(found) > 1 or len(known) > 1:
            raise InvalidArgument("name_twice", argument=f"tasks[{index}].after", name=ref)
        peers += found
        others += known
    return c.NewTask(name=without_secrets(wanted.name), needs=tuple(others), peers=tuple(peers))
