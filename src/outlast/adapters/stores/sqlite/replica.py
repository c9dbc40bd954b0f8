"""A plan as its rows have it: the commits are the truth, the snapshot saves time.

One thread at a time uses it; `SqliteStore` sees to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.stores.files import snapshot_file
from outlast.adapters.stores.files.replica import is_due, remember
from outlast.adapters.stores.sqlite.connection import Moved
from outlast.adapters.stores.sqlite.errors import PROBLEMS, is_read_only
from outlast.domain.apply import fold
from outlast.domain.state import PlanState
from outlast.errors import DamagedJournal, PlanNotFound, StoreError
from outlast.formats import journal, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from outlast.adapters.stores.sqlite.connection import DatabaseFile
    from outlast.domain.changes import Commit
    from outlast.formats.snapshot import Snapshot
    from outlast.ports.store import Notice

_MARK: Final = slice(-10, -2)  # where in a line its checksum stands
_TRIES: Final = 5  # to load a plan whose file is being exchanged


def add_commit(file: DatabaseFile, plan: int, place: int, commit: Commit) -> bytes:
    """Add the row of a commit, and return the line in it."""
    row = row_of(plan, place, commit)
    file.query("add_commit", **row)
    line: bytes = row["line"]
    return line


def row_of(plan: int, place: int, commit: Commit) -> dict[str, Any]:
    """Return the columns of a commit."""
    line = journal.write_commit(commit).rstrip(b"\n")
    columns = {"revision": commit.revision, "mark": line[_MARK].decode(), "line": line}
    return {"plan": plan, "place": place, **columns}


class PlanRows:
    """The state of a plan and how it follows its rows.

    `answered` is the place of the commit of each remembered key. `stale` is that the state must be
    read anew. `damage` is the place of a bad row; what stands before it can be read.
    """

    def __init__(self, file: DatabaseFile, key: str, now: datetime) -> None:
        """Open a plan; what is wrong with it is said in `notices`."""
        self.file = file
        self.key = key
        self.notices: list[Notice] = []
        self.answered: dict[str, int] = {}
        self.stale = True
        self._began = now
        self._found = 0  # which opening of the file the number of the plan is of
        self.refresh()
        if self.damage:
            self.notices.append(("row_damaged", self.damaged(self.damage).details))

    # Following the rows

    def refresh(self) -> None:
        """Take in what has been committed since, by whomever."""
        self.file.follow()
        if self._found != self.file.times_opened:
            self._find()
        if self.stale:
            self._load()
            return
        self.stale = True  # until all is taken in, whatever comes between
        try:
            self._take_in()
            self.stale = False
        except Moved:
            self._start_anew()

    def _find(self) -> None:
        found = self.file.query("find_plan", key=self.key)
        if not found:
            candidates = [key for (key,) in self.file.query("keys")]
            where = f"{self.file.path}: {self.key}"
            raise PlanNotFound("plan_not_found", where=where, candidates=candidates)
        [(self._plan,)] = found
        self._found = self.file.times_opened

    def _load(self) -> None:
        for _ in range(_TRIES):
            found = self._snapshot()
            self._goes_to = found.offset if found else 0
            if found and self._start_from(found):
                return
            if self._start(PlanState(self._began), 0, "", {}):
                return
        raise StoreError("store_busy", where=self.file.path)

    def _snapshot(self) -> Snapshot | None:
        found = self.file.query("snapshot", plan=self._plan)
        return snapshot.read(found[0][0]) if found and isinstance(found[0][0], bytes) else None

    def _start_from(self, found: Snapshot) -> bool:
        state = snapshot_file.restored(found) if found.offset >= 1 else None
        return bool(state and self._start(state, found.offset, found.mark, found.answered))

    def _start(self, state: PlanState, place: int, mark: str, answered: dict[str, int]) -> bool:
        """Replay the commits behind a place, if it is the one that was meant."""
        self.stale = True
        self.state, self.answered = state, answered
        self._place, self._mark = place, mark
        self._grown = 0  # bytes of commits that the last snapshot does not cover
        try:
            self._take_in()
        except Moved:
            return False
        if not self.state.revision:
            raise self.damaged(self.damage or 1)
        self.stale = False
        return True

    def read_all(self) -> None:
        """Read also what the snapshot spares; raise what is wrong with it."""
        self._start(PlanState(self._began), 0, "", {})
        self._need_whole()

    def _start_anew(self) -> None:
        """Read a plan again that is not what it was; say it if it was put back."""
        before = self.state.revision
        self._load()
        if self.state.revision < before:
            revisions = {"before": before, "now": self.state.revision}
            self.notices.append(("plan_went_back", {"where": self.file.path, **revisions}))

    def _take_in(self) -> None:
        found = self.file.query("news", plan=self._plan, place=self._place)
        if self._place:
            if not found or (found[0][0], found[0][2]) != (self._place, self._mark):
                raise Moved
            del found[0]
        self.damage = 0
        for place, revision, mark, line in found:
            commit = self._read(line)
            if commit is None or (place, revision, mark) != self._columns(commit, line):
                self.damage = self._place + 1
                return
            self._fold(commit, place, line)
        if self._place < self._goes_to:  # the snapshot speaks of commits that are gone
            self.damage = self._place + 1

    def _columns(self, commit: Commit, line: bytes) -> tuple[int, int, str] | None:
        """Return what stands beside the line of a commit that comes next, if this one does."""
        if commit.revision != self.state.revision + bool(commit.changes):
            return None
        return self._place + 1, commit.revision, line[_MARK].decode()

    def _fold(self, commit: Commit, place: int, line: bytes) -> None:
        try:
            if commit.changes:
                fold(self.state, commit.changes, commit.revision, commit.at)
        except Exception as error:  # whatever a forged row leads to
            raise self.damaged(place) from error
        self._move_to(commit, place, line)

    def _move_to(self, commit: Commit, place: int, line: bytes) -> None:
        self._place, self._mark = place, line[_MARK].decode()
        self._grown += len(line)
        if commit.key:
            remember(self.answered, commit.key, place, self.state.ledger.attempts)

    # Looking back

    def past(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another."""
        found = self.file.query("past", plan=self._plan, first=first, last=last)
        return [commit for commit in self._commits(found) if commit.changes]

    def _commits(self, found: list[tuple[int, bytes]]) -> Iterator[Commit]:
        for place, line in found:
            commit = self._read(line)
            if commit is None:
                raise self.damaged(place)
            yield commit

    def _read(self, line: object) -> Commit | None:
        return journal.read_commit(line) if isinstance(line, bytes) else None

    def at(self, place: int) -> Commit:
        """Return the commit at a place."""
        lines = self.file.query("commit_at", plan=self._plan, place=place)
        for commit in self._commits([(place, line) for (line,) in lines]):
            return commit
        raise self.damaged(place)

    def as_of(self, revision: int) -> PlanState:
        """Return the plan as it was at a revision."""
        old = PlanState(self._began)
        for commit in self.past(1, revision):
            fold(old, commit.changes, commit.revision, commit.at)
        return old

    # Changing

    def write(self, work: Callable[[], None]) -> None:
        """Do some work while nobody else writes; what it appends is kept, all or none."""

        def prepared() -> None:
            self.refresh()
            self._need_whole()
            self.stale = True  # until it is kept, whatever comes between
            work()

        self.file.write(prepared)
        self.stale = False
        if is_due(self._grown, len(self.state.tasks)):
            self._save_snapshot()

    def _need_whole(self) -> None:
        if self.damage:
            raise self.damaged(self.damage)

    def append(self, commit: Commit) -> None:
        """Add the row of a commit that the state has already."""
        place = self._place + 1
        line = add_commit(self.file, self._plan, place, commit)
        self._move_to(commit, place, line)

    def _save_snapshot(self) -> None:
        """Write a snapshot; the plan is as safe without one, so a failure is only said."""
        data = snapshot.write(self.state, self._place, self._mark, self.answered)

        def put() -> None:
            if self._found == self.file.times_opened:  # else it may be another file
                self.file.query("put_snapshot", plan=self._plan, place=self._place, data=data)

        try:
            self.file.write(put)
        except PlanNotFound:
            pass  # whoever needs the plan next is told
        except (*PROBLEMS, StoreError) as error:
            if not is_read_only(error):
                where = self.file.path
                self.notices.append(("snapshot_failed", {"where": where, "problem": str(error)}))
        self._grown = 0

    def forget(self) -> None:
        """Take nothing of a parent's for granted; its connection is the file's own matter."""
        self.stale = True

    def close(self) -> None:
        """Write a snapshot if it would save time, and let go of the file."""
        try:
            if not self.stale and not self.damage and self._grown > snapshot_file.WORTH:
                self._save_snapshot()
        finally:
            self.file.close()

    def damaged(self, place: int) -> DamagedJournal:
        """Make the error that names the row where the plan is damaged."""
        return DamagedJournal("row_damaged", path=self.file.path, key=self.key, row=place)
