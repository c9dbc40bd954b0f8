"""An edited `task_plan.md` taken in: a merge of three sides, task by task and field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.commands import EditPlan
from outlast.formats.markdown.merge.context import Sides, Spot
from outlast.formats.markdown.merge.deletions import missing, must_ask, remove, to_go
from outlast.formats.markdown.merge.edits import Merge
from outlast.formats.markdown.merge.fields import Fields
from outlast.formats.markdown.merge.identity import has_ids, identify
from outlast.formats.markdown.merge.order import arrange_tasks
from outlast.formats.markdown.merge.phase_identity import identify_phases
from outlast.formats.markdown.merge.phases import arrange_phases, remove_phases
from outlast.formats.markdown.merge.positions import places
from outlast.formats.markdown.merge.prose import Anchors, merge_prose, to_prose, with_comments

if TYPE_CHECKING:
    from outlast.domain.state import PlanState
    from outlast.formats.markdown.document import Document


def merge(
    base: PlanState | None, current: PlanState, document: Document, *, sure: bool = False
) -> Merge:
    """Return what a file asks for that was written for `base` and edited, for a plan as it is now.

    What others have changed as well stays as it is, and the person's words are kept as a comment.
    """
    sides = Sides(base, current, document)
    if not sure and _is_unmerged(sides):
        return Merge(reports=tuple(sides.reports), prose=current.notes.prose, held=True)
    tasks, ids = identify(sides), has_ids(sides)
    going = to_go(sides, missing(sides, tasks))
    if not sure and must_ask(sides, tasks, going):
        return Merge(reports=tuple(sides.reports), prose=current.notes.prose, held=True)
    phases = identify_phases(sides, tasks)
    anchors = Anchors(sides, phases, tasks)
    fields = Fields(sides, tasks, going, ids=ids)
    _tell_unread(sides)
    _edit_plan(sides)
    fields.miss(anchors.by_line)
    fields.reopen()
    fields.release()
    remove(sides, sorted(going))
    arrange_phases(sides, phases)
    arrange_tasks(sides, places(sides, phases, tasks))
    fields.edit()
    fields.depend()
    fields.work()
    remove_phases(sides, phases)
    prose = with_comments(merge_prose(sides, anchors.prose, ids=ids), sides.comments)
    return Merge(tuple(sides.wishes), tuple(sides.reports), to_prose(prose), anchors.instead)


def _is_unmerged(sides: Sides) -> bool:
    """Tell whether a version control system left two versions in the file for somebody to choose.

    Marks that a person kept among their own lines are not meant by that.
    """
    line = sides.document.unmerged
    known = (x for prose in sides.current.notes.prose for x in prose.lines)
    if not line or sides.document.lines[line - 1] in known:
        return False
    sides.report("plan_md_unmerged", line)
    return True


def _tell_unread(sides: Sides) -> None:
    """Tell about lines that nobody can make sense of, once."""
    known = {line for prose in sides.current.notes.prose for line in prose.lines}
    for unread in sides.document.unread:
        if unread.text not in known:
            sides.report(unread.why, unread.line, said=sides.said(unread.line))


def _edit_plan(sides: Sides) -> None:
    base, current = sides.base, sides.current
    goal, title = sides.document.goal, sides.document.title
    if goal is not None:
        spot = Spot(sides.document.at["goal"], "head", (goal,))
        if sides.is_wanted("goal", spot, (base.goal, current.goal, goal)):
            # the title that stands above it is not to follow it
            sides.wish("goal", spot, EditPlan(goal, current.title or None))
    if title:
        spot = Spot(sides.document.at["title"], "head", (title,))
        if sides.is_wanted("title", spot, (base.title, current.title, title)):
            sides.wish("title", spot, EditPlan(title=title))
