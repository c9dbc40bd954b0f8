"""Merge deletions: tasks without a line, and whether a person has to confirm so many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain.commands import RemoveTask
from outlast.formats.markdown.merge.conflicts import Location
from outlast.formats.markdown.merge.identity import has_ids
from outlast.formats.markdown.merge.status import is_reopened, wanted_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.domain.model import Task
    from outlast.formats.markdown.document import Item
    from outlast.formats.markdown.merge.conflicts import MergeContext

_MOST_UNCONFIRMED: Final = 2
_SHOWN: Final = ("name", "description", "status", "checks", "run", "files", "protect")


def missing_tasks(context: MergeContext, tasks: Mapping[int, int]) -> list[Task]:
    """Return the tasks of the base that are still in the plan and have no line in the file."""
    matched = set(tasks.values())
    current = context.current.tasks
    return [t for t in context.base.tasks_in_order() if t.id in current and t.id not in matched]


def choose_removals(context: MergeContext, missing: Iterable[Task]) -> set[int]:
    """Return the missing tasks that are to be removed; report those that stay.

    A task stays if its line is inside a code block or a comment, or if it changed in the plan
    since. Without a base all stay.
    """
    removed: set[int] = set()
    names = frozenset() if has_ids(context) else context.document.hidden_names
    for task in missing:
        if task.id in context.document.hidden or task.name in names:
            context.report("task_plan_hidden", 0, task_id=task.id)
        elif not context.is_base_known:
            context.report("task_plan_missing", 0, task_id=task.id)
        elif _visible_fields(context.current.tasks[task.id]) != _visible_fields(task):
            context.report("task_plan_missing_changed", 0, task_id=task.id)
        else:
            removed.add(task.id)
    return removed


def add_removals(context: MergeContext, removed: Iterable[int]) -> None:
    """Remove tasks."""
    for task in removed:
        context.add_edit("gone", Location(0, f"task:{task}"), RemoveTask(task, amend=True))


def request_confirmation(
    context: MergeContext, tasks: Mapping[int, int], removed: Iterable[int]
) -> bool:
    """Report and return True if too many tasks would be removed or reopened by mistake.

    Removals count only if the file has no ids or no last line: then it may be incomplete. A line
    counts as reopened only without the id of its task. A blank file is more likely an accident.
    """
    lost = [] if has_ids(context) and context.document.revision is not None else sorted(removed)
    reopened = [
        tasks[item.line]
        for item in context.document.items()
        if item.id != tasks.get(item.line) and _is_reopened(context, tasks.get(item.line), item)
    ]
    is_blank = not any(map(str.strip, context.document.lines))
    if len(lost) + len(reopened) <= (0 if is_blank else _MOST_UNCONFIRMED):
        return False
    context.reports.clear()
    context.report("task_plan_held_back", 0, removed=lost, reopened=reopened)
    return True


def _is_reopened(context: MergeContext, task: int | None, item: Item) -> bool:
    if task is None or task not in context.current.tasks:
        return False
    base = context.base_task(task).status
    return is_reopened(base, wanted_status(item, base))


def _visible_fields(task: Task) -> list[object]:
    """Return what the file shows of a task, except its place and its needs."""
    return [getattr(task, field) for field in _SHOWN]
