"""Phases by their id or title; one that a plan does not have yet is begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.limits import check_name, slug
from outlast.domain.model import Phase

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def meant_phase(plan: Plan, given: str | None) -> tuple[str | None, Phase | None]:
    """Return the id of the phase that has this id or title, and the phase if it is to be begun."""
    if given is None:
        return None, None
    title = check_name(given, "phase").strip()
    known = {one.id: one for one in plan.phases}
    if title in known:
        return title, None
    for one in known.values():
        if one.title.casefold() == title.casefold():
            return one.id, None
    new = Phase(slug(title, known), title)
    return new.id, new


def begun_words(call: Call, begun: Phase | None) -> list[str]:
    """Return the line that tells of a new phase, if there is one."""
    from outlast.texts import visible

    return [call.say("say_phase_begun", phase=visible(begun.title))] if begun else []


def begun_shape(begun: Phase | None) -> Json | None:
    """Return a new phase for programs."""
    return {"id": begun.id, "title": begun.title} if begun else None
