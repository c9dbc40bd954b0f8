"""The views of a plan in files, which people may edit, and when they are synced with its store.

Before a use, the edits in the views are applied; after it, the views are rendered if that is due. A
process renders at most once a second, and once more when it closes the plan or ends. The plan is as
safe without its views: a failure to render is only a notice.
"""

from __future__ import annotations

import atexit
from _thread import allocate_lock, get_ident
from _weakrefset import WeakSet  # that of `weakref`, without importing that
from math import inf
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.documents.views.view_set import PlanHistory, ViewSet, ViewState
from outlast.errors import LockTimeout, StoreError
from outlast.model.changes import fold
from outlast.store.store import Store
from outlast.system.clock import monotonic
from outlast.system.disk import BRIEF, PRIVATE, SHARED, describe_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from threading import Timer

    from outlast.documents.views.registry import LayoutViews, View
    from outlast.model.ledger import Ledger
    from outlast.model.state import PlanState
    from outlast.store.files.log import FilesLog
    from outlast.store.port import ApplyEdits, EditedView, Notice

_RENDER_SECONDS: Final = 1.0  # between two renderings
_RENDER_SHARE: Final = 50  # the pause is at least so many times as long as the last rendering
_POLL_SECONDS: Final = 0.2  # between two polls for edits
_LOCKED_SECONDS: Final = 2.0  # until the next poll, while another process holds the lock
_SMALL_PLAN: Final = 500  # tasks that are cheap to render even for a process that only reads
_LOOKS: Final = 3  # in one sync: checks that it runs may change the views again
_A_TOOL: Final = "tool"  # in place of its name, if a call was too short to be seen
_TORN_REVISIONS: Final = 100  # back to which a view torn by a power loss is recognized
_EXIT_SECONDS: Final = 5.0  # to wait for a thread that has the plan when the program ends
_UNRENDERED: Final[WeakSet[SyncedViews]] = WeakSet()  # those with a timer are alive


def open_with_views(
    log: FilesLog, layout: LayoutViews, now: datetime, home: tuple[object, str] | None = None
) -> Store:
    """Open the plan of a journal, with the views of a layout."""
    store = Store(log, now, home)
    SyncedViews(store, log, layout.views)
    return store


class SyncedViews:
    """The views of a plan, attached to its store."""

    is_prompt = False  # renders after each commit

    def __init__(self, store: Store, log: FilesLog, views: tuple[View, ...]) -> None:
        """Attach views to a store over this log; they are looked at from `sync_with` on."""
        self.store = store
        self._log, self._replica = log, store.replica
        self._view_set = ViewSet(log.where, log.disk, views, log.notices)
        self._apply_edits: ApplyEdits | None = None
        self._opened_at = self._polled_at = monotonic()
        self._pause = _RENDER_SECONDS
        self._rendered_at = -inf if self._is_small() else self._opened_at
        self._rendered_revision = self._replica.state.revision
        self.reset_after_fork()
        store.views = self

    def reset_after_fork(self) -> None:
        """Set up what belongs to this process: a forked child has no threads."""
        self._sync_lock = allocate_lock()
        self._sync_thread = 0  # that holds the lock
        self._during = ""  # what ran since the views were synced last
        self._person_texts: dict[str, str] = {}  # edits of people that are not applied yet
        self._unattributed: dict[str, str] = {}  # what made each edit that is being applied
        self._is_render_due = self._is_render_scheduled = False
        self._quiet_in = 0.0  # seconds, until a view that is being written may be rendered
        self._timer: Timer | None = None
        _UNRENDERED.discard(self)  # the parent renders what it has committed

    # Use of the store

    def before_use(self) -> None:
        """Apply edits if a view was touched since it was read; look at most five times a second."""
        if self._apply_edits is not None:
            now = monotonic()
            if now >= self._polled_at + _POLL_SECONDS and not self.store.lock.is_inside_read():
                self._polled_at = now
                if self._view_set.is_touched():
                    self._sync(confirmed=False)

    def after_use(self) -> None:
        """Render if that is due, unless the use was within another one."""
        if self._is_render_due:
            self._render_if_due()

    def after_batch(self) -> None:
        """Render what was committed if that is due; the leader has the mutex."""
        if self._replica.state.revision != self._rendered_revision:
            self._is_render_due = True
        if self._is_render_due and not self._sync_lock.locked():  # else once all edits are applied
            self._schedule_render()

    def before_close(self) -> None:
        """Render what is due; the caller has the mutex."""
        self._is_render_scheduled = False
        if self._timer is not None:
            self._timer.cancel()
        _UNRENDERED.discard(self)
        if self._is_render_due and self._is_render_worthwhile():
            self._render_when_quiet()

    def render_at_exit(self) -> None:
        """Render what is due in this thread: at the end of a program no other one may begin."""
        mutex = self.store.lock.mutex
        if mutex.acquire(timeout=_EXIT_SECONDS):
            try:
                if self._is_render_due:
                    self._render_when_quiet()
            finally:
                mutex.release()

    # Edits

    def sync_with(self, apply: ApplyEdits) -> None:
        """Let `apply` apply people's edits, now and before every later use.

        Views that are missing or outdated are rendered now, edited ones after the first use, which
        may change the plan. If the plan cannot be read now, the first use says so.
        """
        self._apply_edits = apply
        try:
            is_outdated = self._sync(confirmed=False)
        except StoreError as error:
            self._report_failure(error)
        else:
            if is_outdated:
                self._render_if_due()

    def sync_edits(self, *, confirmed: bool = False) -> None:
        """Apply the edits now; `confirmed` also those that look like a mistake."""
        self._sync(confirmed=confirmed)
        self._render_if_due()

    def sync_touched(self, during: str = "") -> None:
        """Apply the edits now if a view was touched; `during` is what ran since the last call.

        A thread that is applying edits leaves this to its next look: it runs checks meanwhile.
        """
        if self._apply_edits is None or not self._view_set.is_touched():
            return
        self._during = during or self._during
        if self._sync_thread != get_ident():
            self._sync(confirmed=False, wait=True)
            self._render_if_due()

    def _sync(self, *, confirmed: bool, wait: bool = False) -> bool:
        """Apply pending edits, unless a thread is doing so: its own uses come here again.

        With `wait`, wait for that thread, then look again. Damaged views are set aside first.
        Returns whether views are missing or outdated.
        """
        if self._apply_edits is None or not self._sync_lock.acquire(blocking=wait):
            return False
        try:
            self._sync_thread = get_ident()
            for _ in range(_LOOKS):
                view_state, edits = self._find_edits()
                if edits and not (wait or confirmed) and self._must_wait(edits):
                    return False
                if edits:
                    self._unattributed = {edit.key: edit.during for edit in edits if edit.during}
                    self._apply_edits(self, edits, confirmed=confirmed)
                    for during in self._unattributed.values():
                        self._during = during  # it could not be applied: still nobody's
                self._view_set.mark_seen()
                if not self._during:
                    break
        finally:
            self._sync_thread = 0
            self._sync_lock.release()
        if view_state == "outdated" and self._is_small() and not self._is_render_scheduled:
            self._require_render()
            return True
        return False

    def _must_wait(self, edits: list[EditedView]) -> bool:
        """Leave edits for a later use if another process holds the lock: a read goes on."""
        try:
            with self.store.lock.mutex:
                self._replica.with_lock(lambda: None, BRIEF)
        except LockTimeout as error:
            for edit in edits:
                self._during = edit.during or self._during
                details = {"name": edit.name, "where": error.details["where"]}
                self.add_notice(("edit_locked", details))
            self._polled_at = monotonic() + _LOCKED_SECONDS
            return True
        except (OSError, StoreError):
            return False  # the commit of the edits reports it
        return False

    def _find_edits(self) -> tuple[ViewState, list[EditedView]]:
        """Return the state of the views, and the edits in them with what may have made each."""
        with self.store.lock.mutex:
            during, before = self._during, self._read_ledger()
            look = self._look_at_views()
            if look is not None and look[0] == "foreign":
                self._render()  # which may restore a view that a dead process was replacing
                look = self._look_at_views()
            if look is None:
                return "current", []
            view_state, edits = look
            if edits:
                ledgers, known = (before, self._read_ledger()), self._person_texts.values()
                edits = [
                    edit if edit.text in known else _attribute(edit, during, *ledgers)
                    for edit in edits
                ]
            self._during = ""
            self._person_texts = {edit.name: edit.text for edit in edits if not edit.during}
            return view_state, edits

    def _read_ledger(self) -> Ledger:
        """Return the newest ledger, with attempts that later commits leave alone."""
        self.store.refresh()
        ledger = self._replica.state.ledger
        return replace(ledger, attempts={**ledger.attempts})

    def _look_at_views(self) -> tuple[ViewState, list[EditedView]] | None:
        """Return the state of the views and the edits in them; None if they cannot be read."""
        with self.store.lock.mutex:
            try:
                if self._log.journal.writable:
                    return self._view_set.look(self._replica.state.revision, self._history())
            except OSError as error:
                self._report_failure(error)
        return None

    def overwrite_edit(self, edit: EditedView, *, keep_copy: bool = False) -> None:
        """Let the next rendering replace an applied edit; `keep_copy` sets its file aside."""
        with self.store.lock.mutex:
            self._unattributed.pop(edit.key, None)
            revision = self._replica.state.revision
            self._view_set.allow_overwrite(edit, revision, keep_copy=keep_copy)
            if keep_copy:
                self._render()  # which adds a notice about the copy
            else:
                self._require_render()

    def retry_edit(self, edit: EditedView) -> None:
        """Find an edit again before the next use: it could not be stored."""
        self._view_set.retry(edit)

    def is_current(self, edit: EditedView) -> bool:
        """Return whether a view still has the content of an edit; not if it cannot be read."""
        try:
            return self._view_set.is_current(edit)
        except OSError as error:
            self._report_failure(error)
            return False

    def view_paths(self) -> tuple[str, ...]:
        """Return the paths of the views that exist."""
        return self._view_set.paths()

    def add_notice(self, notice: Notice) -> None:
        """Add a notice, unless it is there already."""
        if notice not in self._log.notices:
            self._log.notices.append(notice)

    # Rendering

    def render(self) -> None:
        """Render the current plan into every view without a pending edit."""
        with self.store.lock.mutex:
            self.store.refresh()
            look = self._look_at_views()
            if look is not None and look != ("current", []):
                self._render()

    def render_promptly(self) -> None:
        """From now on, render after each commit, before the call that made it returns."""
        self.is_prompt = True

    def _render_when_quiet(self) -> None:
        """Render, and once more if a view was being written."""
        self._render()
        if self._quiet_in:
            self._log.disk.sleep(self._quiet_in)
            self._render()

    def _require_render(self) -> None:
        """Render after this use, however long ago the last rendering was."""
        self._is_render_due = True
        self._rendered_at = -inf

    def _render_if_due(self) -> None:
        if (
            self._is_render_scheduled
            or self._sync_lock.locked()
            or self.store.lock.is_inside_read()
        ):
            return
        with self.store.lock.mutex:
            if self._is_render_due:
                self._schedule_render()

    def _schedule_render(self) -> None:
        left = self._rendered_at + self._pause - monotonic()
        _UNRENDERED.add(self)
        if left <= 0 or self.is_prompt:
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
        with self.store.lock.mutex:
            was_scheduled, self._is_render_scheduled = self._is_render_scheduled, False
            if was_scheduled and self._is_render_due:
                self._schedule_render()

    def _is_render_worthwhile(self) -> bool:
        """Return whether to render a plan on closing; not a large one that was open briefly."""
        is_required = self._rendered_at == -inf
        return is_required or self._is_small() or monotonic() - self._opened_at >= _RENDER_SECONDS

    def _is_small(self) -> bool:
        return len(self._replica.state.tasks) <= _SMALL_PLAN

    def _render(self) -> None:
        """Render under the plan's lock; a failure is only a notice."""
        started = monotonic()
        if self._log.journal.writable:
            try:
                self._replica.with_lock(self._write_views, BRIEF)
            except LockTimeout:
                pass  # still due: a later use renders
            except (OSError, StoreError) as error:
                self._report_failure(error)
        self._rendered_at = monotonic()
        self._pause = max(_RENDER_SECONDS, _RENDER_SHARE * (self._rendered_at - started))
        if not self._is_render_due:
            _UNRENDERED.discard(self)

    def _write_views(self) -> None:
        replica = self._replica
        replica.refresh()
        self._is_render_due = False
        self._rendered_revision = replica.state.revision
        if self._log.is_damaged:
            return  # the views may be newer than what can be read
        try:
            replica.sync()  # after a power loss, a view newer than the journal is like an edit
            mode = SHARED if self._log.is_shared else PRIVATE
            self._quiet_in = self._view_set.render(replica.state, self._history(), mode)
            self._is_render_due = self._quiet_in > 0
        except Exception as error:  # noqa: BLE001 - no failure of a view stops the plan
            self._is_render_due = True
            self._report_failure(error)

    def _history(self) -> PlanHistory:
        return PlanHistory(self._log.mark_of, self._last_save, self._recent_states)

    def _last_save(self, view: str) -> int:
        """Return the revision of the last commit with a key of a view's saves; 0 without one."""
        positions = self._replica.positions_by_key
        key = next((key for key in reversed(positions) if key.startswith(f"{view}:")), None)
        return 0 if key is None else self._log.commit_at(positions[key]).revision

    def _recent_states(self) -> Iterator[PlanState]:
        """Yield the plan at each of its last revisions."""
        last = self._replica.state.revision
        first = max(1, last - _TORN_REVISIONS)
        state = self._replica.state_at(first)
        yield state
        for commit in self._replica.iterate(first + 1, last):
            fold(state, commit.changes, commit.revision, commit.at)
            yield state

    def _report_failure(self, error: Exception) -> None:
        problem = describe_error(error)
        self.add_notice(("view_failed", {"where": self._log.where, "problem": problem}))


def render_all_at_exit() -> None:
    """Render what the program has left open, and from now on after each commit."""
    SyncedViews.is_prompt = True
    for views in list(_UNRENDERED):
        views.render_at_exit()


atexit.register(render_all_at_exit)


def _attribute(edit: EditedView, during: str, before: Ledger, after: Ledger) -> EditedView:
    """Return an edit with the tool that may have made it.

    It is a person's only if no tool call was open from before the views were read until
    afterwards. What an earlier call changed was found before that call had ended.
    """
    for ledger in (before, after):
        call = ledger.unsettled_call()
        if call is not None:
            during = during or call.what.partition(" ")[0]
    if before.attempts_begun != after.attempts_begun:
        during = during or _A_TOOL
    return replace(edit, during=during)
