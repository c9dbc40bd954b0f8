"""Find workspaces and databases, and open the stores of their plans."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.memory import MemoryStore
from outlast.domain.limits import check_name
from outlast.errors import DamagedJournal, InvalidArgument, OutlastError, PlanNotFound
from outlast.system.clock import now

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeGuard

    from outlast.adapters.stores.files.store import FilesStore
    from outlast.adapters.stores.sqlite.database import Database
    from outlast.adapters.stores.sqlite.store import SqliteStore
    from outlast.adapters.stores.workspace import Workspace
    from outlast.domain.state import PlanState
    from outlast.ports.store import Notice

    PlanHome = Workspace | Database
    DurableStore = FilesStore | SqliteStore

_DAMAGE: Final = ("journal_damaged", "row_damaged")


def plan_home_at(where: str | os.PathLike[str]) -> PlanHome:
    """Return the workspace in a directory, or the database that a URL names."""
    return database_at(where) if is_url(where) else workspace_at(where)


def workspace_at(where: str | os.PathLike[str]) -> Workspace:
    """Return the workspace in a directory."""
    from outlast.adapters.stores.workspace import Workspace
    from outlast.system.disk import Disk

    path = os.fspath(where) if isinstance(where, os.PathLike) else where
    return Workspace(os.path.abspath(check_name(path, "where")), Disk())  # noqa: PTH100 - without the cost of pathlib


def find_workspace(start: str) -> Workspace | None:
    """Return the nearest workspace; one of another tool (`.sessions`) only if there is no other."""
    from outlast.adapters.stores.layouts import HOMES
    from outlast.system.workspace_root import find_workspace_root

    for directory in HOMES:
        root = find_workspace_root(start, directory)
        if root is not None:
            return workspace_at(root)
    return None


def open_store(home: PlanHome, where: str, key: str | None, *, ended: bool = False) -> DurableStore:
    """Open the plan with a key, or the only unfinished one."""
    if key is not None:
        return home.open(check_name(key, "key"), now())
    return _open_only_unfinished(home, where, ended=ended)


def _open_only_unfinished(home: PlanHome, where: str, *, ended: bool) -> DurableStore:
    """Open the only unfinished plan; a plan that cannot be read counts as unfinished."""
    known = home.plan_keys()
    if not known:
        raise _no_plan(where)
    repairs: list[Notice] = []
    opened = ((key, _open_unfinished(home, key, repairs)) for key in known)
    unfinished = {key: store for key, store in opened if store is not None}
    if len(unfinished) == 1:
        [(key, only)] = unfinished.items()
        if isinstance(only, OutlastError):
            raise only
        store = home.open(key, now()) if isinstance(only, MemoryStore) else only
        store.notices[:0] = repairs
        return store
    for other in unfinished.values():
        if not isinstance(other, OutlastError):
            other.close()
    if unfinished:
        raise PlanNotFound("which_plan", count=len(unfinished), candidates=list(unfinished))
    if not ended or len(known) > 1:
        raise PlanNotFound("no_open_plan", candidates=known)
    store = home.open(known[0], now())
    store.notices[:0] = repairs
    return store


def _no_plan(where: str) -> PlanNotFound:

    text = "no_plan_there" if is_url(where) else "no_plan_yet"
    return PlanNotFound(text, where=where, candidates=[])


def _open_unfinished(
    home: PlanHome, key: str, repairs: list[Notice]
) -> DurableStore | MemoryStore | OutlastError | None:
    try:
        store = home.open_without_adopting(key, now())
    except OutlastError as error:
        return error
    if damage_error(store.notices) or not store.read(_has_ended):
        return store
    repairs += store.notices
    store.close()
    return None


def _has_ended(state: PlanState) -> bool:
    """Return whether a plan is over; a plan stopped by failed tasks can still go on."""
    return state.status == "completed" or state.hold == "aborted"


def damage_error(notices: Iterable[Notice]) -> DamagedJournal | None:
    """Return the error for a damaged plan, which could not be read to its end; else None."""
    for key, details in notices:
        if key in _DAMAGE:
            return DamagedJournal(key, **details)
    return None


_SCHEME: Final = "sqlite:"
_BEFORE_PATH: Final = "sqlite:///"
_NOT_IN_PATHS: Final = "?#\0"  # URL options would otherwise end up in the file name


def is_url(where: object) -> TypeGuard[str]:
    """Return whether a location names a database, also by a malformed URL."""
    return isinstance(where, str) and where.startswith(_SCHEME)


def database_at(url: str) -> Database:
    """Return the database of a URL; its file need not exist yet."""
    from outlast.adapters.stores.sqlite.database import Database
    from outlast.system.disk import Disk

    return Database(os.path.abspath(_path(check_name(url, "where"))), Disk())  # noqa: PTH100 - without the cost of pathlib


def _path(url: str) -> str:
    path = url.removeprefix(_BEFORE_PATH)
    named = path != url and path.strip("/") and not path.endswith("/")
    if not named or path == ":memory:" or any(mark in path for mark in _NOT_IN_PATHS):
        raise InvalidArgument("bad_database_url", argument="where", value=url)
    return path
