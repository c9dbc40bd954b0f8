"""Which workspace a place belongs to, and which store keeps a plan of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.memory import MemoryStore
from outlast.domain.limits import check_name
from outlast.errors import DamagedJournal, OutlastError, PlanNotFound
from outlast.system.clock import now

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from outlast.adapters.stores.files.store import FilesStore
    from outlast.adapters.stores.sqlite.database import Database
    from outlast.adapters.stores.sqlite.store import SqliteStore
    from outlast.adapters.stores.workspace import Workspace
    from outlast.domain.state import PlanState
    from outlast.ports.store import Notice

    Place = Workspace | Database
    Kept = FilesStore | SqliteStore

_DAMAGE: Final = ("journal_damaged", "row_damaged")


def place_at(where: str | os.PathLike[str]) -> Place:
    """Return the workspace in a directory, or the database that a URL names."""
    from outlast.wiring.databases import database_at, is_url

    return database_at(where) if is_url(where) else workspace_at(where)


def workspace_at(where: str | os.PathLike[str]) -> Workspace:
    """Return the workspace in a directory."""
    import os

    from outlast.adapters.stores.workspace import Workspace
    from outlast.system.disk import Disk

    path = os.fspath(where) if isinstance(where, os.PathLike) else where
    return Workspace(os.path.abspath(check_name(path, "where")), Disk())  # noqa: PTH100 - without the cost of pathlib


def project_of(start: str) -> Workspace | None:
    """Return the nearest workspace; `.sessions` may be somebody else's, so it counts less."""
    from outlast.adapters.stores.layouts import HOMES
    from outlast.system.workspace_root import find_home

    for home in HOMES:
        found = find_home(start, home)
        if found is not None:
            return workspace_at(found)
    return None


def open_store(place: Place, where: str, key: str | None, *, ended: bool = False) -> Kept:
    """Open the plan with a key, or the only one that has not ended."""
    if key is not None:
        return place.open(check_name(key, "key"), now())
    return _only_open(place, where, ended=ended)


def _only_open(place: Place, where: str, *, ended: bool) -> Kept:
    """Return the one plan that has not ended; a plan that cannot be read may be that one."""
    known = place.known()
    if not known:
        raise _nothing(where)
    mended: list[Notice] = []
    looked = ((key, _not_ended(place, key, mended)) for key in known)
    found = {key: store for key, store in looked if store is not None}
    if len(found) == 1:
        [(key, only)] = found.items()
        if isinstance(only, OutlastError):
            raise only
        store = place.open(key, now()) if isinstance(only, MemoryStore) else only
        store.notices[:0] = mended
        return store
    for other in found.values():
        if not isinstance(other, OutlastError):
            other.close()
    if found:
        raise PlanNotFound("which_plan", count=len(found), candidates=list(found))
    if not ended or len(known) > 1:
        raise PlanNotFound("no_open_plan", candidates=known)
    store = place.open(known[0], now())
    store.notices[:0] = mended
    return store


def _nothing(where: str) -> PlanNotFound:
    from outlast.wiring.databases import is_url

    text = "no_plan_there" if is_url(where) else "no_plan_yet"
    return PlanNotFound(text, where=where, candidates=[])


def _not_ended(
    place: Place, key: str, mended: list[Notice]
) -> Kept | MemoryStore | OutlastError | None:
    try:
        store = place.look(key, now())
    except OutlastError as error:
        return error
    if damage(store.notices) or not store.read(_has_ended):
        return store
    mended += store.notices
    store.close()
    return None


def _has_ended(state: PlanState) -> bool:
    """Tell whether a plan is over; one that failed tasks hold up can still be helped."""
    return state.status == "completed" or state.hold == "aborted"


def damage(notices: Iterable[Notice]) -> DamagedJournal | None:
    """Return the error for a plan that is damaged, so that it was not read to its end."""
    for key, details in notices:
        if key in _DAMAGE:
            return DamagedJournal(key, **details)
    return None
