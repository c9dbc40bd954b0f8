"""Plans that have ended, moved out of the way: `.outlast/archive/<directory>-<time>/`.

A directory is moved as a whole, by one rename under the plan's own lock. Nothing is removed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import ENOTDIR
from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.files.journal_file import NAME
from outlast.adapters.stores.files.replica import KeptPlan
from outlast.domain.decide.fencing import refuse_claimed
from outlast.errors import InvalidStatus, PlanNotFound, StoreError
from outlast.system.files import PRIVATE, SHARED, write_whole

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
    """Move a plan's directory into the archive of a workspace; return where it is then.

    `refuse` says under the lock, by raising, that the plan is not to be moved after all. A plan
    that cannot be read to its end stays where it is.
    """
    try:
        kept = KeptPlan(directory, disk, now)
        try:
            target = os.path.join(root, *_PARTS, f"{os.path.basename(directory)}-{_stamp(now)}")
            kept.with_lock(_move, kept, root, disk, target, lambda state: refuse(state, now))
        finally:
            kept.forget()
    except OSError as error:
        problem = os.strerror(error.errno or 0)
        raise StoreError("store_failed", where=directory, problem=problem) from error
    return target


def refuse_open(state: PlanState, now: datetime) -> None:
    """Refuse a plan that has not ended, or that somebody holds."""
    if state.status != "completed" and state.hold != "aborted":
        raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)
    refuse_held(state, now)


def refuse_held(state: PlanState, now: datetime) -> None:
    """Refuse a plan that somebody holds, or a task of it."""
    for task in state.ledger.leases:
        refuse_claimed(state, task, now)


def archived(root: str, disk: Disk) -> list[str]:
    """Return the directories of the plans in the archive of a workspace, oldest name first."""
    home = os.path.join(root, *_PARTS)
    try:
        names = disk.names(home)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problem = os.strerror(error.errno or 0)
        raise StoreError("store_failed", where=home, problem=problem) from error
    paths = (os.path.join(home, name) for name in names)
    return [path for path in paths if _is_plain(path, disk) and disk.has(os.path.join(path, NAME))]


def _move(
    kept: KeptPlan, root: str, disk: Disk, target: str, refuse: Callable[[PlanState], None]
) -> None:
    kept.refresh()
    if kept.journal.damage is not None:
        raise kept.damaged()
    if not kept.journal.is_in_place():
        raise PlanNotFound("no_plan_there", where=kept.directory, candidates=[])
    refuse(kept.state)
    kept.make_safe()
    _make_home(root, disk, shared=kept.journal.shared)
    disk.rename(kept.directory, target)
    disk.sync_directory(os.path.dirname(target))
    disk.sync_directory(os.path.dirname(kept.directory))


def _make_home(root: str, disk: Disk, *, shared: bool) -> None:
    path = root
    for part in _PARTS:
        path = os.path.join(path, part)
        with suppress(FileExistsError):
            disk.make_directory(path, 0o777 if shared else 0o700)
        disk.sync_directory(os.path.dirname(path))
    if not _is_plain(path, disk):
        raise NotADirectoryError(ENOTDIR, "")
    ignore = os.path.join(root, _HOME, _IGNORE)
    if not disk.has(ignore):
        write_whole(disk, ignore, b"*\n", mode=SHARED if shared else PRIVATE)


def _is_plain(path: str, disk: Disk) -> bool:
    """Tell whether no link on the way leads elsewhere."""
    return disk.real(path) == path


def _stamp(now: datetime) -> str:
    return f"{now:%Y%m%dT%H%M%S.%fZ}"
