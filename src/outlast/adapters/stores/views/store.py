"""The rendering store: a files store with views, which people may edit.

Before a use, the edits in the views are applied; after it, the views are rendered if that is due. A
process renders at most once a second, and once more when it closes the plan. The plan is as safe
without its views: a failure to render is only a notice.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from math import inf
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from msgspec.structs import replace

from outlast.adapters.stores.files.store import FilesStore
from outlast.adapters.stores.views import manifest
from outlast.adapters.stores.views.file import checksum, read_whole
from outlast.adapters.stores.views.manifest import ManifestEntry
from outlast.adapters.stores.views.view_set import ViewSet
from outlast.domain.changes import fold
from outlast.errors import StoreError
from outlast.formats.redact.commands import redact_commands
from outlast.system.clock import monotonic, new_plan_id
from outlast.system.disk import describe_error
from outlast.system.files import PRIVATE, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from threading import Timer

    from outlast.adapters.stores.shared_store import CommitJob
    from outlast.adapters.stores.views.registry import LayoutViews
    from outlast.adapters.stores.views.view_set import ViewState
    from outlast.domain.changes import Commit
    from outlast.domain.commands import CreatePlan
    from outlast.domain.state import PlanState
    from outlast.ports.edits import ApplyEdits, EditedView
    from outlast.ports.store import Notice, Request
    from outlast.system.disk import Disk

T = TypeVar("T")
_RENDER_SECONDS: Final = 1.0  # between two renderings
_RENDER_SHARE: Final = 50  # the pause is at least so many times as long as the last rendering
_POLL_SECONDS: Final = 0.2  # between two polls for edits
_SMALL_PLAN: Final = 500  # tasks that are cheap to render even for a process that only reads
_TORN_REVISIONS: Final = 100  # back to which a view torn by a power loss is recognized


class RenderingStore(FilesStore):
    """One plan in a directory, with its views."""

    layout_views: ClassVar[LayoutViews]

    def __init__(self, directory: str, disk: Disk, now: datetime) -> None:
        """Open a plan; its views are looked at from `sync_with` on."""
        super().__init__(directory, disk, now)
        self._view_set = ViewSet(directory, disk, self.layout_views.views, self._replica.notices)
        self._apply_edits: ApplyEdits | None = None
        self._opened_at = self._polled_at = monotonic()
        self._pause = _RENDER_SECONDS
        self._rendered_at = -inf if self._is_small() else self._opened_at
        self._rendered_revision = self._replica.state.revision

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
        command = replace(cls.layout_views.adopt(data, new_plan_id(), now), key=key)
        (redacted,) = redact_commands((command,))
        return redacted

    def _reset_process_state(self) -> None:
        super()._reset_process_state()
        self._sync_lock = allocate_lock()
        self._is_render_due = self._is_render_scheduled = False
        self._timer: Timer | None = None

    # Use

    def read(self, question: Callable[[PlanState], T]) -> T:
        """Apply edits, refresh the replica, and call `question` with its state."""
        self._sync_touched_views()
        answer = super().read(question)
        if self._is_render_due:
            self._render_if_due()
        return answer

    def commit(self, request: Request, then: Callable[[PlanState, Commit], T]) -> T:
        """Apply edits, then queue a job and lead a batch or wait for the leader."""
        self._sync_touched_views()
        return super().commit(request, then)

    def commit_queued(self) -> None:
        """Lead a batch in a thread of the pool; then apply edits, which may run checks for long."""
        super().commit_queued()
        self._sync_touched_views()
        if self._is_render_due:
            self._render_if_due()

    def _commit_batch(self, own: CommitJob | None) -> None:
        super()._commit_batch(own)
        if self._replica.state.revision != self._rendered_revision:
            self._is_render_due = True
        if self._is_render_due and not self._sync_lock.locked():  # else once all edits are applied
            self._schedule_render()

    # Edits

    def sync_with(self, apply: ApplyEdits) -> None:
        """Let `apply` apply people's edits, now and before every later use.

        Views that are missing or outdated are rendered now, edited ones after the first use, which
        may change the plan.
        """
        self._apply_edits = apply
        if self._sync(confirmed=False):
            self._render_if_due()

    def sync_edits(self, *, confirmed: bool = False) -> None:
        """Apply the edits now; `confirmed` also those that look like a mistake."""
        self._sync(confirmed=confirmed)
        self._render_if_due()

    def _sync_touched_views(self) -> None:
        """Apply edits if a view was touched since it was read; look at most five times a second."""
        if self._apply_edits is not None:
            now = monotonic()
            if now >= self._polled_at + _POLL_SECONDS and not self._lock.is_inside_read():
                self._polled_at = now
                if self._view_set.is_touched():
                    self._sync(confirmed=False)

    def _sync(self, *, confirmed: bool) -> bool:
        """Apply pending edits, unless a thread is doing so: its own uses come here again.

        Damaged views are set aside first. Returns whether views are missing or outdated.
        """
        if self._apply_edits is None or not self._sync_lock.acquire(blocking=False):
            return False
        try:
            view_state, edits = self._look_at_views()
            if view_state == "foreign":
                with self._lock.mutex:
                    self._render()  # which may restore a view that a dead process was replacing
                view_state, edits = self._look_at_views()
            if edits:
                self._apply_edits(self, edits, confirmed=confirmed)
        finally:
            self._sync_lock.release()
        if view_state == "outdated" and self._is_small():
            self._require_render()
            return True
        return False

    def _look_at_views(self) -> tuple[ViewState, list[EditedView]]:
        with self._lock.mutex:
            try:
                if self._replica.journal.writable:
                    revision = self._replica.state.revision
                    return self._view_set.look(revision, self._recent_states)
            except OSError as error:
                self._report_failure(error)
        return "current", []

    def overwrite_edit(self, edit: EditedView, *, keep_copy: bool = False) -> None:
        """Let the next rendering replace an applied edit; `keep_copy` sets its file aside."""
        with self._lock.mutex:
            self._view_set.allow_overwrite(edit, keep_copy=keep_copy)
            if keep_copy:
                self._render()  # which adds a notice about the copy
            else:
                self._require_render()

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
            self._refresh()
            view_state, edits = self._look_at_views()
            if edits or view_state != "current":
                self._render()

    def _require_render(self) -> None:
        """Render after this use, however long ago the last rendering was."""
        self._is_render_due = True
        self._rendered_at = -inf

    def _render_if_due(self) -> None:
        if self._is_render_scheduled or self._sync_lock.locked() or self._lock.is_inside_read():
            return
        with self._lock.mutex:
            if self._is_render_due:
                self._schedule_render()

    def _schedule_render(self) -> None:
        left = self._rendered_at + self._pause - monotonic()
        if left <= 0:
            self._render()
        elif not self._is_render_scheduled:
            self._is_render_scheduled = True
            self._start_timer(left)

    def _start_timer(self, seconds: float) -> None:
        from threading import Timer

        self._timer = Timer(seconds, self._on_timer)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # no thread available: the next commit, or closing, renders
            self._is_render_scheduled = False

    def _on_timer(self) -> None:
        with self._lock.mutex:
            was_scheduled, self._is_render_scheduled = self._is_render_scheduled, False
            if was_scheduled and self._is_render_due:
                self._schedule_render()

    def close(self) -> None:
        """Commit what was submitted, render the views, and close the files."""
        self._lock.refuse_inside_read()
        self._lead(None)
        with self._lock.mutex:
            self._is_render_scheduled = False
            if self._timer is not None:
                self._timer.cancel()
            if self._is_render_due and not self._is_closed and self._is_render_worthwhile():
                self._render()
        super().close()

    def _is_render_worthwhile(self) -> bool:
        """Return whether to render a plan on closing; not a large one that was open briefly."""
        is_required = self._rendered_at == -inf
        return is_required or self._is_small() or monotonic() - self._opened_at >= _RENDER_SECONDS

    def _is_small(self) -> bool:
        return len(self._replica.state.tasks) <= _SMALL_PLAN

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
