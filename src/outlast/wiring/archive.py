"""Archive plans that have ended; list and open archived ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.adapters.stores.archive import (
    archive,
    find_archived_directories,
    refuse_leased,
    refuse_unfinished,
)
from outlast.adapters.stores.files.store import FilesStore
from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.core import PlanCore
from outlast.application.plan.plan import Plan
from outlast.domain.limits import check_name, check_number
from outlast.errors import InvalidStatus, OutlastError, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import Disk
from outlast.wiring.plan_list import ListedPlan, summarize
from outlast.wiring.plans import open_plan
from outlast.wiring.workspaces import find_workspace, workspace_at

if TYPE_CHECKING:
    import os

    from outlast.adapters.stores.workspace import Workspace
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock


Refuse = Callable[["PlanState", datetime], None]
MOST_DAYS: Final = 100_000


def archive_plan(start: str, key: str) -> str:
    """Move an ended plan of a workspace into the archive; return its new path."""
    workspace = find_workspace(start)
    if workspace is None:
        raise PlanNotFound("no_plan_yet", where=start, candidates=[])
    return _archive(workspace, check_name(key, "key"), now(), refuse_unfinished)


def archive_ended_plan(where: str | os.PathLike[str], key: str) -> str:
    """Archive a completed, aborted or failed plan, so that a new one can have its key."""
    return _archive(workspace_at(where), check_name(key, "key"), now(), _refuse_unless_ended)


def _refuse_unless_ended(state: PlanState, moment: datetime) -> None:
    if state.status == "failed":  # it could still be retried, but a new plan was asked for
        refuse_leased(state, moment)
    else:
        refuse_unfinished(state, moment)


def list_archived(start: str) -> list[ListedPlan]:
    """Return the archived plans of a workspace."""
    workspace = find_workspace(start)
    paths = find_archived_directories(workspace.root, Disk()) if workspace else []
    return [_summarize_archived(path) for path in paths]


def open_archived(path: str, *, actor: str = "agent") -> Plan:
    """Open an archived plan by its path."""
    store = FilesStore(check_name(path, "path"), Disk(), now())
    return Plan(PlanCore(store, now, new_plan_id, actor))


def archive_old_plans(
    where: str | os.PathLike[str], older_than_days: int = 7, *, clock: Clock = now
) -> list[str]:
    """Archive the plans of a workspace that were completed so many days ago; return their keys.

    A plan stays if it is not completed, is leased, cannot be read, or was changed at a time that
    lies in the future.
    """
    check_number(older_than_days, "older_than_days", 0, MOST_DAYS)
    workspace, limit = workspace_at(where), timedelta(days=older_than_days)

    def refuse(state: PlanState, moment: datetime) -> None:
        refuse_unfinished(state, moment)
        if state.status != "completed" or moment - state.updated_at < limit:
            raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)

    return [key for key in workspace.plan_keys() if _try_archive(workspace, key, clock(), refuse)]


def _try_archive(workspace: Workspace, key: str, moment: datetime, refuse: Refuse) -> bool:
    """Archive a plan unless `refuse` raises; return whether it was archived."""
    try:
        store = workspace.open_without_adopting(key, moment)
        try:
            if isinstance(store, MemoryStore):  # its files belong to another program
                return False
            store.read(lambda state: refuse(state, moment))
        finally:
            store.close()
        _archive(workspace, key, moment, refuse)
    except OutlastError:
        return False
    return True


def _archive(workspace: Workspace, key: str, moment: datetime, refuse: Refuse) -> str:
    """Sync people's edits, then move the plan's directory."""
    open_plan(workspace.root, key).close()
    return archive(workspace.plan_directory(key), workspace.root, Disk(), moment, refuse)


def _summarize_archived(path: str) -> ListedPlan:
    try:
        with open_archived(path) as plan:
            return replace(plan.core.read(summarize), path=path)
    except OutlastError as error:
        return ListedPlan("", path=path, problem=error)
