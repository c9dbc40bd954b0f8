"""What a damaged journal still has: read line by line, and put together again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outlast.domain import changes as c
from outlast.domain.apply import fold
from outlast.domain.history.rebuild import pass_over, retell, told
from outlast.domain.history.salvage import salvage
from outlast.domain.limits import default_title
from outlast.domain.model import MAIN, Phase
from outlast.domain.state import PlanState
from outlast.formats import journal, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from outlast.domain.changes import Commit
    from outlast.formats.journal import Header
    from outlast.formats.snapshot import Snapshot

_UNKNOWN_KEY: Final = "recovered"
_HEAD: Final = b'{"revision":'
_TAIL: Final = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_SHARED: Final = b'"shared":true'


def is_sound(data: bytes, now: datetime) -> bool:
    """Tell whether a journal is whole, but perhaps for the torn end of a last write."""
    (_, first), *lines = journal.split(data) if b"\n" in data else [(0, b"")]
    state = PlanState(now)
    if journal.read_header(first) is None:
        return False
    for number, (_, line) in enumerate(lines):
        commit = journal.read_commit(line)
        if commit is None:
            return state.revision > 0 and not journal.is_damage(lines[number:])
        if not _follow(state, commit):
            return False
    return state.revision > 0


class Mending:
    """A new journal in the making: its header, its commits, and the plan they lead to.

    `kept` counts the commits that were there before, `lost` those that cannot be read or make no
    sense any more. Without any commits there was nothing to be read.
    """

    def __init__(self, data: bytes, now: datetime) -> None:
        """Begin with all that stands before the damage."""
        self._data = data
        self._records = _records(data)
        self._state = PlanState(now)
        self.commits: list[Commit] = []
        self.kept = self.lost = 0
        while self.kept < len(self._records):
            commit = self._records[self.kept]
            if commit is None or not _follow(self._state, commit):
                break
            self.commits.append(commit)
            self.kept += 1
        self._state = PlanState(now)
        for commit in self.commits:
            _follow(self._state, commit)
        self._last = self._state.revision
        self._numbers = {number: number for number in range(1, self._last + 1)}

    def header(self, name: str) -> Header:
        """Return the first line, or what it would say; `name` is what the directory says."""
        line, _, _ = self._data.partition(b"\n")
        found = next(filter(None, map(journal.read_header, _pieces(line))), None)
        key = name or self._state.key or _UNKNOWN_KEY
        return found or journal.Header(journal.FORMAT, key, _SHARED in line)

    def go_on(self, found: Snapshot | None, plan_id: str, goal: str) -> None:
        """Take in what stands behind the damage, and what a snapshot knows of before.

        A plan whose beginning is lost gets an id and a goal.
        """
        rest = self._records[self.kept :]
        if self.commits:
            found = found if found and _speaks_of(found, self._data) else None
        else:
            readable = [commit for commit in rest if commit]
            begun = _beginning(found, readable, plan_id, goal)
            if begun is None:
                return
            self.commits.append(told(self._state, (begun,), begun.created_at))
        if found and found.revision > self._last:
            split = _first_behind(rest, found.revision)
            self._take_in(rest[:split])
            self.commits += retell(self._state, snapshot.restore(found))
            rest = rest[split:]
        self._take_in(rest)
        self.commits.append(pass_over(self._state, self._state.updated_at))

    def _take_in(self, records: Sequence[Commit | None]) -> None:
        unread = 0
        for commit in records:
            if commit is None:
                unread += 1
                continue
            self.lost += max(0, commit.revision - self._last - bool(commit.changes))
            unread = 0
            self._last = commit.revision
            salvaged = salvage(self._state, commit, self._numbers)
            if salvaged is None:
                self.lost += 1
            else:
                self.commits.append(salvaged)
                self.kept += 1
        self.lost += unread


def _follow(state: PlanState, commit: Commit) -> bool:
    """Take a commit in if it follows on those before; if it does not fit, the state is spoiled."""
    if commit.revision != state.revision + bool(commit.changes):
        return False
    try:
        if commit.changes:
            fold(state, commit.changes, commit.revision, commit.at)
    except (LookupError, ValueError):
        return False
    return True


def _records(data: bytes) -> list[Commit | None]:
    """Return the commits in order, with None for each line in which there is none.

    What is left of the header is not counted, nor an unfinished last line.
    """
    found: list[Commit | None] = []
    *lines, last = data.split(b"\n")
    for number, line in enumerate(lines):
        commits = list(_commits_in(line))
        if commits and commits[0].revision == 1 and not any(found):
            found.clear()
        found += commits or ([None] if number else [])
    return [*found, *_commits_in(last)]


def _commits_in(line: bytes) -> Iterator[Commit]:
    """Yield what can be read in a line; there is more than one if a line end was lost."""
    for piece in _pieces(line):
        commit = journal.read_commit(piece[max(0, piece.rfind(_HEAD)) :])
        if commit is not None:
            yield commit


def _pieces(line: bytes) -> Iterator[bytes]:
    """Yield the parts of a line that end as a line should."""
    begin = 0
    for tail in _TAIL.finditer(line):
        yield line[begin : tail.end()]
        begin = tail.end()


def _speaks_of(found: Snapshot, data: bytes) -> bool:
    """Tell whether a snapshot was made from this journal: the line it ends at is there, or bad."""
    if found.mark.strip().encode() in data:
        return True
    *_, line, rest = b"", *data[: found.offset].split(b"\n")
    return found.offset <= len(data) and not rest and not any(_commits_in(line))


def _first_behind(records: Sequence[Commit | None], revision: int) -> int:
    """Return the index of the first commit that came after a revision."""
    later = (n for n, commit in enumerate(records) if commit and commit.revision > revision)
    return next(later, len(records))


def _beginning(
    found: Snapshot | None, readable: Sequence[Commit], plan_id: str, goal: str
) -> c.PlanCreated | None:
    """Return how a plan began whose beginning is lost; None if nothing is known of it at all."""
    if not found and not readable:
        return None
    changes = [change for commit in readable for change in commit.changes]
    added = {change.phase.id for change in changes if isinstance(change, c.PhaseAdded)}
    named = {change.task.phase: None for change in changes if isinstance(change, c.TaskAdded)}
    phases = [Phase(name, name) for name in named if name not in added and name != MAIN.id]
    at = found.created_at if found else readable[0].at
    goal = found.goal if found else goal
    return c.PlanCreated(
        id=found.id if found else plan_id,
        goal=goal,
        created_at=at,
        updated_at=at,
        key=found.key if found else "",
        title=found.title if found else default_title(goal),
        order=found.order if found else "graph",
        phases=(MAIN, *phases),
    )
