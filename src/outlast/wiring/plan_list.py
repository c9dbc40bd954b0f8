"""List the plans of a workspace, and repair one of them."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from outlast.domain.limits import check_name
from outlast.errors import OutlastError
from outlast.ports.store import Notice
from outlast.system.clock import now
from outlast.wiring.workspaces import damage_error, find_home, find_workspace, require_home

if TYPE_CHECKING:
    from outlast.domain.state import PlanState
    from outlast.wiring.workspaces import PlanHome


class ListedPlan(Struct, frozen=True):
    """A plan in a list: progress, the problem that keeps it from being read, repairs as notices.

    An archived plan has a `name` in the archive, and in a workspace the `path` of its directory.
    """

    key: str
    title: str = ""
    status: str = ""
    done: int = 0
    total: int = 0
    updated_at: datetime | None = None
    problem: OutlastError | None = None
    notices: tuple[Notice, ...] = ()
    name: str = ""
    path: str = ""


def list_plans(start: str | os.PathLike[str], *, thorough: bool = False) -> list[ListedPlan]:
    """Return the plans of a workspace, or of the database of a URL.

    `thorough` reads the whole of each plan and so finds damage that a snapshot hides.
    """
    home = find_home(start)
    keys = home.plan_keys() if home else []
    return [_summarize_stored(home, key, thorough=thorough) for key in keys if home]


def find_leased_plan(start: str, goal: str) -> str | None:
    """Return the key of the plan with this goal that a run still leases, ended or not."""
    home = find_workspace(start)
    if home is None:
        return None
    for key in home.plan_keys():
        with suppress(OutlastError), closing(home.open_without_adopting(key, now())) as store:
            if store.read(lambda state: state.goal == goal and 0 in state.ledger.leases):
                return key
    return None


def repair_plan(start: str | os.PathLike[str], key: str) -> list[Notice]:
    """Repair a damaged plan of a workspace, or of the database of a URL.

    The damaged files are kept beside it.
    """
    return require_home(start).repair(check_name(key, "key"), now())


def _summarize_stored(home: PlanHome, key: str, *, thorough: bool) -> ListedPlan:
    try:
        store = home.open_without_adopting(key, now())
        try:
            summary = _attach_notices(replace(store.read(summarize), key=key), store.notices)
        finally:
            store.close()
        if thorough:
            home.check_integrity(key, now())
    except OutlastError as error:
        return ListedPlan(key, problem=error)
    return summary


def _attach_notices(plan: ListedPlan, notices: list[Notice]) -> ListedPlan:
    """Attach the notices of a store; damage becomes the problem of the plan."""
    problem = damage_error(notices)
    if problem is None:
        return replace(plan, notices=tuple(notices))
    others = tuple(notice for notice in notices if notice[0] != problem.text)
    return replace(plan, notices=others, problem=problem)


def summarize(state: PlanState) -> ListedPlan:
    """Summarize a plan."""
    total = len(state.tasks)
    return ListedPlan(
        state.key, state.title, state.status, state.finished_count, total, state.updated_at
    )
