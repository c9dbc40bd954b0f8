"""A plan whose directory also has files that show it: to people, or to other programs.

They are written at most once a second for each process, and at the end. The plan is as safe
without them: whatever goes wrong with a view is only said.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace

from outlast.adapters.stores.files.store import FilesStore
from outlast.adapters.stores.views import manifest
from outlast.adapters.stores.views.file import checksum, read_whole
from outlast.adapters.stores.views.manifest import Rendered
from outlast.adapters.stores.views.view_set import ViewSet
from outlast.domain.apply import fold
from outlast.errors import StoreError
from outlast.system.clock import new_plan_id, ticks
from outlast.system.files import PRIVATE, SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from threading import Timer

    from outlast.adapters.stores.job import Job
    from outlast.adapters.stores.views.registry import Shown
    from outlast.domain.commands import CreatePlan
    from outlast.domain.state import PlanState
    from outlast.ports.edits import Edit
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_SECONDS: Final = 1.0  # between two times that the views are written
_SHARE: Final = 50  # at least so many times as long as writing them took
_LOOK: Final = 0.2  # seconds between two looks at what people may have edited
_SMALL: Final = 500  # tasks: so many cost a process that only wants to look next to nothing
_BACK: Final = 100  # revisions of which a view may be that the power took half of


class ViewedStore(FilesStore):
    """One plan in a directory, with its views."""

    shown: ClassVar[Shown]

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan; have views that are missing, or not ours, written anew."""
        super().__init__(directory, disk, now)
        self._files = ViewSet(directory, disk, self.shown.views, self._kept.notices)
        self._opened = self._looked = ticks()
        self._pause = _SECONDS
        self._rendered_at = -_SECONDS if self._is_small() else self._opened
        self._shown = self._kept.state.revision
        with self._turn.lock:
            standing = self._standing()
            if standing == "strange" or (standing == "behind" and self._is_small()):
                self._render()

    @classmethod
    def adopt(cls, directory: str, disk: Disk, key: str, now: datetime) -> ViewedStore:
        """Open a directory in which somebody else left a view and there is no journal.

        A view that people edit is an edit of the plan that it makes; any other is its own view.
        """
        view = cls.shown.views[0]
        found = read_whole(disk, os.path.join(directory, view.name))
        command = cls.parse(found, key, now)
        if not view.is_edited:
            manifest.begin(directory, disk, {view.name: Rendered(1, checksum(found))}, PRIVATE)
        FilesStore.create(directory, disk, command, author="import", now=now).close()
        return cls(directory, disk, now)

    @classmethod
    def parse(cls, found: bytes, key: str, now: datetime) -> CreatePlan:
        """Return the plan in somebody else's view; where that lies says what its key is."""
        return replace(cls.shown.adopt(found, new_plan_id(), now), key=key)

    def _begin(self) -> None:
        super()._begin()
        self._due = self._waits = False
        self._timer: Timer | None = None

    # What people have written

    def is_edited(self) -> bool:
        """Tell, at most five times a second, whether a file was touched since it was read."""
        now = ticks()
        if now < self._looked + _LOOK or self._turn.is_asking():
            return False
        self._looked = now
        return self._files.is_touched()

    def edits(self) -> list[Edit]:
        """Return what has been edited and was not settled."""
        with self._turn.lock:
            try:
                return self._files.edits() if self._kept.journal.writable else []
            except OSError as error:
                self._say(error)
                return []

    def settle(self, edit: Edit, *, keep: bool = False) -> None:
        """Show the plan again where an edit was, which has been taken in; `keep` puts it aside."""
        with self._turn.lock:
            self._files.settle(edit, keep=keep)
            self._render()

    def files(self) -> tuple[str, ...]:
        """Return the paths of the files that show the plan now."""
        return self._files.files()

    def say(self, notice: Notice) -> None:
        """Add to what is to be told, once."""
        if notice not in self.notices:
            self.notices.append(notice)

    # Showing the plan

    def render(self) -> None:
        """Show the plan as it is, in all files that no edit waits in."""
        with self._turn.lock:
            self._see(self._kept.refresh)
            if self._standing() != "shown":
                self._render()

    def carry_out(self, own: Job | None = None) -> None:
        """Commit what waits now, and have the views follow."""
        super().carry_out(own)
        if self._kept.state.revision != self._shown:
            self._due = True
            self._follow()

    def _follow(self) -> None:
        left = self._rendered_at + self._pause - ticks()
        if left <= 0:
            self._render()
        elif not self._waits:
            self._waits = True
            self._render_in(left)

    def _render_in(self, seconds: float) -> None:
        from threading import Timer

        self._timer = Timer(seconds, self._render_now)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # no thread to be had: the next commit, or closing, will do it
            self._waits = False

    def _render_now(self) -> None:
        with self._turn.lock:
            waited, self._waits = self._waits, False
            if waited and self._due:
                self._follow()
        self._pass_on()

    def close(self) -> None:
        """Commit what was submitted, write the views, and let go of the files."""
        self.stop_writing()
        with self._turn.lock:
            self._waits = False
            if self._timer is not None:
                self._timer.cancel()
            if self._due and (self._is_small() or ticks() - self._opened >= _SECONDS):
                self._render()
        super().close()

    def _is_small(self) -> bool:
        return len(self._kept.state.tasks) <= _SMALL

    def _standing(self) -> str:
        try:
            return self._files.standing(self._kept.state.revision)
        except OSError as error:
            self._say(error)
            return "shown"

    def _render(self) -> None:
        """Write the views, if that can be done."""
        began = ticks()
        if self._kept.journal.writable:
            try:
                self._kept.with_lock(self._write_views)
            except (OSError, StoreError) as error:
                self._say(error)
        self._rendered_at = ticks()
        self._pause = max(_SECONDS, _SHARE * (self._rendered_at - began))

    def _write_views(self) -> None:
        kept = self._kept
        kept.refresh()
        self._due = False
        self._shown = kept.state.revision
        if kept.journal.damage is not None:
            return  # what is there may be newer than what can be read
        try:
            if kept.unsafe():
                kept.make_safe()  # a view of what a power cut takes would be an edit after it
            self._files.write(kept.state, self._past, SHARED if kept.journal.shared else PRIVATE)
        except Exception as error:  # noqa: BLE001 - whatever it is, the plan goes on
            self._due = True
            self._say(error)

    def _past(self) -> Iterator[PlanState]:
        """Yield the plan as it was not long ago, and as it became since."""
        last = self._kept.state.revision
        first = max(1, last - _BACK)
        state = self._kept.as_of(first)
        yield state
        for commit in self._kept.past(first + 1, last):
            fold(state, commit.changes, commit.revision, commit.at)
            yield state

    def _say(self, error: Exception) -> None:
        problem = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
        self.say(("view_failed", {"where": self.directory, "problem": problem}))
