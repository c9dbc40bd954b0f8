"""Repair of a damaged journal, which loses nothing that can be read.

The damaged file is kept. The new journal has every commit that can be read and still applies
without the lost ones; they get new revisions. Tasks that only the snapshot or a later view has are
added. A journal that is missing or has no commit is rebuilt from the snapshot or from the last
view, whichever knows more of the plan.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import TYPE_CHECKING, Final
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from outlast.errors import DamagedJournal, InvalidDocument, PlanNotFound, StoreError, WriteFailed
from outlast.model import changes as c
from outlast.model.changes import Commit, fold
from outlast.model.commands import CreatePlan, KeepProse
from outlast.model.execute import execute
from outlast.model.history import rebuild as lost_tasks
from outlast.model.history.merge import BranchMerge, Fork, fork_from, is_continued
from outlast.model.history.rebuild import AUTHOR, commits_from_snapshot, make_commit, skip_ids
from outlast.model.history.salvage import salvage
from outlast.model.limits import default_title
from outlast.model.model import MAIN, Phase, Prose
from outlast.model.state import PlanState
from outlast.store import journal, snapshot
from outlast.store.files import snapshot_file
from outlast.store.files.journal_file import NAME, JournalFile
from outlast.system.clock import new_plan_id
from outlast.system.disk import (
    PRIVATE,
    SHARED,
    Disk,
    LockHeld,
    LockWait,
    describe_error,
    read_from,
    take_lock,
    write_atomically,
)
from outlast.system.keys import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from outlast.store.journal import Header
    from outlast.store.port import Notice
    from outlast.store.snapshot import Snapshot

_OF_OTHERS: Final = 0o077  # the rights of other users
_TRIES: Final = 5  # to lock a file that is being replaced
_UNKNOWN_KEY: Final = "recovered"
_HEAD: Final = b'{"revision":'
_TAIL: Final = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_SHARED: Final = b'"shared":true'
_MERGE_MARK: Final = re.compile(rb"(?:<{7}|\|{7}|>{7})(?: |\r?\Z)|={7}\r?\Z")


class ViewedPlan(Struct, frozen=True):
    """The plan that a view shows: the file's name, its revision (0 if unknown), its content.

    `is_full` if it shows the results of tasks too. `mark` is of the commit that it shows; `numbers`
    are those in the file itself.
    """

    name: str
    revision: int
    is_full: bool
    plan: CreatePlan
    prose: tuple[Prose, ...] = ()
    mark: str = ""
    numbers: frozenset[int] = frozenset()


class LastView:
    """What a repair needs of the views of a plan; here there are none."""

    def read(self) -> ViewedPlan | None:
        """Return the plan of the first view; None if there is no view that is a plan.

        Raises `InvalidDocument` if a person has to resolve a conflict in it first.
        """
        return None

    def keep_copy(self) -> list[Notice]:
        """Copy the view, which may show what a repair has lost; return the notice about it."""
        return []

    def detach(self, *, is_source: bool, is_ahead: bool = False) -> None:
        """Let the views count as edits of the new journal.

        Not so one that was the source of the journal, or that is not ahead of it and unedited.
        """


def repair(
    directory: str,
    disk: Disk,
    now: datetime,
    view: LastView | None = None,
    *,
    is_copy: bool = False,
) -> list[Notice]:
    """Repair the journal in a plan's directory; return what was done, nothing if it is sound.

    One that is a copy (`is_copy`) is not sound if the view shows more. Raises `DamagedJournal` if
    nothing is left to rebuild the plan from.
    """
    try:
        try:
            file = JournalFile(directory, disk)
        except PlanNotFound:
            return _repair_missing(directory, disk, now, view or LastView())
        try:
            lock_in_place(file, disk)
            state = read_sound(file.all_lines(), now)
            saved = snapshot_file.load(directory, disk) if state else None
            is_behind = is_copy and state and _shows_more(view, state)
            if state and not is_behind and not (saved and snapshot.is_ahead(saved, state)):
                return []
            if not file.writable:
                raise WriteFailed("not_writable", where=directory)
            rebuild = JournalRebuild(directory, read_whole_journal(file, disk), disk, now)
            return rebuild.run(view or LastView())
        finally:
            file.close()  # which releases the lock
    except OSError as error:
        raise _write_error("write_failed", directory, error) from error


def _repair_missing(directory: str, disk: Disk, now: datetime, view: LastView) -> list[Notice]:
    """Rebuild a journal that is missing, under the lock that keeps others from creating one."""
    fd = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        take_lock(disk, fd, directory)
        if not disk.exists(os.path.join(directory, NAME)):
            return JournalRebuild(directory, None, disk, now).run(view)
    finally:
        disk.close(fd)
    return repair(directory, disk, now, view)  # it was put back meanwhile


def check_integrity(directory: str, disk: Disk, now: datetime) -> None:
    """Read a whole journal, also what a snapshot covers; raise `DamagedJournal` if unsound."""
    try:
        file = JournalFile(directory, disk)
        try:
            file.check_header()
            if not is_sound(file.all_lines(), now):
                raise DamagedJournal("journal_not_whole", path=file.path)
        finally:
            file.close()
    except OSError as error:
        raise _write_error("store_failed", directory, error) from error


def read_whole_journal(file: JournalFile, disk: Disk) -> bytes:
    """Return the content of the file, however long it is."""
    _, size = disk.stat(file.fd)
    return read_from(disk, file.fd, 0, size)


def lock_in_place(file: JournalFile, disk: Disk) -> None:
    """Lock the file that has the journal's name."""
    wait = LockWait(disk)
    for _ in range(_TRIES):
        while True:
            try:
                file.lock()
                break
            except LockHeld as held:
                wait.pause(held)
        if _is_in_place(file, disk):
            return
        file.unlock()
        file.reopen()
    raise StoreError("store_busy", where=os.path.dirname(file.path))


def _is_in_place(file: JournalFile, disk: Disk) -> bool:
    try:
        return disk.stat_path(file.path)[0] == disk.identity(file.fd)
    except FileNotFoundError:
        return False


class JournalRebuild:
    """A new journal in the place of one that is damaged, or missing (`data` is None).

    The caller holds the lock.
    """

    def __init__(self, directory: str, data: bytes | None, disk: Disk, now: datetime) -> None:
        self._directory = directory
        self._path = os.path.join(directory, NAME)
        self._data = data
        self._disk = disk
        self._now = now

    def run(self, view: LastView) -> list[Notice]:
        """Write the new journal from the best source; return what was done."""
        rebuilt = JournalRepair(self._data or b"", self._now)
        saved = snapshot_file.load(self._directory, self._disk)
        if rebuilt.has_commits:
            return self._rebuild_from_commits(rebuilt, saved, view)
        viewed = self._read_view(view, saved)
        if viewed is not None and (saved is None or _is_better(viewed, saved)):
            return self._rebuild_from_view(rebuilt, saved, viewed, view)
        if saved is not None:
            return self._rebuild_from_snapshot(rebuilt, saved, viewed, view)
        if self._data is None and not self._has_snapshot():
            raise PlanNotFound("no_plan_there", where=self._directory, candidates=[])
        raise DamagedJournal("journal_unreadable", path=self._path)

    def _read_view(self, view: LastView, saved: Snapshot | None) -> ViewedPlan | None:
        return view.read() if saved is None else self._try_read_view(view)

    def _try_read_view(self, view: LastView) -> ViewedPlan | None:
        try:
            return view.read()
        except InvalidDocument:
            return None

    def _rebuild_from_commits(
        self, rebuilt: JournalRepair, saved: Snapshot | None, view: LastView
    ) -> list[Notice]:
        header = self._header(rebuilt, saved)
        viewed = self._try_read_view(view)
        rebuilt.salvage_rest(saved, new_plan_id(), header.key, viewed)
        notices: list[Notice] = []
        if viewed is not None and rebuilt.restored_tasks:
            details = {"source": viewed.name, "revision": viewed.revision}
            notices.append(("tasks_restored", {**details, "tasks": rebuilt.restored_tasks}))
        if rebuilt.lost_commits or rebuilt.restored_tasks:
            notices += view.keep_copy()
        kept = self._write(header, rebuilt.commits)
        counts = {"kept_commits": rebuilt.kept_commits, "lost_commits": rebuilt.lost_commits}
        done: list[Notice] = [
            ("journal_repaired", {"where": self._directory, "kept": kept, **counts})
        ]
        if rebuilt.branches:
            merged = {"branches": rebuilt.branches, "partial_commits": rebuilt.partial_commits}
            done.append(("branches_merged", {**merged, "questions": rebuilt.questions}))
        return [*done, *notices]

    def _rebuild_from_snapshot(
        self, rebuilt: JournalRepair, saved: Snapshot, viewed: ViewedPlan | None, view: LastView
    ) -> list[Notice]:
        header = self._header(rebuilt, saved)
        rebuilt.salvage_rest(saved, new_plan_id(), header.key)
        notices = view.keep_copy()
        view.detach(is_source=False, is_ahead=viewed is None or viewed.revision > saved.revision)
        kept = self._write(header, rebuilt.commits)
        source = snapshot_file.NAME, saved.revision, len(saved.tasks)
        return [self._describe(*source, kept), *notices]

    def _rebuild_from_view(
        self, rebuilt: JournalRepair, saved: Snapshot | None, viewed: ViewedPlan, view: LastView
    ) -> list[Notice]:
        header = self._header(rebuilt, saved)
        plan = replace(viewed.plan, id=saved.id) if saved else viewed.plan
        state = PlanState(self._now)
        commits = [
            Commit(state.revision, self._now, AUTHOR, changes)
            for command in (plan, KeepProse(viewed.prose))
            if (changes := execute(state, (command,), self._now))
        ]
        commits.append(skip_ids(state, self._now))
        notices = view.keep_copy()
        view.detach(is_source=True)
        kept = self._write(header, commits)
        source = viewed.name, viewed.revision, len(plan.tasks)
        return [self._describe(*source, kept), *notices]

    def _header(self, rebuilt: JournalRepair, saved: Snapshot | None) -> Header:
        name = key_of(os.path.basename(self._directory))
        header = rebuilt.header(name, saved.key if saved else "")
        return header if self._data else replace(header, shared=self._is_shared())

    def _is_shared(self) -> bool:
        """Return whether other users may use a plan without a header, by the mode of its files."""
        for name in (NAME, snapshot_file.NAME):
            path = os.path.join(self._directory, name)
            if self._disk.exists(path):
                return bool(self._disk.mode(path) & _OF_OTHERS)
        return False

    def _has_snapshot(self) -> bool:
        return self._disk.exists(os.path.join(self._directory, snapshot_file.NAME))

    def _write(self, header: Header, commits: Sequence[Commit]) -> str:
        """Keep a copy of the damaged journal, then replace it; return the name of the copy."""
        disk, mode, kept = self._disk, SHARED if header.shared else PRIVATE, ""
        lines = journal.write_header(header.key, shared=header.shared)
        lines += b"".join(map(journal.write_commit, commits))
        if self._data:
            kept = f"{self._path}.damaged-{self._now:%Y%m%dT%H%M%S}-{crc32(self._data):08x}"
            write_atomically(disk, kept, self._data, sync=True, mode=mode)
        disk.sync_directory(self._directory)  # before the journal is replaced
        write_atomically(disk, self._path, lines, sync=True, mode=mode)
        snapshot_file.set_aside(self._directory, disk, self._now)  # it is of the old journal
        _sync_directory(self._directory, disk)
        return kept

    def _describe(self, source: str, revision: int, tasks: int, kept: str) -> Notice:
        details: dict[str, object] = {"where": self._directory, "source": source, "tasks": tasks}
        if kept:
            details["kept"] = kept
        if not revision:
            return "plan_rebuilt_undated", details
        return "plan_rebuilt", {**details, "revision": revision}


def _is_better(viewed: ViewedPlan, saved: Snapshot) -> bool:
    """Return whether a view knows more than the snapshot, which has what no view shows."""
    is_ahead = viewed.revision > saved.revision
    return is_ahead and viewed.is_full and len(viewed.plan.tasks) >= len(saved.tasks)


def _shows_more(view: LastView | None, state: PlanState) -> bool:
    try:
        viewed = view.read() if view else None
    except InvalidDocument:
        return False
    return viewed is not None and viewed.revision > state.revision


def _sync_directory(directory: str, disk: Disk) -> None:
    try:
        disk.sync_directory(directory)
    except OSError as error:
        raise _write_error("write_unknown", directory, error) from error


def _write_error(text: str, where: str, error: OSError) -> WriteFailed:
    return WriteFailed(text, where=where, problem=describe_error(error))


def is_sound(lines: Iterator[tuple[int, bytes]], now: datetime) -> bool:
    """Return whether a journal is whole, except perhaps for a torn last line."""
    return read_sound(lines, now) is not None


def read_sound(lines: Iterator[tuple[int, bytes]], now: datetime) -> PlanState | None:
    """Return the plan of a journal that is whole, except perhaps for a torn last line."""
    state = PlanState(now)
    if journal.read_header(next(lines, (0, b""))[1]) is None:
        return None
    for begin, line in lines:
        commit = journal.read_commit(line)
        if commit is None:
            if journal.is_damage(chain([(begin, line)], lines)):
                return None
            break
        if not _try_apply(state, commit):
            return None
    return state if state.revision else None


class JournalRepair:
    """A new journal put together from a damaged one.

    `has_commits` if any commit can be read. `kept_commits` counts those that could be kept,
    `partial_commits` those of which a part could be, `lost_commits` those that are unreadable or no
    longer apply, `restored_tasks` the tasks that only a view had. Where the history forks, as after
    a merge in git, the first branch stays, and the `branches` others are merged into it, with
    `questions` about what clashes. Without `commits` nothing is known about the plan.
    """

    def __init__(self, data: bytes, now: datetime) -> None:
        """Start with the commits before the damage."""
        self._data = data
        self._now = now
        self._records, *self._forks = _split_branches(_read_records(data))
        self.branches = len(self._forks)
        self._state = PlanState(now)
        self.commits: list[Commit] = []
        self.kept_commits = self.partial_commits = self.lost_commits = self.restored_tasks = 0
        self.questions = 0
        self.has_commits = any(self._records)
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

    def salvage_rest(
        self, saved: Snapshot | None, plan_id: str, goal: str, viewed: ViewedPlan | None = None
    ) -> None:
        """Add what a snapshot knows, the commits after the damage, and tasks that only a view has.

        A plan whose first commit is lost gets this id, and the goal in the view, else this one.
        """
        rest, sound = self._records[self.kept_commits :], self._last_revision
        viewed = viewed if viewed and self._is_shown_by(viewed) and not self._forks else None
        if self.commits:
            saved = saved if saved and self._is_own(saved) else None
        else:
            readable = [commit for commit in rest if commit]
            shown = viewed.plan if viewed else CreatePlan(plan_id, goal)
            created = _recreate_beginning(saved, readable, plan_id, shown)
            if created is None:
                return
            self.commits.append(make_commit(self._state, (created,), created.created_at))
        if saved and saved.revision > self._last_revision:
            split = _index_after(rest, saved.revision)
            self._salvage_records(rest[:split])
            self.commits += commits_from_snapshot(self._state, snapshot.restore(saved))
            rest, sound = rest[split:], saved.revision
        if viewed and viewed.revision > sound:
            self._salvage_with_view(rest, viewed)
        else:
            self._salvage_records(rest)
        self._main_revision = self._last_revision
        self._merge_forks()
        self.commits.append(skip_ids(self._state, self._state.updated_at))

    def _merge_forks(self) -> None:
        """Merge the other branches, each where it parts from the first one or from another."""
        merged = list[BranchMerge]()
        for records in self._forks:
            branch = [commit for commit in records if commit]
            self.lost_commits += len(records) - len(branch)
            fork, here = self._find_fork(branch, merged)
            own = [commit for commit in self.commits if commit.revision > here]
            merge = BranchMerge(self._state, fork, own)
            run = self._state.last_run
            merge.merge(branch, "zh" if run is not None and run.language == "zh" else "en")
            merged.append(merge)
            self.commits += merge.commits
            self.questions += merge.questions
            self.kept_commits += merge.kept
            self.partial_commits += merge.partial
            self.lost_commits += merge.lost

    def _find_fork(self, branch: list[Commit], merged: list[BranchMerge]) -> tuple[Fork, int]:
        """Return where a branch parts, and the revision there in the new journal.

        A commit does not tell the one before it. So if a branch can go on from several others, it
        is taken to go on from what these have in common: what it did to anything else is lost.
        """
        at = branch[0].revision - bool(branch[0].changes)
        forks = [self._own_fork(at)] if at <= self._main_revision else []
        for merge in merged:
            if merge.first_revision <= at <= merge.last_revision:
                here = merge.revision_here(at)
                forks.append((merge.fork_at(at, self._state_at(here)), here))
        likely = [fork for fork in forks if is_continued(fork[0].base, branch)]
        if len(likely) == 1 or len(forks) == 1:
            return (likely or forks)[0]
        starts = [merge.first_revision - 1 for merge in merged if merge.first_revision <= at]
        return self._own_fork(min([self._main_revision, at, *starts]))

    def _own_fork(self, at: int) -> tuple[Fork, int]:
        revisions = {old: new for old, new in self._numbers.items() if old <= at}
        here = max(revisions.values(), default=0)
        return fork_from(self._state_at(here), revisions), here

    def _state_at(self, revision: int) -> PlanState:
        state = PlanState(self._now)
        for commit in self.commits:
            if commit.revision <= revision:
                fold(state, commit.changes, commit.revision, commit.at)
        return state

    def _is_own(self, saved: Snapshot) -> bool:
        """Return whether a snapshot is of this journal, or of a longer one that began like it."""
        is_whole = self.kept_commits == len(self._records)
        if is_whole and snapshot.is_ahead(saved, self._state):
            return True
        revisions = [commit.revision for commit in self._records if commit]
        is_lost = saved.revision < max(revisions) and saved.revision not in revisions
        is_same_plan = saved.id == self._state.id
        return (is_same_plan and is_lost) or _is_snapshot_of(saved, self._data)

    def _is_shown_by(self, viewed: ViewedPlan) -> bool:
        """Return whether a view is of this journal: its commit is there, or is unreadable."""
        revisions = {commit.revision for commit in self._records if commit}
        return viewed.revision not in revisions or viewed.mark.encode() in self._data

    def _salvage_with_view(self, rest: Sequence[Commit | None], viewed: ViewedPlan) -> None:
        """Add lost tasks before the commits that may need them, and their outcomes afterwards."""
        tasks = [task for task in viewed.plan.tasks if task.id in viewed.numbers]
        changes = [change for commit in rest if commit for change in commit.changes]
        added = {change.task.id for change in changes if isinstance(change, c.TaskAdded)}
        removed = {change.id for change in changes if isinstance(change, c.TaskRemoved)}
        lost = {task.id for task in tasks} - self._state.tasks.keys() - added
        self._add_changes(lost_tasks.add_changes(self._state, viewed.plan.phases, tasks, lost))
        self._salvage_records(rest)
        if not viewed.is_full and len(viewed.plan.tasks) > len(self._state.tasks):
            tasks = lost_tasks.number_by_name(self._state, viewed.plan.tasks)
        late = {task.id for task in tasks} - self._state.tasks.keys() - removed
        self._add_changes(lost_tasks.add_changes(self._state, viewed.plan.phases, tasks, late))
        restored = [task for task in tasks if task.id in (lost | late) & self._state.tasks.keys()]
        if viewed.revision >= self._last_revision:
            self._add_changes(lost_tasks.outcome_changes(self._state, restored))
        self.restored_tasks = len(restored)

    def _add_changes(self, changes: Iterator[c.Change]) -> None:
        commit = Commit(0, self._state.updated_at, AUTHOR, tuple(changes))
        if commit.changes and (added := salvage(self._state, commit, {})):
            self.commits.append(added)

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


def _split_branches(records: Sequence[Commit | None]) -> list[list[Commit | None]]:
    """Split the commits where the history forks: where a revision repeats, or goes back."""
    branches: list[list[Commit | None]] = [[]]
    last: Commit | None = None
    for commit in records:
        if commit is not None:
            if commit == last:
                continue  # a line that was written twice
            if last is not None and commit.revision < last.revision + bool(commit.changes):
                branches.append([])
            last = commit
        branches[-1].append(commit)
    return branches


def _read_records(data: bytes) -> list[Commit | None]:
    """Return the commits in order, with None for each line without one.

    The remains of the header do not count, nor does an unfinished last line, nor the marks of a
    merge conflict.
    """
    records: list[Commit | None] = []
    *lines, last = data.split(b"\n")
    for number, line in enumerate(lines):
        if _MERGE_MARK.match(line):
            continue
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
    saved: Snapshot | None, readable: Sequence[Commit], plan_id: str, shown: CreatePlan
) -> c.PlanCreated | None:
    """Return the first change of a plan that lost it; None if nothing is known about the plan."""
    if not saved and not readable:
        return None
    changes = [change for commit in readable for change in commit.changes]
    added = {change.phase.id for change in changes if isinstance(change, c.PhaseAdded)}
    named = {change.task.phase: None for change in changes if isinstance(change, c.TaskAdded)}
    titles = {phase.id: phase.title for phase in shown.phases}
    lost = (name for name in named if name not in added and name != MAIN.id)
    phases = [Phase(name, titles.get(name, name)) for name in lost]
    at = saved.created_at if saved else readable[0].at
    goal = saved.goal if saved else shown.goal
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
