"""Repair of a damaged journal, which loses nothing that can be read.

The damaged file is kept. The new journal has every commit that can be read and still applies
without the lost ones; they get new revisions.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final
from zlib import crc32

from outlast.adapters.stores.files import snapshot_file
from outlast.adapters.stores.files.journal_file import JournalFile
from outlast.domain import changes as c
from outlast.domain.changes import fold
from outlast.domain.history.rebuild import commits_from_snapshot, make_commit, skip_ids
from outlast.domain.history.salvage import salvage
from outlast.domain.limits import default_title
from outlast.domain.model import MAIN, Phase
from outlast.domain.state import PlanState
from outlast.errors import DamagedJournal, StoreError, WriteFailed
from outlast.formats import journal, snapshot
from outlast.system.clock import new_plan_id
from outlast.system.disk import describe_error
from outlast.system.files import PRIVATE, SHARED, read_from, write_atomically
from outlast.system.keys import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.formats.journal import Header
    from outlast.formats.snapshot import Snapshot
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_TRIES: Final = 5  # to lock a file that is being replaced
_UNKNOWN_KEY: Final = "recovered"
_HEAD: Final = b'{"revision":'
_TAIL: Final = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_SHARED: Final = b'"shared":true'


def repair(directory: str, disk: Disk, now: datetime) -> list[Notice]:
    """Repair the journal in a plan's directory; return what was done, nothing if it is sound."""
    try:
        file = JournalFile(directory, disk)
        try:
            return _repair_locked(file, _lock_and_read(file, disk), disk, now)
        finally:
            file.close()  # which releases the lock
    except OSError as error:
        raise _write_error("write_failed", directory, error) from error


def check_integrity(directory: str, disk: Disk, now: datetime) -> None:
    """Read a whole journal, also what a snapshot covers; raise `DamagedJournal` if unsound."""
    try:
        file = JournalFile(directory, disk)
        try:
            file.check_header()
            _, size = disk.stat(file.fd)
            data = read_from(disk, file.fd, 0, size)
        finally:
            file.close()
    except OSError as error:
        raise _write_error("store_failed", directory, error) from error
    if not is_sound(data, now):
        raise DamagedJournal("journal_not_whole", path=file.path)


def _lock_and_read(file: JournalFile, disk: Disk) -> bytes:
    """Lock the file that has the journal's name, and return its content."""
    file.lock()
    for _ in range(_TRIES):
        links, size = disk.stat(file.fd)
        if links:
            return read_from(disk, file.fd, 0, size)
        file.reopen()
    raise StoreError("store_busy", where=os.path.dirname(file.path))


def _repair_locked(file: JournalFile, data: bytes, disk: Disk, now: datetime) -> list[Notice]:
    if is_sound(data, now):
        return []
    directory = os.path.dirname(file.path)
    rebuilt, saved = JournalRepair(data, now), snapshot_file.load(directory, disk)
    header = rebuilt.header(key_of(os.path.basename(directory)), saved.key if saved else "")
    rebuilt.salvage_rest(saved, new_plan_id(), header.key)
    if not rebuilt.commits:
        raise DamagedJournal("journal_unreadable", path=file.path)
    if not file.writable:
        raise WriteFailed("not_writable", where=directory)
    copy = f"{file.path}.damaged-{now:%Y%m%dT%H%M%S}-{crc32(data):08x}"
    lines = journal.write_header(header.key, shared=header.shared)
    lines += b"".join(map(journal.write_commit, rebuilt.commits))
    mode = SHARED if header.shared else PRIVATE
    write_atomically(disk, copy, data, sync=True, mode=mode)
    disk.sync_directory(directory)  # the copy must be durable before the journal is replaced
    write_atomically(disk, file.path, lines, sync=True, mode=mode)
    _sync_directory(directory, disk)
    counts = {"kept_commits": rebuilt.kept_commits, "lost_commits": rebuilt.lost_commits}
    return [("journal_repaired", {"where": directory, "kept": copy, **counts})]


def _sync_directory(directory: str, disk: Disk) -> None:
    try:
        disk.sync_directory(directory)
    except OSError as error:
        raise _write_error("write_unknown", directory, error) from error


def _write_error(text: str, where: str, error: OSError) -> WriteFailed:
    return WriteFailed(text, where=where, problem=describe_error(error))


def is_sound(data: bytes, now: datetime) -> bool:
    """Return whether a journal is whole, except perhaps for a torn last line."""
    (_, first), *lines = journal.split_lines(data) if b"\n" in data else [(0, b"")]
    state = PlanState(now)
    if journal.read_header(first) is None:
        return False
    for number, (_, line) in enumerate(lines):
        commit = journal.read_commit(line)
        if commit is None:
            return state.revision > 0 and not journal.is_damage(lines[number:])
        if not _try_apply(state, commit):
            return False
    return state.revision > 0


class JournalRepair:
    """A new journal put together from a damaged one.

    `kept_commits` counts the commits that could be kept, `lost_commits` those that are unreadable
    or no longer apply. Without `commits` nothing could be read.
    """

    def __init__(self, data: bytes, now: datetime) -> None:
        """Start with the commits before the damage."""
        self._data = data
        self._records = _read_records(data)
        self._state = PlanState(now)
        self.commits: list[Commit] = []
        self.kept_commits = self.lost_commits = 0
        while self.kept_commits < len(self._records):
            commit = self._records[self.kept_commits]
            if commit is None or not _try_apply(self._state, commit):
                break
            self.commits.append(commit)
            self.kept_commits += 1
        self._state = PlanState(now)
        for commit in self.commits:
            _try_apply(self._state, commit)
        self._last_revision = self._state.revision
        self._numbers = {number: number for number in range(1, self._last_revision + 1)}

    def header(self, name: str, saved: str) -> Header:
        """Return the header, or make one; the directory's name and the snapshot tell a key."""
        line, _, _ = self._data.partition(b"\n")
        header = next(filter(None, map(journal.read_header, _split_line(line))), None)
        key = name or self._state.key or saved or _UNKNOWN_KEY
        return header or journal.Header(journal.FORMAT, key, _SHARED in line)

    def salvage_rest(self, saved: Snapshot | None, plan_id: str, goal: str) -> None:
        """Add what a snapshot knows and the commits after the damage.

        A plan whose first commit is lost gets this id and goal.
        """
        rest = self._records[self.kept_commits :]
        if self.commits:
            saved = saved if saved and _is_snapshot_of(saved, self._data) else None
        else:
            readable = [commit for commit in rest if commit]
            created = _recreate_beginning(saved, readable, plan_id, goal)
            if created is None:
                return
            self.commits.append(make_commit(self._state, (created,), created.created_at))
        if saved and saved.revision > self._last_revision:
            split = _index_after(rest, saved.revision)
            self._salvage_records(rest[:split])
            self.commits += commits_from_snapshot(self._state, snapshot.restore(saved))
            rest = rest[split:]
        self._salvage_records(rest)
        self.commits.append(skip_ids(self._state, self._state.updated_at))

    def _salvage_records(self, records: Sequence[Commit | None]) -> None:
        unread = 0
        for commit in records:
            if commit is None:
                unread += 1
                continue
            self.lost_commits += max(
                0, commit.revision - self._last_revision - bool(commit.changes)
            )
            unread = 0
            self._last_revision = commit.revision
            salvaged = salvage(self._state, commit, self._numbers)
            if salvaged is None:
                self.lost_commits += 1
            else:
                self.commits.append(salvaged)
                self.kept_commits += 1
        self.lost_commits += unread


def _try_apply(state: PlanState, commit: Commit) -> bool:
    """Apply a commit if it is the next one; if it does not apply, the state is spoiled."""
    if commit.revision != state.revision + bool(commit.changes):
        return False
    try:
        if commit.changes:
            fold(state, commit.changes, commit.revision, commit.at)
    except (LookupError, ValueError):
        return False
    return True


def _read_records(data: bytes) -> list[Commit | None]:
    """Return the commits in order, with None for each line without one.

    The remains of the header do not count, nor does an unfinished last line.
    """
    records: list[Commit | None] = []
    *lines, last = data.split(b"\n")
    for number, line in enumerate(lines):
        commits = list(_read_commits(line))
        if commits and commits[0].revision == 1 and not any(records):
            records.clear()
        records += commits or ([None] if number else [])
    return [*records, *_read_commits(last)]


def _read_commits(line: bytes) -> Iterator[Commit]:
    """Yield the commits in a line; there is more than one if a line end was lost."""
    for piece in _split_line(line):
        commit = journal.read_commit(piece[max(0, piece.rfind(_HEAD)) :])
        if commit is not None:
            yield commit


def _split_line(line: bytes) -> Iterator[bytes]:
    """Yield the parts of a line that end as a line should."""
    begin = 0
    for tail in _TAIL.finditer(line):
        yield line[begin : tail.end()]
        begin = tail.end()


def _is_snapshot_of(saved: Snapshot, data: bytes) -> bool:
    """Return whether a snapshot is of this journal: its last line is there, or is unreadable."""
    if saved.mark.strip().encode() in data:
        return True
    *_, line, rest = b"", *data[: saved.offset].split(b"\n")
    return saved.offset <= len(data) and not rest and not any(_read_commits(line))


def _index_after(records: Sequence[Commit | None], revision: int) -> int:
    """Return the index of the first commit after a revision."""
    later = (n for n, commit in enumerate(records) if commit and commit.revision > revision)
    return next(later, len(records))


def _recreate_beginning(
    saved: Snapshot | None, readable: Sequence[Commit], plan_id: str, goal: str
) -> c.PlanCreated | None:
    """Return the first change of a plan that lost it; None if nothing is known about the plan."""
    if not saved and not readable:
        return None
    changes = [change for commit in readable for change in commit.changes]
    added = {change.phase.id for change in changes if isinstance(change, c.PhaseAdded)}
    named = {change.task.phase: None for change in changes if isinstance(change, c.TaskAdded)}
    phases = [Phase(name, name) for name in named if name not in added and name != MAIN.id]
    at = saved.created_at if saved else readable[0].at
    goal = saved.goal if saved else goal
    return c.PlanCreated(
        id=saved.id if saved else plan_id,
        goal=goal,
        created_at=at,
        updated_at=at,
        key=saved.key if saved else "",
        title=saved.title if saved else default_title(goal),
        order=saved.order if saved else "graph",
        phases=(MAIN, *phases),
    )
