"""An editor's buffer: the plan that it was read from, with what its earlier saves changed.

A person who saves twice without reading the file again means the second save as an edit of the
first. So a save is not compared with the plan that the file was rendered from, but with that plan
plus the commits that were made from earlier saves of the same base. What others did meanwhile is
not part of it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.markdown.merge.conflicts import EarlierSaves
from outlast.documents.markdown.merge.prose import group_prose, merge_lines, to_prose
from outlast.errors import Refused
from outlast.model import changes as c
from outlast.model.changes.plan import Fact
from outlast.model.commands import MoveTask, RemoveTask
from outlast.model.execute import execute
from outlast.model.history.salvage import is_applicable
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from outlast.model.model import Prose
    from outlast.store.port import Store

_NOTES: Final = (c.FindingNoted, c.FindingForgotten, c.ErrorNoted, c.ErrorsForgotten, c.Delivered)


class Buffer(Struct, frozen=True):
    """The plan as an editor knows it; `saves` is the number of commits that were made from it."""

    state: PlanState
    saves: int = 0
    earlier: EarlierSaves | None = None


def read_buffer(store: Store, revision: int, key: str) -> Buffer:
    """Return the buffer that was read at a revision; `key` begins the keys of its saves."""
    commits = store.commits_since(revision)
    places = [place for place, commit in enumerate(commits) if commit.key.startswith(key)]
    base = store.state_before(revision + 1)
    if not places:
        return Buffer(base)
    shown = {task.id: task.status for task in base.tasks.values()}
    replay = _Replay(base, store.state_before(revision + 1))
    for place, commit in enumerate(commits[: places[-1] + 1]):
        replay.add(commit, is_own=place in places)
    return Buffer(base, len(places), EarlierSaves(frozenset(replay.added), shown))


class _Replay:
    """Applies commits to the plan, and those of the buffer also to what the buffer knows."""

    def __init__(self, buffer: PlanState, plan: PlanState) -> None:
        self._buffer = buffer
        self._plan = plan
        self.added: set[int] = set()

    def add(self, commit: c.Commit, *, is_own: bool) -> None:
        """Apply one commit."""
        for change in commit.changes:
            if is_own:
                self._add_own(change, commit.at)
            change.apply(self._plan, commit.at)

    def _add_own(self, change: c.Change, at: datetime) -> None:
        """Apply a change of the buffer; it may refer to what only the plan has."""
        buffer = self._buffer
        if isinstance(change, c.TaskAdded):
            self._add_task(change, at)
        elif isinstance(change, c.TaskMoved):
            self._place(change.id, change.phase, change.after, at)
        elif isinstance(change, c.TaskRemoved):
            with suppress(Refused):
                execute(buffer, (RemoveTask(change.id, amend=True),), at)
        elif isinstance(change, c.ProseKept):
            buffer.notes.prose = self._merge_prose(change.prose)
        elif isinstance(change, c.TaskEdited) and change.needs is not None:
            needs = tuple(need for need in change.needs if need in buffer.tasks)
            self._apply(replace(change, needs=needs), at)
        elif not isinstance(change, Fact) or isinstance(change, _NOTES):
            self._apply(change, at)

    def _apply(self, change: c.Change, at: datetime) -> None:
        if is_applicable(self._buffer, change):
            change.apply(self._buffer, at)

    def _add_task(self, change: c.TaskAdded, at: datetime) -> None:
        buffer, task = self._buffer, change.task
        needs = tuple(need for need in task.needs if need in buffer.tasks)
        phase = task.phase if task.phase in buffer.phases else buffer.default_phase()
        self._apply(c.TaskAdded(replace(task, needs=needs, phase=phase)), at)
        if task.id in buffer.tasks:
            self.added.add(task.id)
            if change.after is not None:
                self._place(task.id, phase, change.after, at)

    def _place(self, task: int, phase: str, after: int, at: datetime) -> None:
        """Move a task behind the nearest one above that the buffer has in this phase."""
        tasks, order = self._buffer.tasks, self._plan.graph.order
        above = order[: order.index(after) + 1] if after in self._plan.tasks else ()
        shown = (each for each in reversed(above) if each in tasks and each != task)
        previous = next((each for each in shown if tasks[each].phase == phase), None)
        move = MoveTask(task, phase, previous, first=previous is None)
        with suppress(Refused):  # such as a task that the buffer has removed
            execute(self._buffer, (move,), at)

    def _merge_prose(self, kept: Sequence[Prose]) -> tuple[Prose, ...]:
        """Return the buffer's prose with the lines that a save changed in the plan's."""
        before, after = group_prose(self._plan.notes.prose), group_prose(kept)
        known = group_prose(self._buffer.notes.prose)
        anchors = dict.fromkeys((*known, *after))
        return to_prose(
            {
                anchor: merge_lines(
                    before.get(anchor, ()), known.get(anchor, ()), after.get(anchor, ())
                )
                for anchor in anchors
            }
        )
