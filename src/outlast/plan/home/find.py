"""Find workspaces and databases, all on the one disk of this process, and load settings there."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeGuard

from outlast.errors import DamagedJournal, InvalidArgument, PlanNotFound
from outlast.model.limits import check_name
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from outlast.config.load import Loaded
    from outlast.plan.home.database import Database
    from outlast.plan.home.kept_journals import KeptPlan
    from outlast.plan.home.workspace import Workspace
    from outlast.store.port import Notice, Store
    from outlast.store.store import Store as StoreOverLog

    DurableStore = StoreOverLog
    PlanHome = Workspace | Database

_DAMAGE: Final = ("journal_damaged", "row_damaged")
_SCHEME: Final = "sqlite:"
_SQLITE_MEMORY: Final = ":memory:"
_BEFORE_PATH: Final = "sqlite:///"
_NOT_IN_PATHS: Final = "?#\0"  # URL options would otherwise end up in the file name


class ProcessDisk(Disk):
    """The real file system. `on_wait` gets the notice about a long wait while it lasts.

    `longest_wait` replaces the setting `limits.lock_seconds`.
    """

    on_wait: Callable[[Notice], None] | None = None
    longest_wait: float | None = None

    def lock_seconds(self) -> float:
        """Return the setting `limits.lock_seconds`; it is read only when a lock is held."""
        if self.longest_wait is not None:
            return self.longest_wait
        from outlast.config.load import load
        from outlast.plan.home.layouts import HOMES
        from outlast.system.workspace_root import current_directory, find_workspace_root

        root = find_workspace_root(current_directory(), HOMES[0])
        return load(root).settings.limits.lock_seconds

    @contextmanager
    def waiting_at_most(self, seconds: float) -> Iterator[None]:
        """Wait so long for a lock meanwhile."""
        before, self.longest_wait = self.longest_wait, seconds
        try:
            yield
        finally:
            self.longest_wait = before

    def report(self, notice: Notice) -> None:
        """Pass a notice on."""
        if self.on_wait is not None:
            self.on_wait(notice)


DISK: Final = ProcessDisk()  # one object, by which the stores of one database find each other


def plan_home_at(where: str | os.PathLike[str]) -> PlanHome:
    """Return the workspace in a directory, or the database that a URL names."""
    return database_at(where) if is_url(where) else workspace_at(where)


def workspace_at(where: str | os.PathLike[str]) -> Workspace:
    """Return the workspace in a directory."""
    from outlast.plan.home.workspace import Workspace

    path = os.fspath(where) if isinstance(where, os.PathLike) else where
    if path == _SQLITE_MEMORY:
        raise InvalidArgument("not_memory", argument="where", value=path)
    return Workspace(os.path.abspath(check_name(path, "where")), DISK)


def find_workspace(start: str) -> Workspace | None:
    """Return the nearest workspace; one of another tool (`.sessions`) only if there is no other."""
    from outlast.plan.home.layouts import HOMES
    from outlast.system.workspace_root import find_workspace_root

    for directory in HOMES:
        root = find_workspace_root(start, directory)
        if root is not None:
            return workspace_at(root)
    return None


def find_home(start: str | os.PathLike[str]) -> PlanHome | None:
    """Return the nearest workspace, or the database that a URL names."""
    path = check_name(os.fspath(start) if isinstance(start, os.PathLike) else start, "start")
    return database_at(path) if is_url(path) else find_workspace(path)


def require_home(start: str | os.PathLike[str]) -> PlanHome:
    """Return the nearest workspace, or the database of a URL; raise `PlanNotFound` without one."""
    home = find_home(start)
    if home is None:
        raise PlanNotFound("no_plan_yet", where=os.fspath(start), candidates=[])
    return home


def require_workspace(start: str) -> Workspace:
    """Return the nearest workspace; raise `PlanNotFound` without one."""
    workspace = find_workspace(start)
    if workspace is None:
        raise PlanNotFound("no_plan_yet", where=start, candidates=[])
    return workspace


def gone_plans(start: str) -> list[KeptPlan]:
    """Return the plans that were in the workspace of a directory and are nowhere any more."""
    from outlast.plan.home.kept_journals import KeptJournals

    return KeptJournals(DISK).find_gone(_possible_roots(start))


def restore_gone_plan(plan: KeptPlan) -> None:
    """Bring a plan back that is gone, from its second name."""
    workspace_at(plan.root).bring_back(plan)


def forget_gone_plans(start: str, key: str) -> int:
    """Remove the second names of plans with a key that are gone or archived; return how many."""
    from outlast.plan.home.kept_journals import KeptJournals

    return KeptJournals(DISK).forget(_possible_roots(start), key)


def _possible_roots(start: str) -> set[str]:
    """Return where the workspace of a directory may have been: from there up to its project."""
    from outlast.system.workspace_root import find_git_root

    place = os.path.realpath(start)
    roots, top = {place, project_root(start)}, find_git_root(place) or place
    while place.startswith(top) and place != os.path.dirname(place):
        roots.add(place)
        place = os.path.dirname(place)
    return roots


def home_of(store: Store) -> tuple[PlanHome, str] | None:
    """Return where a plan is stored, and its key there; None for one in memory."""
    home: tuple[PlanHome, str] | None = getattr(store, "home", None)
    return home


def is_shared(store: Store) -> bool:
    """Return whether other users may read and write a plan in a workspace."""
    return getattr(store, "is_shared", False) is True


def project_root(start: str) -> str:
    """Return the root of the nearest workspace, or where the first plan of a project belongs."""
    workspace = find_workspace(start)
    if workspace is not None:
        return workspace.root
    from outlast.system.workspace_root import default_workspace_root

    return default_workspace_root(start)


def load_settings(
    start: str,
    environment: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
    remembered: Mapping[str, tuple[object, bool]] | None = None,
) -> Loaded:
    """Load the settings of the workspace that a directory belongs to, or would belong to."""
    from outlast.config.load import load

    return load(project_root(start), environment, arguments, remembered)


def damage_error(notices: Iterable[Notice]) -> DamagedJournal | None:
    """Return the error for a damaged plan, which could not be read to its end; else None."""
    for key, details in notices:
        if key in _DAMAGE:
            return DamagedJournal(key, **details)
    return None


def is_url(where: object) -> TypeGuard[str]:
    """Return whether a location names a database, also by a malformed URL."""
    return isinstance(where, str) and where.startswith(_SCHEME)


def database_at(url: str) -> Database:
    """Return the database of a URL; its file need not exist yet."""
    from outlast.plan.home.database import Database

    return Database(os.path.abspath(_path(check_name(url, "where"))), DISK)


def _path(url: str) -> str:
    path = url.removeprefix(_BEFORE_PATH)
    named = path != url and path.strip("/") and not path.endswith("/")
    if not named or path == _SQLITE_MEMORY or any(mark in path for mark in _NOT_IN_PATHS):
        raise InvalidArgument("bad_database_url", argument="where", value=url)
    return path
