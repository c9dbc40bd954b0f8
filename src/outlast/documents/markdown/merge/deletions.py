"""Merge deletions: tasks without a line, and whether a person has to confirm so many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.elements import shown_result
from outlast.documents.markdown.merge.conflicts import Location
from outlast.documents.markdown.merge.identity import has_ids
from outlast.documents.markdown.merge.status import is_reopened
from outlast.model.commands import RemoveTask

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.documents.markdown.document import Item
    from outlast.documents.markdown.merge.conflicts import MergeContext
    from outlast.model.model import Task

_MOST_UNCONFIRMED: Final = 2


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
        elif not context.is_untouched(task.id):
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
    """Report and return True if a file looks like a mistake, or like one that was broken off.

    That is one that would remove or reopen several tasks. Removals count only if the file has no
    ids or no last line: then it may be incomplete. A line counts as reopened only without the id of
    its task. A blank file is more likely an accident.
    """
    is_blank = not any(map(str.strip, context.document.lines))
    if context.may_be_cut and not is_blank:
        return _report_cut(context, tasks, removed)
    is_whole = has_ids(context) and context.document.revision is not None
    lost = [] if is_whole else sorted(removed)
    reopened = [
        tasks[item.line]
        for item in context.document.items()
        if item.id != tasks.get(item.line) and _is_reopened(context, tasks.get(item.line), item)
    ]
    if len(lost) + len(reopened) <= (0 if is_blank else _MOST_UNCONFIRMED):
        return False
    context.reports.clear()
    context.report("task_plan_held_back", 0, removed=lost, reopened=reopened)
    return True


def _report_cut(context: MergeContext, tasks: Mapping[int, int], removed: Iterable[int]) -> bool:
    """Report and return True if a file without its last lines looks broken off.

    It lacks tasks, its last line has no end, or what is below its last task is not as it was.
    """
    lost, last = sorted(removed), next(reversed([*context.document.items()]), None)
    task = None if last is None else context.base.tasks.get(tasks.get(last.line, 0))
    is_changed = not context.document.is_ended or (
        last is not None and task is not None and _lacks_lines(last, task)
    )
    if not lost and not is_changed:
        return False
    context.reports.clear()
    line = len(context.document.lines)
    context.report("task_plan_cut", line, removed=lost, line_text=context.line_text(line))
    return True


def _lacks_lines(item: Item, task: Task) -> bool:
    """Return whether the lines below a task's line are not those of the task."""
    fields = ("checks", "run", "files", "protect")
    return (
        any(getattr(item, field) != getattr(task, field) for field in fields)
        or len(item.needs) != len(task.needs)
        or item.description not in (None, task.description)
        or (item.assumed is not None and (item.result or "") != (shown_result(task.result) or ""))
    )


def _is_reopened(context: MergeContext, task: int | None, item: Item) -> bool:
    if task is None or task not in context.current.tasks:
        return False
    return is_reopened(context.base_task(task).status, context.wanted_status(item, task))
