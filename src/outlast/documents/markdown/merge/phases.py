"""Merge phases: title, notes, order, new and missing headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.documents.markdown.merge.edits import Location, MergeContext, is_phase_placeholder
from outlast.model.commands import AddPhase, EditPhase, MovePhase, RemovePhase
from outlast.model.history.diff import moved_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.documents.markdown.document import Section


def arrange_phases(context: MergeContext, phases: Mapping[int, str]) -> None:
    """Edit, add and move phases as the file has them, from top to bottom."""
    known = [phase for phase in phases.values() if not is_phase_placeholder(phase)]
    by_person = moved_items(context.base.phases, known)
    by_others = moved_items(context.base.phases, [*context.current.phases])
    previous: str | None = None
    for section in context.document.sections:
        phase = phases.get(section.line)
        if phase is None:
            continue
        if is_phase_placeholder(phase):
            _add(context, section, phase, previous)
        else:
            _edit(context, section, phase)
            if phase in by_person:
                _move(context, section, phase, previous, is_conflict=phase in by_others)
        previous = phase


def remove_phases(context: MergeContext, phases: Mapping[int, str]) -> None:
    """Remove phases whose headings are missing, unless the file has none or may be cut."""
    if not phases or not context.is_base_known or context.may_be_cut:
        return
    in_file = set(phases.values())
    for phase in context.base.phases.values():
        if phase.id not in in_file and context.current.phases.get(phase.id) == phase:
            context.add_edit("gone", Location(0, f"phase:{phase.id}"), RemovePhase(phase.id))


def _add(context: MergeContext, section: Section, phase: str, previous: str | None) -> None:
    location = _location(context, section, phase)
    if section.notes:
        location = replace(location, excerpt=(*location.excerpt, section.notes))
    new = AddPhase(section.title or "", section.notes, previous)
    context.add_edit("new", location, new, new=(section.line,))
    if previous is None:
        context.add_edit("place", location, MovePhase(phase))


def _edit(context: MergeContext, section: Section, phase: str) -> None:
    base, current = context.base_phase(phase), context.current.phases[phase]
    location = _location(context, section, phase)
    if context.resolve_change("title", location, (base.title, current.title, section.title)):
        context.add_edit("title", location, EditPhase(phase, title=section.title))
    location = replace(location, excerpt=(section.notes,))
    if context.resolve_change("notes", location, (base.notes, current.notes, section.notes)):
        context.add_edit("notes", location, EditPhase(phase, notes=section.notes))


def _move(
    context: MergeContext, section: Section, phase: str, previous: str | None, *, is_conflict: bool
) -> None:
    location = _location(context, section, phase)
    if not is_conflict:
        context.add_edit("place", location, MovePhase(phase, previous))
    elif _before(context, phase) != previous:
        context.reject("task_plan_conflict", location, what="place")


def _location(context: MergeContext, section: Section, phase: str) -> Location:
    return Location(section.line, f"phase:{phase}", (context.line_text(section.line),))


def _before(context: MergeContext, phase: str) -> str | None:
    """Return the phase before another one now, of those that the base had."""
    known = [other for other in context.current.phases if other in context.base.phases]
    place = known.index(phase)
    return known[place - 1] if place else None
