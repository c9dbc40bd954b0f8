"""The archive: plans that have ended, kept to be listed, read and restored."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.adapters.stores.archive import refuse_leased, refuse_unfinished
from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.core import PlanCore
from outlast.application.plan.past_revision import ReadOnlyStore
from outlast.application.plan.plan import Plan
from outlast.domain.limits import check_name, check_number
from outlast.errors import InvalidStatus, OutlastError, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.wiring.checks import LazyChecker
from outlast.wiring.plan_list import ListedPlan, summarize
from outlast.wiring.plans import open_at
from outlast.wiring.workspaces import find_home, plan_home_at, require_home

if TYPE_CHECKING:
    from outlast.adapters.stores.archive import ArchivedPlan, Refuse
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock
    from outlast.wiring.workspaces import PlanHome

MOST_DAYS: Final = 100_000


def archive_plan(where: str | os.PathLike[str], key: str) -> str:
    """Archive a completed or aborted plan of a workspace, or of the database of a URL.

    Returns its name in the archive.
    """
    return _archive(require_home(where), check_name(key, "key"), now(), refuse_unfinished).name


def list_archived(where: str | os.PathLike[str]) -> list[ListedPlan]:
    """Return the archived plans of a workspace, or of the database of a URL."""
    home = find_home(where)
    return [_summarize(home, plan) for plan in home.archived_plans()] if home else []


def find_archived_names(where: str | os.PathLike[str], key: str) -> list[str]:
    """Return the names of the archived plans with a key, oldest first."""
    home = find_home(where)
    return [plan.name for plan in home.archived_plans() if plan.key == key] if home else []


def open_archived(where: str | os.PathLike[str], name: str, *, actor: str = "agent") -> Plan:
    """Open an archived plan, which cannot be changed until it is restored.

    `name` is its name in the archive, or a beginning of it or its key where that is unique.
    """
    check_name(actor, "actor")
    home = require_home(where)
    return _open(home, _find(home, check_name(name, "name")), actor)


def restore_plan(where: str | os.PathLike[str], name: str) -> str:
    """Bring an archived plan back under its key, in its layout; return the key.

    A plan that has the key now is archived if it has ended; otherwise `InvalidStatus` is raised.
    """
    return swap_in(where, name)[0]


def swap_in(where: str | os.PathLike[str], name: str) -> tuple[str, str]:
    """Restore a plan like `restore_plan`; return its key and the name of the one archived for it.

    That name is empty if no plan had the key.
    """
    home = require_home(where)
    plan = _find(home, check_name(name, "name"))

    def refuse(state: PlanState, moment: datetime) -> None:
        if not _has_ended(state):
            raise InvalidStatus("restore_key_in_use", key=plan.key, status=state.status)
        refuse_leased(state, moment)

    is_taken = plan.key in home.plan_keys()
    replaced = _archive(home, plan.key, now(), refuse).name if is_taken else ""
    home.restore(plan)
    return plan.key, replaced


def archive_ended_plan(home: PlanHome, key: str) -> None:
    """Archive a completed, aborted or failed plan, so that a new one can have its key."""
    _archive(home, key, now(), _refuse_unless_ended)


def _refuse_unless_ended(state: PlanState, moment: datetime) -> None:
    if not _has_ended(state):
        raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)
    refuse_leased(state, moment)


def _has_ended(state: PlanState) -> bool:
    """Return whether a plan has ended; a failed one could be retried, but need not be."""
    return state.status in ("completed", "failed")


def archive_old_plans(
    where: str | os.PathLike[str], older_than_days: int = 7, *, clock: Clock = now
) -> list[str]:
    """Archive the plans that were completed so many days ago; return their keys.

    A plan stays if it is not completed, is leased, cannot be read, or was changed at a time that
    lies in the future.
    """
    check_number(older_than_days, "older_than_days", 0, MOST_DAYS)
    home, limit = plan_home_at(where), timedelta(days=older_than_days)

    def refuse(state: PlanState, moment: datetime) -> None:
        refuse_unfinished(state, moment)
        if state.status != "completed" or moment - state.updated_at < limit:
            raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)

    return [key for key in home.plan_keys() if _try_archive(home, key, clock(), refuse)]


def _try_archive(home: PlanHome, key: str, moment: datetime, refuse: Refuse) -> bool:
    """Archive a plan unless `refuse` raises; return whether it was archived."""
    try:
        store = home.open_without_adopting(key, moment)
        try:
            if isinstance(store, MemoryStore):  # its files belong to another program
                return False
            store.read(lambda state: refuse(state, moment))
        finally:
            store.close()
        _archive(home, key, moment, refuse)
    except OutlastError:
        return False
    return True


def _archive(home: PlanHome, key: str, moment: datetime, refuse: Refuse) -> ArchivedPlan:
    """Sync people's edits, then move the plan."""
    open_at(home, home.root, key).close()
    return home.archive(key, moment, refuse)


def _find(home: PlanHome, name: str) -> ArchivedPlan:
    """Return the archived plan with a name, else the only one with that key or beginning."""
    plans = home.archived_plans()
    same_name = [plan for plan in plans if plan.name == name]
    same_key = [plan for plan in plans if plan.key == name]
    begins = [plan for plan in plans if any(t.startswith(name) for t in (plan.name, plan.key))]
    matches = same_name or same_key or begins
    if len(matches) == 1:
        return matches[0]
    text = "which_archived" if matches else "not_archived"
    names = [plan.name for plan in matches or plans]
    raise PlanNotFound(text, name=name, count=len(matches), candidates=names)


def _open(home: PlanHome, plan: ArchivedPlan, actor: str = "agent") -> Plan:
    store = ReadOnlyStore(home.open_archived(plan, now()), "plan_archived", name=plan.name)
    checker = LazyChecker(home.root)
    return Plan(PlanCore(store, now, new_plan_id, actor, checker=checker))


def _summarize(home: PlanHome, plan: ArchivedPlan) -> ListedPlan:
    try:
        with _open(home, plan) as opened:
            return replace(opened.core.read(summarize), name=plan.name, path=plan.path)
    except OutlastError as error:
        return ListedPlan(plan.key, name=plan.name, path=plan.path, problem=error)
