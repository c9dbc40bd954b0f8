"""A plan whose directory also has R0's `plan.json`, written when the plan has changed.

At most once a second for each process, and at the end. The plan is as safe without it: whatever
goes wrong with the view is only said.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.files import FilesStore
from outlast.adapters.stores.plan_json_file import PlanJsonFile
from outlast.errors import StoreError
from outlast.system.clock import ticks

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.adapters.stores.job import Job
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_SECONDS: Final = 1.0
_SMALL: Final = 500  # tasks: so many cost a process that only wants to look next to nothing


class SessionStore(FilesStore):
    """One plan in a directory, with its view."""

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan; have a view that is missing, or not ours, written anew."""
        super().__init__(directory, disk, now)
        self._view = PlanJsonFile(directory, disk)
        self._rendered_at = -_SECONDS
        state = self._kept.state
        self._shown = state.revision
        with self._turn.lock:
            if not self._is_shown(state.revision if len(state.tasks) <= _SMALL else 0):
                self._render()

    @classmethod
    def adopt(cls, directory: str, disk: Disk, key: str, now: datetime) -> SessionStore:
        """Open a directory in which somebody else left a `plan.json` and there is no journal."""
        view = PlanJsonFile(directory, disk)
        found = view.read()
        command = view.parse(found, key)
        view.own(found)
        FilesStore.create(directory, disk, command, author="import", now=now).close()
        return cls(directory, disk, now)

    def _begin(self) -> None:
        super()._begin()
        self._due = self._waits = False

    def carry_out(self, own: Job | None = None) -> None:
        """Commit what waits now, and have the view follow."""
        super().carry_out(own)
        if self._kept.state.revision != self._shown:
            self._due = True
            self._follow()

    def _follow(self) -> None:
        left = self._rendered_at + _SECONDS - ticks()
        if left <= 0:
            self._render()
        elif not self._waits:
            self._waits = True
            self._render_in(left)

    def _render_in(self, seconds: float) -> None:
        from threading import Timer

        timer = Timer(seconds, self._render_now)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError:  # no thread to be had: the next commit, or closing, will do it
            self._waits = False

    def _render_now(self) -> None:
        with self._turn.lock:
            waited, self._waits = self._waits, False
            if waited and self._due:
                self._follow()
        self._pass_on()

    def close(self) -> None:
        """Commit what was submitted, write the view, and let go of the files."""
        self.stop_writing()
        with self._turn.lock:
            self._waits = False
            if self._due:
                self._render()
        super().close()

    def _is_shown(self, revision: int) -> bool:
        try:
            return self._view.is_ours(revision)
        except OSError as error:
            self._say(error)
            return True

    def _render(self) -> None:
        """Write the view, if that can be done."""
        self._rendered_at = ticks()
        if self._kept.journal.writable:
            try:
                self._kept.with_lock(self._write_view)
            except (OSError, StoreError) as error:
                self._say(error)

    def _write_view(self) -> None:
        kept = self._kept
        kept.refresh()
        self._due = False
        self._shown = kept.state.revision
        if kept.journal.damage is not None:
            return  # what is there may be newer than what can be read
        try:
            kept.notices += self._view.write(kept.state, shared=kept.journal.shared)
        except Exception as error:  # noqa: BLE001 - whatever it is, the plan goes on
            self._due = True
            self._say(error)

    def _say(self, error: Exception) -> None:
        problem = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
        notice: Notice = "view_failed", {"where": self.directory, "problem": problem}
        if notice not in self.notices:
            self.notices.append(notice)
