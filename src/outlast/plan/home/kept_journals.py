"""A second name of each journal, in the user's state directory.

The directory of the plans is ignored by git, so `git clean -fdx` removes it. The second name is a
hard link: it costs no space, has every commit at once, and tells by the count of names whether the
plan is gone or only elsewhere. Where the file system allows none, it is a copy, renewed when a plan
is opened. Thirty days after a plan has left its place, its second name is removed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from zlib import crc32

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from outlast.errors import PlanExists, StoreError
from outlast.plan.home.layouts import HOMES
from outlast.store.files.journal_file import NAME
from outlast.system.disk import (
    PRIVATE,
    TEMPORARY,
    Disk,
    place_if_absent,
    read_from,
    read_whole,
    write_atomically,
    write_temporary,
)
from outlast.system.state_home import StateHome, state_home

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from outlast.store.files.journal_file import JournalFile

KEPT_DAYS: Final = 30
_KIND: Final = "journals"
_PLAIN: Final = 40  # characters of a plan's id; a longer one has a digest in its place
_JOURNAL: Final = ".jsonl"
_INFO: Final = ".json"
_INFO_BYTES: Final = 1 << 16
_SMALL: Final = 1 << 16  # bytes that are copied whenever they have changed
_OWN_LINKS: Final = 2  # of a journal: in the plan's directory, and its second name
_SWEPT: Final = "journals-swept"  # when old second names were removed last
_SWEEP_EVERY: Final = timedelta(days=1)
_GROWN: Final = 4  # a larger copy is renewed when it lacks the fourth part


class KeptPlan(Struct, frozen=True, omit_defaults=True):
    """A plan with a second name: where it belongs, and since when it is not there, if it is not.

    `is_copy` if the second name is one of another file.
    """

    root: str
    layout: str
    key: str
    directory: str
    is_copy: bool = False
    since: datetime | None = None


class KeptJournals:
    """The second names of this user's journals. Nothing depends on them: failures are ignored."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._home = StateHome(state_home(), disk)

    def keep(self, file: JournalFile, plan_id: str, plan: KeptPlan) -> None:
        """Give an open journal its second name, unless it has it."""
        path = self._path(f"{_name(plan_id, plan.root)}{_JOURNAL}")
        try:
            known, size = self._disk.stat_path(path)
        except OSError:
            known, size = (0, 0), -1
        if known != file.identity:
            with suppress(OSError, StoreError):
                self._renew(file, path, plan, known[0] if size >= 0 else None, size)

    def _renew(
        self, file: JournalFile, path: str, plan: KeptPlan, device: int | None, size: int
    ) -> None:
        if not file.writable:
            return
        _, grown = self._disk.stat(file.fd)
        if device not in (None, file.identity[0]) and _is_recent(size, grown):
            return
        self._home.make_directories(_KIND)
        info = path.removesuffix(_JOURNAL)
        self._write_info(info, plan)  # first: once the name is there, nothing is looked at again
        if self._link(file.path, path):
            self._remove_moved(file, path)
            return
        self._write_info(info, replace(plan, is_copy=True))
        data = read_from(self._disk, file.fd, 0, grown)
        write_atomically(self._disk, path, data, sync=False, mode=PRIVATE)

    def _remove_moved(self, file: JournalFile, path: str) -> None:
        """Remove the second names that the same file has from places where it was before."""
        links, _ = self._disk.stat(file.fd)
        names = self._disk.list_directory(self._path()) if links > _OWN_LINKS else []
        for other in (self._path(name) for name in names if name.endswith(_JOURNAL)):
            if other != path and self._disk.stat_path(other)[0] == file.identity:
                self._remove(other.removesuffix(_JOURNAL))

    def _link(self, old: str, path: str) -> bool:
        """Link a file over a name; return whether that was possible."""
        new = f"{path}.{self._disk.process_id()}.0{TEMPORARY}"
        try:
            self._disk.link(old, new)
            self._disk.rename(new, path)
        except OSError:
            return False
        finally:
            with suppress(OSError):
                self._disk.remove(new)  # which is still there if both names were one file
        return True

    def _write_info(self, path: str, plan: KeptPlan) -> None:
        write_atomically(self._disk, f"{path}{_INFO}", encode(plan), sync=False, mode=PRIVATE)

    # Plans that are not where they were

    def find_gone(self, roots: Collection[str]) -> list[KeptPlan]:
        """Return the plans of some workspaces that are nowhere any more, one for each key.

        Of several with one key it is the one that was changed last.
        """
        found = dict[str, tuple[int, KeptPlan]]()
        for path, plan in self._plans(roots):
            is_meant = plan.root in roots and not self._is_there(plan)
            if is_meant and not self._is_elsewhere(path, plan):
                changed = self._changed_at(path)
                found[plan.key] = max(found.get(plan.key, (-1, plan)), (changed, plan), key=_time)
        return [found[key][1] for key in sorted(found)]

    def bring_back(self, plan: KeptPlan, directory: str) -> None:
        """Put the journal of a plan back into its directory, which exists.

        Raises `PlanExists` if there is a journal.
        """
        target = os.path.join(directory, NAME)
        same = (path for path, kept in self._plans((plan.root,)) if kept == plan)
        gone = (path for path in same if not self._is_elsewhere(path, plan))
        newest = max(gone, key=self._changed_at)
        try:
            self._place(f"{newest}{_JOURNAL}", target)
        except FileExistsError as error:
            raise PlanExists("plan_exists_already", where=directory, key=plan.key) from error
        self._disk.sync_directory(directory)

    def find_missing(self, root: str, directory: str) -> KeptPlan | None:
        """Return the plan whose directory has lost its journal; None if it has no second name."""
        found = [plan for plan in self.find_gone((root,)) if plan.directory == directory]
        return found[0] if found else None

    def _changed_at(self, path: str) -> int:
        _, _, changed, _ = self._disk.stamp(f"{path}{_JOURNAL}")
        return changed

    def _place(self, kept: str, target: str) -> None:
        try:
            self._disk.link(kept, target)
        except FileExistsError:
            raise
        except OSError:
            data = read_whole(self._disk, kept)
            new = write_temporary(self._disk, target, data, sync=True, mode=PRIVATE)
            place_if_absent(self._disk, new, target)

    def forget(self, roots: Collection[str], key: str) -> int:
        """Remove the second names of plans with a key that are not there; return how many."""
        names = [
            path
            for path, plan in self._plans(roots)
            if plan.root in roots and plan.key == key and not self._is_there(plan)
        ]
        for path in names:
            self._remove(path)
        return len(names)

    def remove_old_daily(self, now: datetime) -> None:
        """Do so once a day: there may be many."""
        with suppress(OSError, StoreError):
            swept = self._home.read_value(_SWEPT, _KIND)
            is_due = True
            with suppress(ValueError):
                is_due = not timedelta() <= now - datetime.fromisoformat(swept) < _SWEEP_EVERY
            if is_due:
                self._home.write_value(_SWEPT, _KIND, now.isoformat())
                self.remove_old(now)

    def remove_old(self, now: datetime) -> None:
        """Remove the second names of plans that left their place thirty days ago."""
        for path, plan in self._plans():
            with suppress(OSError):
                if self._is_there(plan):
                    if plan.since is not None:
                        self._write_info(path, replace(plan, since=None))
                elif plan.since is None:
                    self._write_info(path, replace(plan, since=now))
                elif now - plan.since >= timedelta(days=KEPT_DAYS):
                    self._remove(path)

    def _remove(self, path: str) -> None:
        for end in (_JOURNAL, _INFO):
            with suppress(FileNotFoundError):
                self._disk.remove(f"{path}{end}")

    def _plans(self, roots: Collection[str] = ()) -> Iterator[tuple[str, KeptPlan]]:
        """Yield the plans with a second name, each with the path of it without its end.

        With `roots`, those of other workspaces are left out, except by chance.
        """
        ends = tuple(f"-{_digest(root)}{_INFO}" for root in roots) or _INFO
        try:
            names = self._disk.list_directory(self._path())
        except OSError:
            return
        known = {*names}
        for name in names:
            begin = name.removesuffix(_INFO)
            if name.endswith(ends) and f"{begin}{_JOURNAL}" in known:
                with suppress(OSError, StoreError, DecodeError):
                    data = self._home.read_private(_KIND, name, _INFO_BYTES)
                    yield self._path(begin), decode(data, type=KeptPlan)

    def _is_there(self, plan: KeptPlan) -> bool:
        return self._disk.exists(os.path.join(plan.directory, NAME))

    def _is_elsewhere(self, path: str, plan: KeptPlan) -> bool:
        """Return whether the plan still has a directory: it was archived, moved or renamed."""
        if plan.is_copy:
            return self._is_archived(plan)
        fd = self._disk.open(f"{path}{_JOURNAL}", os.O_RDONLY, 0)
        try:
            links, _ = self._disk.stat(fd)
        finally:
            self._disk.close(fd)
        return links > 1

    def _is_archived(self, plan: KeptPlan) -> bool:
        begin = f"{os.path.basename(plan.directory)}-"
        with suppress(OSError):
            names = self._disk.list_directory(os.path.join(plan.root, HOMES[0], "archive"))
            return any(name.startswith(begin) for name in names)
        return False

    def _path(self, *names: str) -> str:
        return self._home.path_of(_KIND, *names)


def _time(known: tuple[int, KeptPlan]) -> int:
    return known[0]


def _is_recent(copied: int, size: int) -> bool:
    """Return whether a copy of so many bytes need not be renewed."""
    return copied == size or (size > _SMALL and 0 <= size - copied < size // _GROWN)


def _name(plan_id: str, root: str) -> str:
    is_plain = plan_id.isascii() and plan_id.replace("_", "").isalnum() and len(plan_id) <= _PLAIN
    own = plan_id if is_plain else f"{crc32(plan_id.encode()):08x}"
    return f"{own}-{_digest(root)}"


def _digest(root: str) -> str:
    return f"{crc32(os.fsencode(root)):08x}"
