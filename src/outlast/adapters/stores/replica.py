"""A process's copy of one plan, kept up to date from its commits: what files and SQLite share."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from outlast.domain.changes.apply import fold
from outlast.domain.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.formats.snapshot import Snapshot
    from outlast.ports.store import Notice

T = TypeVar("T")
_REMEMBERED_KEYS: Final = 10_000
_SNAPSHOT_EVERY: Final = 1 << 20  # bytes of journal
_SNAPSHOT_BYTES_PER_TASK: Final = 256  # roughly: a large plan gets a snapshot less often
_WORTHWHILE_BYTES: Final = 1 << 16  # of journal, whose replay costs more than writing a snapshot


def remember_key(known: dict[str, T], key: str, value: T, attempts: Container[str]) -> None:
    """Remember an idempotency key; forget the oldest one, but never that of an open attempt."""
    known[key] = value
    if len(known) > _REMEMBERED_KEYS:
        del known[next((old for old in known if old not in attempts), key)]


def is_snapshot_due(grown: int, tasks: int) -> bool:
    """Return whether to write a snapshot now, after so many bytes of journal without one."""
    return grown > _SNAPSHOT_EVERY and grown > _SNAPSHOT_BYTES_PER_TASK * tasks


def is_snapshot_worthwhile(grown: int) -> bool:
    """Return whether to write a snapshot when the plan is closed."""
    return grown > _WORTHWHILE_BYTES


class Replica:
    """The state of a plan and how far its commits were read. One thread at a time uses it.

    `places_by_key` is where the commit of each remembered key stands. `stale` means that the state
    must be loaded again before it is used.
    """

    first_place: ClassVar[int]  # at which a snapshot can end
    state: PlanState

    def __init__(self, now: datetime) -> None:
        self.notices: list[Notice] = []
        self.positions_by_key: dict[str, int] = {}
        self.stale = True
        self._opened_at = now

    def refresh(self) -> None:
        """Apply the commits that were added since, by any process."""
        raise NotImplementedError

    def commits_between(self, first: int, last: int) -> list[Commit]:
        """Return the commits from one revision to another, both included."""
        raise NotImplementedError

    def invalidate(self) -> None:
        """Load everything again before the next use; a forked child owns nothing of its parent."""
        raise NotImplementedError

    def close(self) -> None:
        """Write a snapshot if it is worthwhile, and release the files."""
        raise NotImplementedError

    def state_at(self, revision: int) -> PlanState:
        """Return a copy of the plan as it was at a revision."""
        old = PlanState(self._opened_at)
        for commit in self.commits_between(1, revision):
            fold(old, commit.changes, commit.revision, commit.at)
        return old

    def _replay_from_snapshot(self, saved: Snapshot) -> bool:
        state = _restore(saved) if saved.offset >= self.first_place else None
        return bool(
            state and self._replay_from(state, saved.offset, saved.mark, saved.positions_by_key)
        )

    def _replay_from(
        self, state: PlanState, position: int, mark: str, keys: dict[str, int]
    ) -> bool:
        """Start from a state and apply the commits after a place.

        Returns False if the commit at that place does not have this mark: it is another journal.
        """
        raise NotImplementedError


def _restore(saved: Snapshot) -> PlanState | None:
    """Return the plan of a snapshot; None for a forged one that is no plan."""
    from outlast.formats import snapshot  # a plan in memory has none

    try:
        return snapshot.restore(saved)
    except Exception:  # noqa: BLE001 - a forged file may lead to anything
        return None
