"""The archive of ended plans: `.outlast/archive/<directory>-<time>/`.

A plan's directory is moved as a whole, by one rename under the plan's lock. Nothing is removed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import ENOTDIR
from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.files.journal_file import NAME
from outlast.adapters.stores.files.replica import JournalReplica
from outlast.domain.decide.claims import refuse_claimed
from outlast.errors import InvalidStatus, PlanNotFound, StoreError
from outlast.system.disk import describe_error
from outlast.system.files import PRIVATE, SHARED, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from outlast.domain.state import PlanState
    from outlast.system.disk import Disk

_HOME: Final = ".outlast"
_PARTS: Final = (_HOME, "archive")
_IGNORE: Final = ".gitignore"


def archive(
    directory: str,
    root: str,
    disk: Disk,
    now: datetime,
    refuse: Callable[[PlanState, datetime], None],
) -> str:
    """Move a plan's directory into the archive of a workspace; return its new path.

    `refuse` is called under the lock and raises if the plan must not be moved after all. A damaged
    plan stays where it is.
    """
    try:
        replica = JournalReplica(directory, disk, now)
        try:
            target = os.path.join(root, *_PARTS, f"{os.path.basename(directory)}-{_timestamp(now)}")
            replica.with_lock(
                lambda: _move(replica, root, disk, target, lambda state: refuse(state, now))
            )
        finally:
            replica.invalidate()
    except OSError as error:
        problem = describe_error(error)
        raise StoreError("store_failed", where=directory, problem=problem) from error
    return target


def refuse_unfinished(state: PlanState, now: datetime) -> None:
    """Raise if a plan has not ended, or is leased."""
    if state.status != "completed" and state.hold != "aborted":
        raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)
    refuse_leased(state, now)


def refuse_leased(state: PlanState, now: datetime) -> None:
    """Raise if the plan, or a task of it, is leased."""
    for task in state.ledger.leases:
        refuse_claimed(state, task, now)


def find_archived_directories(root: str, disk: Disk) -> list[str]:
    """Return the directories of the archived plans of a workspace, oldest first."""
    home = os.path.join(root, *_PARTS)
    try:
        names = disk.list_directory(home)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problem = describe_error(error)
        raise StoreError("store_failed", where=home, problem=problem) from error
    paths = (os.path.join(home, name) for name in names)
    return [
        path
        for path in paths
        if _is_real_path(path, disk) and disk.exists(os.path.join(path, NAME))
    ]


def _move(
    replica: JournalReplica, root: str, disk: Disk, target: str, refuse: Callable[[PlanState], None]
) -> None:
    replica.refresh()
    if replica.journal.damage is not None:
        raise replica.damage_error()
    if not replica.journal.is_in_place():
        raise PlanNotFound("no_plan_there", where=replica.where, candidates=[])
    refuse(replica.state)
    replica.sync()
    _make_archive_directory(root, disk, shared=replica.journal.shared)
    disk.rename(replica.where, target)
    disk.sync_directory(os.path.dirname(target))
    disk.sync_directory(os.path.dirname(replica.where))


def _make_archive_directory(root: str, disk: Disk, *, shared: bool) -> None:
    path = root
    for part in _PARTS:
        path = os.path.join(path, part)
        with suppress(FileExistsError):
            disk.make_directory(path, 0o777 if shared else 0o700)
        disk.sync_directory(os.path.dirname(path))
    if not _is_real_path(path, disk):
        raise NotADirectoryError(ENOTDIR, "")
    ignore = os.path.join(root, _HOME, _IGNORE)
    if not disk.exists(ignore):
        write_atomically(disk, ignore, b"*\n", mode=SHARED if shared else PRIVATE)


def _is_real_path(path: str, disk: Disk) -> bool:
    """Return whether no symbolic link is on the way."""
    return disk.real_path(path) == path


def _timestamp(now: datetime) -> str:
    return f"{now:%Y%m%dT%H%M%S.%fZ}"
