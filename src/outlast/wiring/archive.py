"""Plans that have ended, put away and looked at again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.adapters.stores.archive import archive, archived, refuse_held, refuse_open
from outlast.adapters.stores.files.store import FilesStore
from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.plan import Plan
from outlast.domain.limits import check_name, check_number
from outlast.errors import InvalidStatus, OutlastError, PlanNotFound
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import Disk
from outlast.wiring.plan_list import PlanSummary, summarized
from outlast.wiring.plans import open_plan
from outlast.wiring.workspaces import project_of, workspace_at

if TYPE_CHECKING:
    import os

    from outlast.adapters.stores.workspace import Workspace
    from outlast.domain.state import PlanState
    from outlast.ports.clock import Clock


Refuse = Callable[["PlanState", datetime], None]
MOST_DAYS: Final = 100_000


def archive_plan(start: str, key: str) -> str:
    """Move a plan of a project that has ended into the archive; return where it is then."""
    workspace = project_of(start)
    if workspace is None:
        raise PlanNotFound("no_plan_yet", where=start, candidates=[])
    return _put_away(workspace, check_name(key, "key"), now(), refuse_open)


def make_room(where: str | os.PathLike[str], key: str) -> str:
    """Archive a plan that is completed, given up or failed, so that another may have its key."""
    return _put_away(workspace_at(where), check_name(key, "key"), now(), _refuse_unfinished)


def _refuse_unfinished(state: PlanState, moment: datetime) -> None:
    if state.status == "failed":  # also one that could still be helped: nobody wants to
        refuse_held(state, moment)
    else:
        refuse_open(state, moment)


def list_archived(start: str) -> list[PlanSummary]:
    """Return the plans in the archive of a project."""
    workspace = project_of(start)
    paths = archived(workspace.root, Disk()) if workspace else []
    return [_summary(path) for path in paths]


def open_archived(path: str, *, actor: str = "human") -> Plan:
    """Open a plan in the archive by its path."""
    return Plan(FilesStore(check_name(path, "path"), Disk(), now()), now, new_plan_id, actor)


def clean_up(
    where: str | os.PathLike[str], older_than_days: int = 7, *, clock: Clock = now
) -> list[str]:
    """Archive the plans of a workspace that were completed so many days ago; return their keys.

    A plan that is not completed, is held, or cannot be read stays. So does one that was changed
    later than the clock says it is now.
    """
    check_number(older_than_days, "older_than_days", 0, MOST_DAYS)
    workspace, limit = workspace_at(where), timedelta(days=older_than_days)

    def refuse(state: PlanState, moment: datetime) -> None:
        refuse_open(state, moment)
        if state.status != "completed" or moment - state.updated_at < limit:
            raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)

    return [key for key in workspace.known() if _is_put_away(workspace, key, clock(), refuse)]


def _is_put_away(workspace: Workspace, key: str, moment: datetime, refuse: Refuse) -> bool:
    """Put a plan away unless something speaks against it; most of them are only looked at."""
    try:
        store = workspace.look(key, moment)
        try:
            if isinstance(store, MemoryStore):  # of somebody else's, who looks after it
                return False
            store.read(lambda state: refuse(state, moment))
        finally:
            store.close()
        _put_away(workspace, key, moment, refuse)
    except OutlastError:
        return False
    return True


def _put_away(workspace: Workspace, key: str, moment: datetime, refuse: Refuse) -> str:
    """Take in what people have written into the plan's files, then move it."""
    open_plan(workspace.root, key).close()
    return archive(workspace.directory(key), workspace.root, Disk(), moment, refuse)


def _summary(path: str) -> PlanSummary:
    try:
        with open_archived(path) as plan:
            return replace(plan.read(summarized), path=path)
    except OutlastError as error:
        return PlanSummary("", path=path, problem=error)
