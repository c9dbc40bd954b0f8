"""Merge an edited `task_plan.md`, the plan it was rendered from, and the plan now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.documents.markdown.merge.conflicts import Location, MergeContext, normalize
from outlast.documents.markdown.merge.deletions import (
    add_removals,
    choose_removals,
    missing_tasks,
    request_confirmation,
)
from outlast.documents.markdown.merge.edits import MergeResult
from outlast.documents.markdown.merge.fields import FieldMerge
from outlast.documents.markdown.merge.identity import has_ids, match_phases, match_tasks
from outlast.documents.markdown.merge.names import read_names
from outlast.documents.markdown.merge.order import add_new_tasks, arrange_tasks, task_positions
from outlast.documents.markdown.merge.phases import arrange_phases, remove_phases
from outlast.documents.markdown.merge.prose import Anchors, add_comments, merge_prose, to_prose
from outlast.model.commands import EditPlan

if TYPE_CHECKING:
    from outlast.documents.markdown.document import Document
    from outlast.documents.markdown.merge.conflicts import EarlierSaves
    from outlast.model.state import PlanState


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
    if not confirmed and _report_conflict(context):
        return MergeResult(
            reports=tuple(context.reports), prose=current.notes.prose, needs_confirmation=True
        )
    tasks, ids = match_tasks(context), has_ids(context)
    removed = choose_removals(context, missing_tasks(context, tasks))
    if not confirmed and request_confirmation(context, tasks, removed):
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
    add_removals(context, sorted(removed))
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


def _report_conflict(context: MergeContext) -> bool:
    """Report and return True if version control left an unresolved conflict in the file.

    Conflict markers that are known as prose do not count.
    """
    line = context.document.conflict_line
    known = (x for prose in context.current.notes.prose for x in prose.lines)
    if not line or context.document.lines[line - 1] in known:
        return False
    context.report("task_plan_unmerged", line)
    return True


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
