"""The archive of a workspace: `.outlast/archive/<directory>-<time>[-<layout>]/`.

A plan's directory is moved there as a whole, by one rename under the plan's lock, and back in the
same way. Nothing is removed.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from errno import ENOTDIR
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.errors import InvalidStatus, NewerFormat, PlanNotFound, StoreError
from outlast.model.decide.claims import refuse_claimed
from outlast.plan.home.layouts import LAYOUTS
from outlast.store.files.journal_file import NAME, read_header
from outlast.store.files.log import FilesLog
from outlast.store.replica import Replica
from outlast.system.disk import PRIVATE, SHARED, Disk, describe_error, write_atomically
from outlast.system.keys import directory_name, key_of, nfc
from outlast.system.process_identity import holder_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.model.state import PlanState

    Refuse = Callable[[PlanState, datetime], None]

_HOME: Final = ".outlast"
_PARTS: Final = (_HOME, "archive")
_IGNORE: Final = ".gitignore"
_DEFAULT_LAYOUT: Final = "outlast"  # which a name leaves out
_NAME: Final = r"(.+)-\d{8}T\d{6}\.\d{6}Z(?:-([a-z-]+))?"


class ArchivedPlan(Struct, frozen=True):
    """A plan in an archive: its name there, its key, its layout, and in a workspace its path."""

    name: str
    key: str
    layout: str = _DEFAULT_LAYOUT
    path: str = ""


def timestamp(now: datetime) -> str:
    """Return a time as it stands in the names of archived plans."""
    return f"{now:%Y%m%dT%H%M%S.%fZ}"


def refuse_unfinished(state: PlanState, now: datetime) -> None:
    """Raise if a plan has not ended, or is leased."""
    if not state.has_ended:
        raise InvalidStatus("plan_not_ended", plan=state.id, status=state.status)
    refuse_leased(state, now)


def refuse_leased(state: PlanState, now: datetime) -> None:
    """Raise if the plan, or a task of it, is leased."""
    for task in state.ledger.leases:
        refuse_claimed(state, task, now, state_of=holder_state)


class ArchiveDirectory:
    """The archive of the workspace in one directory."""

    def __init__(self, root: str, disk: Disk) -> None:
        """Use the archive of a workspace, which need not exist yet."""
        self._root, self._disk = root, disk
        self._path = os.path.join(root, *_PARTS)

    def plans(self) -> list[ArchivedPlan]:
        """Return the archived plans, those of one key oldest first."""
        paths = [os.path.join(self._path, name) for name in self._names()]
        return [self._describe(path) for path in paths if self._is_plan(path)]

    def layout_of(self, key: str) -> str:
        """Return the layout of the newest archived plan with a key; empty if there is none."""
        directory = directory_name(key)
        own = [match for match in self._matches() if nfc(match[1]) == directory]
        return _layout(own[-1]) if own else ""

    def _matches(self) -> Iterator[re.Match[str]]:
        return filter(None, (re.fullmatch(_NAME, name) for name in self._names()))

    def add(self, directory: str, layout: str, now: datetime, refuse: Refuse) -> ArchivedPlan:
        """Move a plan's directory here.

        `refuse` is called under the lock and raises if the plan must not be moved after all. A
        damaged plan stays where it is.
        """
        name = f"{os.path.basename(directory)}-{timestamp(now)}"
        if layout != _DEFAULT_LAYOUT:
            name = f"{name}-{layout}"
        target = os.path.join(self._path, name)
        try:
            log = FilesLog(directory, self._disk, now)
            replica = Replica(log, now)
            try:
                replica.with_lock(
                    lambda: self._move_in(replica, log, target, lambda state: refuse(state, now))
                )
            finally:
                log.close()
        except OSError as error:
            raise _store_error(directory, error) from error
        return self._describe(target)

    def move_out(self, plan: ArchivedPlan, directory: str) -> None:
        """Move an archived plan to a directory that does not exist or is empty."""
        try:
            self._rename(plan.path, directory)
        except FileNotFoundError as error:  # another process was faster
            raise PlanNotFound("no_plan_there", where=plan.path, candidates=[]) from error
        except OSError as error:
            raise _store_error(directory, error) from error

    def _names(self) -> list[str]:
        try:
            return self._disk.list_directory(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _store_error(self._path, error) from error

    def _is_plan(self, path: str) -> bool:
        return self._is_real_path(path) and self._disk.exists(os.path.join(path, NAME))

    def _describe(self, path: str) -> ArchivedPlan:
        name = os.path.basename(path)
        match = re.fullmatch(_NAME, name)
        key = key_of(match[1]) if match else ""
        return ArchivedPlan(name, key or self._read_key(path) or key_of(name), _layout(match), path)

    def _read_key(self, path: str) -> str:
        """Return the key in the journal's header, for a name that does not tell it."""
        try:
            header = read_header(path, self._disk)
        except NewerFormat:
            return ""
        return header.key if header else ""

    def _move_in(
        self, replica: Replica, log: FilesLog, target: str, refuse: Callable[[PlanState], None]
    ) -> None:
        replica.refresh()
        if log.is_damaged:
            raise log.damage_error()
        if log.check() == "replaced":
            raise PlanNotFound("no_plan_there", where=log.where, candidates=[])
        refuse(replica.state)
        replica.sync()
        self._create(shared=log.is_shared)
        self._rename(log.where, target)

    def _rename(self, old: str, new: str) -> None:
        self._disk.rename(old, new)
        self._disk.sync_directory(os.path.dirname(new))
        self._disk.sync_directory(os.path.dirname(old))

    def _create(self, *, shared: bool) -> None:
        path, disk = self._root, self._disk
        for part in _PARTS:
            path = os.path.join(path, part)
            with suppress(FileExistsError):
                disk.make_directory(path, 0o777 if shared else 0o700)
            disk.sync_directory(os.path.dirname(path))
        if not self._is_real_path(path):
            raise NotADirectoryError(ENOTDIR, "")
        ignore = os.path.join(self._root, _HOME, _IGNORE)
        if not disk.exists(ignore):
            write_atomically(disk, ignore, b"*\n", mode=SHARED if shared else PRIVATE)

    def _is_real_path(self, path: str) -> bool:
        """Return whether no symbolic link is on the way."""
        return self._disk.real_path(path) == path


def _layout(match: re.Match[str] | None) -> str:
    layout = match[2] if match else None
    return layout if layout in LAYOUTS else _DEFAULT_LAYOUT


def _store_error(where: str, error: OSError) -> StoreError:
    return StoreError("store_failed", where=where, problem=describe_error(error))
