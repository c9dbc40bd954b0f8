"""What somebody did to the headings: title, notes, order, new and missing ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.domain.commands import AddPhase, EditPhase, MovePhase, RemovePhase
from outlast.domain.list_diff import moved
from outlast.formats.markdown.merge.context import Spot
from outlast.formats.markdown.merge.placeholder import is_new

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outlast.formats.markdown.document import Section
    from outlast.formats.markdown.merge.context import Sides


def arrange_phases(sides: Sides, phases: Mapping[int, str]) -> None:
    """Wish for phases as the file has them, from top to bottom."""
    known = [phase for phase in phases.values() if not is_new(phase)]
    by_person = moved(sides.base.phases, known)
    by_others = moved(sides.base.phases, [*sides.current.phases])
    previous: str | None = None
    for section in sides.document.sections:
        phase = phases.get(section.line)
        if phase is None:
            continue
        if is_new(phase):
            _add(sides, section, phase, previous)
        else:
            _edit(sides, section, phase)
            if phase in by_person:
                _move(sides, section, phase, previous, is_conflict=phase in by_others)
        previous = phase


def remove_phases(sides: Sides, phases: Mapping[int, str]) -> None:
    """Wish for phases whose headings are gone to go; a file without any says nothing on that."""
    if not phases or not sides.is_base_known:
        return
    there = set(phases.values())
    for phase in sides.base.phases.values():
        if phase.id not in there and sides.current.phases.get(phase.id) == phase:
            sides.wish("gone", Spot(0, f"phase:{phase.id}"), RemovePhase(phase.id))


def _add(sides: Sides, section: Section, phase: str, previous: str | None) -> None:
    spot = _spot(sides, section, phase)
    if section.notes:
        spot = replace(spot, said=(*spot.said, section.notes))
    new = AddPhase(section.title or "", section.notes, previous)
    sides.wish("new", spot, new, new=(section.line,))
    if previous is None:
        sides.wish("place", spot, MovePhase(phase))


def _edit(sides: Sides, section: Section, phase: str) -> None:
    base, current = sides.base_phase(phase), sides.current.phases[phase]
    spot = _spot(sides, section, phase)
    if sides.is_wanted("title", spot, (base.title, current.title, section.title)):
        sides.wish("title", spot, EditPhase(phase, title=section.title))
    spot = replace(spot, said=(section.notes,))
    if sides.is_wanted("notes", spot, (base.notes, current.notes, section.notes)):
        sides.wish("notes", spot, EditPhase(phase, notes=section.notes))


def _move(
    sides: Sides, section: Section, phase: str, previous: str | None, *, is_conflict: bool
) -> None:
    spot = _spot(sides, section, phase)
    if not is_conflict:
        sides.wish("place", spot, MovePhase(phase, previous))
    elif _before(sides, phase) != previous:
        sides.refuse("plan_md_conflict", spot, what="place")


def _spot(sides: Sides, section: Section, phase: str) -> Spot:
    return Spot(section.line, f"phase:{phase}", (sides.said(section.line),))


def _before(sides: Sides, phase: str) -> str | None:
    """Return the phase that stands in front of another now, of those that the base had."""
    known = [one for one in sides.current.phases if one in sides.base.phases]
    place = known.index(phase)
    return known[place - 1] if place else None
