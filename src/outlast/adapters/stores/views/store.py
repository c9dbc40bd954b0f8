"""The rendering store: a files store that also renders the plan into views.

A process renders at most once a second, and once more when it closes the plan. The plan is as safe
without its views: a failure to render is only a notice.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace

from outlast.adapters.stores.files.store import FilesStore
from outlast.adapters.stores.views import manifest
from outlast.adapters.stores.views.file import checksum, read_whole
from outlast.adapters.stores.views.manifest import ManifestEntry
from outlast.adapters.stores.views.view_set import ViewSet
from outlast.domain.changes.apply import fold
from outlast.errors import StoreError
from outlast.system.clock import monotonic, new_plan_id
from outlast.system.disk import describe_error
from outlast.system.files import PRIVATE, SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from threading import Timer

    from outlast.adapters.stores.commit_job import CommitJob
    from outlast.adapters.stores.views.registry import LayoutViews
    from outlast.domain.commands import CreatePlan
    from outlast.domain.state import PlanState
    from outlast.ports.edits import EditedView
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_RENDER_SECONDS: Final = 1.0  # between two renderings
_RENDER_SHARE: Final = 50  # the pause is at least so many times as long as the last rendering
_POLL_SECONDS: Final = 0.2  # between two polls for edits
_SMALL_PLAN: Final = 500  # tasks that are cheap to render even for a process that only reads
_TORN_REVISIONS: Final = 100  # back to which a view torn by a power loss is recognized


class RenderingStore(FilesStore):
    """One plan in a directory, with its views."""

    layout_views: ClassVar[LayoutViews]

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan, and render views that are missing or not ours."""
        super().__init__(directory, disk, now)
        self._view_set = ViewSet(directory, disk, self.layout_views.views, self._replica.notices)
        self._opened_at = self._polled_at = monotonic()
        self._pause = _RENDER_SECONDS
        self._rendered_at = -_RENDER_SECONDS if self._is_small() else self._opened_at
        self._rendered_revision = self._replica.state.revision
        with self._lock.mutex:
            view_state = self._view_state()
            if view_state == "foreign" or (view_state == "outdated" and self._is_small()):
                self._render()

    @classmethod
    def adopt(cls, directory: str, disk: Disk, key: str, now: datetime) -> RenderingStore:
        """Create a plan from a view that another program wrote, where there is no journal.

        An editable view then counts as an edit of the new plan; any other is recorded as rendered.
        """
        view = cls.layout_views.views[0]
        data = read_whole(disk, os.path.join(directory, view.name))
        command = cls.parse_view(data, key, now)
        if not view.is_editable:
            entries = {view.name: ManifestEntry(1, checksum(data))}
            manifest.create(directory, disk, entries, PRIVATE)
        FilesStore.create(directory, disk, command, author="import", now=now).close()
        return cls(directory, disk, now)

    @classmethod
    def parse_view(cls, data: bytes, key: str, now: datetime) -> CreatePlan:
        """Return the plan that another program's view describes; its directory decides the key."""
        return replace(cls.layout_views.adopt(data, new_plan_id(), now), key=key)

    def _reset_process_state(self) -> None:
        super()._reset_process_state()
        self._is_render_due = self._is_scheduled = False
        self._timer: Timer | None = None

    # Edits

    def poll_edits(self) -> bool:
        """Return, at most five times a second, whether a view was touched since it was read."""
        now = monotonic()
        if now < self._polled_at + _POLL_SECONDS or self._lock.is_inside_read():
            return False
        self._polled_at = now
        return self._view_set.is_touched()

    def pending_edits(self) -> list[EditedView]:
        """Return the edits that are not applied yet."""
        with self._lock.mutex:
            try:
                return self._view_set.pending_edits() if self._replica.journal.writable else []
            except OSError as error:
                self._report_failure(error)
                return []

    def overwrite_edit(self, edit: EditedView, *, keep_copy: bool = False) -> None:
        """Render over an applied edit; `keep_copy` sets the edited file aside first."""
        with self._lock.mutex:
            self._view_set.allow_overwrite(edit, keep_copy=keep_copy)
            self._render()

    def view_paths(self) -> tuple[str, ...]:
        """Return the paths of the views that exist."""
        return self._view_set.paths()

    def add_notice(self, notice: Notice) -> None:
        """Add a notice, unless it is there already."""
        if notice not in self.notices:
            self.notices.append(notice)

    # Rendering

    def render(self) -> None:
        """Render the current plan into every view without a pending edit."""
        with self._lock.mutex:
            self._wrap_errors(self._replica.refresh)
            if self._view_state() != "current":
                self._render()

    def commit_batch(self, own: CommitJob | None = None) -> None:
        """Commit the queued jobs, then render the views or schedule that."""
        super().commit_batch(own)
        if self._replica.state.revision != self._rendered_revision:
            self._is_render_due = True
            self._schedule_render()

    def _schedule_render(self) -> None:
        left = self._rendered_at + self._pause - monotonic()
        if left <= 0:
            self._render()
        elif not self._is_scheduled:
            self._is_scheduled = True
            self._start_timer(left)

    def _start_timer(self, seconds: float) -> None:
        from threading import Timer

        self._timer = Timer(seconds, self._on_timer)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # no thread available: the next commit, or closing, renders
            self._is_scheduled = False

    def _on_timer(self) -> None:
        with self._lock.mutex:
            was_scheduled, self._is_scheduled = self._is_scheduled, False
            if was_scheduled and self._is_render_due:
                self._schedule_render()
        self._wake_next()

    def close(self) -> None:
        """Commit what was submitted, render the views, and close the files."""
        self.stop_writer()
        with self._lock.mutex:
            self._is_scheduled = False
            if self._timer is not None:
                self._timer.cancel()
            if self._is_render_due and (
                self._is_small() or monotonic() - self._opened_at >= _RENDER_SECONDS
            ):
                self._render()
        super().close()

    def _is_small(self) -> bool:
        return len(self._replica.state.tasks) <= _SMALL_PLAN

    def _view_state(self) -> str:
        try:
            return self._view_set.check_views(self._replica.state.revision)
        except OSError as error:
            self._report_failure(error)
            return "current"

    def _render(self) -> None:
        """Render under the plan's lock; a failure is only a notice."""
        started = monotonic()
        if self._replica.journal.writable:
            try:
                self._replica.with_lock(self._write_views)
            except (OSError, StoreError) as error:
                self._report_failure(error)
        self._rendered_at = monotonic()
        self._pause = max(_RENDER_SECONDS, _RENDER_SHARE * (self._rendered_at - started))

    def _write_views(self) -> None:
        replica = self._replica
        replica.refresh()
        self._is_render_due = False
        self._rendered_revision = replica.state.revision
        if replica.journal.damage is not None:
            return  # the views may be newer than what can be read
        try:
            if replica.unsynced_bytes():  # after a power loss, a view newer than the journal
                replica.sync()  # would look like an edit
            mode = SHARED if replica.journal.shared else PRIVATE
            self._view_set.render(replica.state, self._recent_states, mode)
        except Exception as error:  # noqa: BLE001 - no failure of a view stops the plan
            self._is_render_due = True
            self._report_failure(error)

    def _recent_states(self) -> Iterator[PlanState]:
        """Yield the plan at each of its last revisions."""
        last = self._replica.state.revision
        first = max(1, last - _TORN_REVISIONS)
        state = self._replica.state_at(first)
        yield state
        for commit in self._replica.commits_between(first + 1, last):
            fold(state, commit.changes, commit.revision, commit.at)
            yield state

    def _report_failure(self, error: Exception) -> None:
        problem = describe_error(error)
        self.add_notice(("view_failed", {"where": self.directory, "problem": problem}))
