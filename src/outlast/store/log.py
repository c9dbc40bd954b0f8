"""The log of a plan: where its commits are kept, in their order. Files, SQLite and memory are logs.

`Replica` reads a log into the state of the plan, and `Store` appends to it. One thread at a time
uses a log; the store makes sure of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from outlast.errors import DamagedJournal, StoreError

if TYPE_CHECKING:
    from _thread import RLock
    from collections.abc import Callable, Iterator

    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.store.port import Notice
    from outlast.store.snapshot import Snapshot
    from outlast.system.disk import Disk

Position = Any  # by which a log finds a commit: an offset, a number, the commit itself
Page = tuple[list["Commit"], int]  # commits, and where the next page begins; empty at the end
News = Literal["current", "grown", "replaced"]


class HistoryReplaced(Exception):
    """The commits are not the ones that were read before."""


class Behind(Exception):
    """Somebody else has appended since the log was read last; nothing was written."""


class End(NamedTuple):
    """The end of some commits: where it is, the checksum of the last one, and its revision."""

    position: int = 0
    mark: bytes = b""
    revision: int = 0


class Log(Protocol):
    """The commits of one plan. A log inherits from here what it has no need of.

    A batch of commits is added between `prepare` and `write`, all or none. A log that can be locked
    is: `lock` keeps others from appending, what they have appended is read, and after the batch
    `unlock` lets them go on. Any other log lets `write` raise `Behind` if somebody was faster, as a
    guarded insert does.

    `where` is for people. `key` is the one that the plan is kept under, if that is not left to its
    commits. Nobody but its store writes to a log that `is_private`: all there is to it are the
    commits that it has `kept`, if it keeps any. A log that `begins_empty` gets the creation of its
    plan as a commit. A snapshot ends at `first_position` or later.
    """

    where: str
    notices: list[Notice]
    disk: Disk
    io_errors: tuple[type[Exception], ...] = (OSError,)
    key: str = ""
    is_private: bool = False
    begins_empty: bool = False
    kept: list[Commit] | None = None
    first_position: int = 1

    # Appending

    def add(self, commit: Commit) -> Position:
        """Take a commit up into the batch, and return its position; raise if it cannot be kept.

        From then on its checksum is known, and until the batch is written or dropped, `read_page`
        may give it too.
        """

    def lock(self) -> None:
        """Keep others from appending; raise `LockHeld` if somebody else does so."""
        return

    def prepare(self) -> None:
        """Make what was read fit to be appended to, and begin a batch; or raise why it is not."""
        return

    def write(self) -> None:
        """Write the batch; raise `Behind` if somebody else has appended."""
        return

    def unlock(self) -> None:
        """Let others go on."""
        return

    def release(self, *, interrupted: bool) -> None:  # noqa: ARG002 - for those that override it
        """Do the same after an error, with which the commits of this lock are not kept."""
        return

    def sync(self, revision: int) -> End:
        """Make all that was read or written survive a power loss; return the `end` of it."""
        return self.end(revision)

    # What others have appended

    def watched_directory(self) -> str:
        """Return the directory in which a file changes with every commit of others.

        Empty if there is none, or the system does not tell of changes there.
        """
        return ""

    def check(self) -> News:
        """Return whether there may be something new, or all of it is another log by now."""
        return "grown"

    def seek(self, _position: int, _mark: str, _revision: int) -> None:
        """Go behind the commit with a revision and mark, which ends at a position; 0 is the start.

        That it is there is left to `read_new`.
        """
        return

    def read_new(self, _revision: int) -> Iterator[tuple[Position, Commit]]:
        """Yield the commits after the newest one that was read or written, and their positions.

        That one has this revision. Raises `HistoryReplaced` if it is not there any more.
        """
        return iter(())

    def reopen(self) -> None:
        """Open what has the name of this log now."""
        return

    def end(self, revision: int) -> End:
        """Return where the newest commit ends that was read or written; it has this revision."""
        return End(0, b"", revision)

    def settled_end(self, revision: int) -> End:
        """Return the same of the newest commit that its writer can no longer withdraw."""
        return self.end(revision)

    def has_end(self, _end: End) -> bool:
        """Return whether the commit that once ended at a position is still there."""
        return True

    # History

    def read_page(self, since: int, position: int | None) -> Page:
        """Return some commits from a position on, oldest first, and the position after them.

        Without a position they begin before or at the first commit after a revision.
        """

    def read_page_back(self, position: int | None) -> Page:
        """Return some commits before a position, newest first, and the position of the oldest.

        Without a position they are the newest ones.
        """

    def commit_at(self, position: Position) -> Commit:
        """Return the commit at a position."""

    def mark_of(self, revision: int) -> str:
        """Return the checksum of the commit that led to a revision; "" if there is none."""
        from outlast.store.journal import mark_of, write_commit

        for commit in self.read_page(revision - 1, None)[0]:
            if commit.changes and commit.revision == revision:
                return mark_of(write_commit(commit))
        return ""

    def start_history(self) -> bool:
        """Keep commits from now on; return whether none were kept before."""
        return False

    # Snapshots, and what dead processes have left

    def read_snapshot(self) -> Snapshot | None:
        """Return the newest snapshot, if there is a readable one."""
        return None

    def note_loaded(self, _saved: Snapshot | None, _state: PlanState) -> None:
        """Compare the newest snapshot with the plan that was loaded."""
        return

    def bytes_since_snapshot(self) -> int:
        """Return the size of the commits that the last snapshot does not cover."""
        return 0

    def save_snapshot(self, _encode: Callable[[int, str], bytes]) -> None:
        """Keep a snapshot, encoded with a position and mark for `seek`; the lock is held."""
        return

    def has_leftovers(self) -> bool:
        """Return whether a process may have died and left something behind."""
        return False

    def clean_up(self) -> None:
        """Remove that; the lock is held."""
        return

    def add_failure_notice(self, text: str, error: Exception) -> None:
        """Add a notice about something that could not be done, and need not be."""
        self.notices.append((text, {"where": self.where, "problem": str(error)}))

    # Sharing, closing, errors

    @property
    def is_shared(self) -> bool:
        """Whether other users may read and write the plan."""
        return False

    @property
    def is_damaged(self) -> bool:
        """Whether what follows the last good commit cannot be read."""
        return False

    def mutex(self) -> RLock | None:
        """Return the lock for threads, if this log shares one with others."""
        return None

    def invalidate(self) -> None:
        """Let go of what is open, in a forked child; it is opened again before the next use."""
        return

    def close(self) -> None:
        """Release what is open."""
        return

    def damage_error(self, contradiction: Position | None = None) -> DamagedJournal:  # noqa: ARG002 - for those that override it
        """Return the error that names the damage, or a commit that contradicts those before it."""
        return DamagedJournal("journal_empty", path=self.where)

    def read_error(self, error: Exception) -> StoreError:
        """Return the error of the plan for one of the `io_errors`."""
        return StoreError("store_failed", where=self.where, problem=str(error))

    def write_error(self, error: Exception) -> StoreError:
        """Return the same for one that came while something was written."""
        return self.read_error(error)


class MemoryLog(Log):
    """The commits of a plan as they are; one without history forgets them at once.

    The position of a commit is the commit itself.
    """

    where = ""
    disk: Disk  # none: it is never locked
    io_errors: tuple[type[Exception], ...] = ()
    is_private = True

    def __init__(self, *, keeps_history: bool) -> None:
        self.notices: list[Notice] = []
        self.kept: list[Commit] | None = [] if keeps_history else None

    def start_history(self) -> bool:
        """Keep commits from now on; return whether none were kept before."""
        is_new = self.kept is None
        self.kept = self.kept or []
        return is_new

    def add(self, commit: Commit) -> Commit:
        """Keep a commit."""
        if self.kept is not None:
            self.kept.append(commit)
        return commit

    def commit_at(self, position: Commit) -> Commit:
        """Return the commit itself."""
        return position

    def read_page(self, since: int, position: int | None) -> Page:
        """Return the commits from a position on, or after a revision."""
        commits = self.kept or []
        if position is None:
            from bisect import bisect_right

            position = bisect_right(commits, since, key=lambda commit: commit.revision)
        return commits[position:], len(commits)

    def read_page_back(self, position: int | None) -> Page:
        """Return all commits, newest first."""
        return (self.kept or [])[::-1] if position is None else [], 0
