"""The plans of a project at a glance, and mending one of them."""

from __future__ import annotations

from contextlib import closing, suppress
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from outlast.domain.limits import check_name
from outlast.errors import OutlastError, PlanNotFound
from outlast.ports.store import Notice
from outlast.system.clock import now
from outlast.wiring.databases import database_at, is_url
from outlast.wiring.workspaces import damage, project_of

if TYPE_CHECKING:
    from outlast.domain.state import PlanState
    from outlast.wiring.workspaces import Place


class PlanSummary(Struct, frozen=True):
    """A plan in a list of plans: why it cannot be read, or not to its end; what was mended.

    `path` is where it is, if that is in the archive.
    """

    key: str
    title: str = ""
    status: str = ""
    done: int = 0
    total: int = 0
    updated_at: datetime | None = None
    problem: OutlastError | None = None
    notices: tuple[Notice, ...] = ()
    path: str = ""


def list_plans(start: str, *, thorough: bool = False) -> list[PlanSummary]:
    """Return the plans of a project, or of the database that a URL names.

    `thorough` reads all of each, not only what is needed.
    """
    place = database_at(start) if is_url(start) else project_of(start)
    keys = place.known() if place else []
    return [_summary(place, key, thorough=thorough) for key in keys if place]


def left_held(start: str, goal: str) -> str | None:
    """Return the key of the plan for a goal whose runner has not given it back, ended or not."""
    place = project_of(start)
    if place is None:
        return None
    for key in place.known():
        with suppress(OutlastError), closing(place.look(key, now())) as store:
            if store.read(lambda state: state.goal == goal and 0 in state.ledger.leases):
                return key
    return None


def mend_plan(start: str, key: str) -> list[Notice]:
    """Mend a damaged plan of a project, or of the database that a URL names.

    What is damaged is kept beside it.
    """
    place = database_at(start) if is_url(start) else project_of(start)
    if place is None:
        raise PlanNotFound("no_plan_yet", where=start, candidates=[])
    return place.mend(check_name(key, "key"), now())


def _summary(place: Place, key: str, *, thorough: bool) -> PlanSummary:
    try:
        store = place.look(key, now())
        try:
            found = _with_notices(replace(store.read(summarized), key=key), store.notices)
        finally:
            store.close()
        if thorough:
            place.look_for_damage(key, now())
    except OutlastError as error:
        return PlanSummary(key, problem=error)
    return found


def _with_notices(plan: PlanSummary, notices: list[Notice]) -> PlanSummary:
    """Add what was noticed; damage is no news beside the rest, it is the problem."""
    problem = damage(notices)
    if problem is None:
        return replace(plan, notices=tuple(notices))
    others = tuple(notice for notice in notices if notice[0] != problem.text)
    return replace(plan, notices=others, problem=problem)


def summarized(state: PlanState) -> PlanSummary:
    """Return a plan at a glance."""
    total = len(state.tasks)
    return PlanSummary(
        state.key, state.title, state.status, state.finished, total, state.updated_at
    )
