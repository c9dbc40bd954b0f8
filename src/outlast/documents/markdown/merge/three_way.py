"""Merge an edited `task_plan.md`, the plan it was rendered from, and the plan now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.documents.markdown.elements import shown_result
from outlast.documents.markdown.merge.edits import (
    EarlierSaves,
    Location,
    MergeContext,
    MergeResult,
    is_reopened,
    normalize,
)
from outlast.documents.markdown.merge.fields import FieldMerge
from outlast.documents.markdown.merge.identity import has_ids, match_phases, match_tasks, read_names
from outlast.documents.markdown.merge.order import add_new_tasks, arrange_tasks, task_positions
from outlast.documents.markdown.merge.phases import arrange_phases, remove_phases
from outlast.documents.markdown.merge.prose import Anchors, add_comments, merge_prose, to_prose
from outlast.model.commands import EditPlan, RemoveTask

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outlast.documents.markdown.document import Document, Item
    from outlast.model.model import Task
    from outlast.model.state import PlanState

_MOST_UNCONFIRMED: Final = 2


def merge(
    base: PlanState | None,
    current: PlanState,
    document: Document,
    *,
    confirmed: bool = False,
    earlier: EarlierSaves | None = None,
) -> MergeResult:
    """Return the edits of a file that was rendered from `base`, as commands for `current`.

    Where the plan changed too, the plan wins and the person's text is kept as a comment.
    `confirmed` applies what otherwise has to be confirmed. `earlier` is about earlier saves of the
    same buffer, which are part of the base.
    """
    document = read_names(document, base or current, current)
    context = MergeContext(base, current, document, earlier)
    tasks, ids = match_tasks(context), has_ids(context)
    removed = _choose_removals(context, _missing_tasks(context, tasks))
    if not confirmed and _request_confirmation(context, tasks, removed):
        return MergeResult(
            reports=tuple(context.reports), prose=current.notes.prose, needs_confirmation=True
        )
    phases = match_phases(context, tasks)
    anchors = Anchors(context, phases, tasks)
    fields = FieldMerge(context, tasks, removed, ids=ids)
    _report_unparsed(context)
    _edit_plan(context)
    fields.reject_removed(anchors.by_line)
    fields.reopen()
    fields.drop_needs()
    _add_removals(context, sorted(removed))
    arrange_phases(context, phases)
    arrange_tasks(context, task_positions(context, phases, tasks))
    fields.edit_fields()
    fields.add_needs()
    fields.change_status()
    fields.confirm()
    fields.edit_results()
    remove_phases(context, phases)
    prose = add_comments(merge_prose(context, anchors.prose, ids=ids), context.comments)
    return MergeResult(
        tuple(context.edits), tuple(context.reports), to_prose(prose), anchors.fallbacks
    )


def merge_new_lines(current: PlanState, document: Document) -> MergeResult:
    """Return the new tasks of a file that shows another history of the plan.

    Nothing else of it applies: its numbers and its ticks belong to other tasks.
    """
    context = MergeContext(None, current, read_names(document, current, current))
    known = {normalize(task.name) for task in current.tasks.values()}
    titles = {normalize(phase.title): phase.id for phase in current.phases.values()}
    for section in document.sections:
        items = [
            item for item in section.items if item.id is None and normalize(item.name) not in known
        ]
        if items:
            add_new_tasks(context, items, titles.get(normalize(section.title)))
    revision = {"revision": document.revision or 0, "mark": document.mark}
    context.report("task_plan_foreign", 0, **revision)
    return MergeResult(tuple(context.edits), tuple(context.reports), current.notes.prose)


def _report_unparsed(context: MergeContext) -> None:
    """Report lines that cannot be understood, unless they are known as prose."""
    known = {line for prose in context.current.notes.prose for line in prose.lines}
    for unread in context.document.unread:
        if unread.text not in known:
            context.report(unread.why, unread.line, line_text=context.line_text(unread.line))


def _edit_plan(context: MergeContext) -> None:
    base, current = context.base, context.current
    goal, title = context.document.goal, context.document.title
    if goal is not None:
        location = Location(context.document.at["goal"], "head", (goal,))
        if context.resolve_change("goal", location, (base.goal, current.goal, goal)):
            # the title stays: it would follow the goal otherwise
            context.add_edit("goal", location, EditPlan(goal, current.title or None))
    if title:
        location = Location(context.document.at["title"], "head", (title,))
        if context.resolve_change("title", location, (base.title, current.title, title)):
            context.add_edit("title", location, EditPlan(title=title))


def _missing_tasks(context: MergeContext, tasks: Mapping[int, int]) -> list[Task]:
    """Return the tasks of the base that are still in the plan and have no line in the file."""
    matched = set(tasks.values())
    current = context.current.tasks
    return [t for t in context.base.tasks_in_order() if t.id in current and t.id not in matched]


def _choose_removals(context: MergeContext, missing: Iterable[Task]) -> set[int]:
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


def _add_removals(context: MergeContext, removed: Iterable[int]) -> None:
    """Remove tasks."""
    for task in removed:
        context.add_edit("gone", Location(0, f"task:{task}"), RemoveTask(task, amend=True))


def _request_confirmation(
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
