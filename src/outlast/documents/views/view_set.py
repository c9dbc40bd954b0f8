"""The views of one plan: compare them with the manifest, find edits, and render them.

A file that was written a moment ago may not be whole yet. It is left alone until it is quiet: it is
neither replaced nor set aside. What is not whole or not sound is not read as an edit before that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.views import manifest
from outlast.documents.views.file import (
    DAMAGED,
    EDITED,
    QUIET_NS,
    SECOND_NS,
    ViewCopies,
    ViewFile,
    granularity,
    time_left,
)
from outlast.documents.views.manifest import LOST, NOT_RENDERED, Manifest, ManifestEntry
from outlast.documents.views.registry import View, is_same_content
from outlast.model.state import PlanState
from outlast.store.port import EditedView, Notice
from outlast.system.clock import boot_time_ns
from outlast.system.stable_read import ABSENT, BUSY, NO_FILE, UNREADABLE, FileContent, checksum

if TYPE_CHECKING:
    from outlast.system.disk import Disk, Stamp

ViewState = Literal["current", "outdated", "foreign"]
_CHANGING: Final = (0, 0, 0, 0)  # the stamp of no file
_RECENT_NS: Final = 50_000_000  # within which a second write may leave the same stamp
_MAX_WAITS: Final = 10  # in a row, for a writer that is never done
_TORN_MARK: Final = re.compile(rb"(<!-- outlast r\d+) [^\n]*\Z")


class PlanHistory(Struct, frozen=True):
    """What views need of a plan's past: marks by revision, and its last states.

    `last_save` returns the revision of the last commit that was made from a save of a view.
    """

    mark_of: Callable[[int], str]
    last_save: Callable[[str], int]
    recent_states: Callable[[], Iterator[PlanState]]


class _FileUpdate(Struct, frozen=True):
    """What `write` does to one view: its new content, and what it may replace.

    What it keeps `is_watched` if its writer may go on. A view that `is_left` has an edit for
    `look`, or may be damaged and is being written: `time_left` is how long that is waited for.
    """

    file: ViewFile
    entry: ManifestEntry
    content: bytes | None = None
    replaceable: frozenset[int] = frozenset()
    keep_as: str = ""
    notice: Notice | None = None
    is_watched: bool = False
    is_left: bool = False
    time_left: int = 0


class ViewSet:
    """All views of one plan. Only the holder of the plan's lock writes them."""

    def __init__(
        self, directory: str, disk: Disk, views: tuple[View, ...], notices: list[Notice]
    ) -> None:
        self._directory = directory
        self._disk = disk
        self._notices = notices
        self._copies = ViewCopies(disk)
        self._files = [
            ViewFile(directory, disk, view, self._copies, notices)
            for view in views
            if not view.is_rare
        ]
        self._rare = [view for view in views if view.is_rare]
        self._editable = [file for file in self._files if file.view.is_editable]
        self._looked_at: dict[str, Stamp | None] = {}
        self._seen: dict[str, Stamp | None] = {}  # by a look that did not fail
        self._stamps: dict[str, Stamp | None] = {}
        self._waits = 0  # in a row
        self._recovered: dict[str, str] = {}  # files that were set aside
        self._applied_edits: dict[str, tuple[EditedView, bool]] = {}
        self._answered: dict[str, int] = {}  # the revision of edits out of a question
        self._manifest_written_at = 0
        self._known_mark = ""  # of a commit that the journal has

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the views that exist."""
        return tuple(file.path for file in self._files if file.stamp() is not None)

    # Reading

    def look(self, revision: int, history: PlanHistory) -> tuple[ViewState, list[EditedView]]:
        """Compare the views with the manifest; return their state and the edits in them.

        `foreign` means that a view has content we did not write and that is no edit: damage, or a
        half-done replacement. `outdated` views show another revision, or are missing.
        """
        self._seen = {}
        entries = self._load_manifest()
        self._looked_at = dict.fromkeys(file.view.name for file in self._files)
        is_foreign = is_outdated = is_busy = False
        marks = {""}
        edits = []
        at = self._manifest_written_at
        names = self._disk.list_directory(self._directory)
        self._copies.watch_damaged(self._directory, names)
        for file in self._files:
            entry = entries.get(file.view.name, NOT_RENDERED)
            may_exist = entry.checksum != ABSENT or file.view.name in names
            content = self._read(file) if may_exist else NO_FILE
            is_foreign |= file.backup_name in names
            is_own, is_quiet = entry.is_own(content, at), True
            if not is_own:
                content, is_quiet = self._read_when_quiet(file, content)
                is_own = entry.is_own(content, at)
            if is_own and entry.revision < revision:
                is_own = not self._is_taken_back(file, entry, content, history)
            if is_own:
                is_outdated |= content.checksum != entry.checksum or entry.revision != revision
                marks.add(entry.mark)
                is_foreign |= bool(self._copies.stamps) and self._has_recovered(file, entry)
            elif not is_quiet:
                is_busy = True
            elif edit := self._find_edit(file, entry, content, history):
                edits.append(edit)
            else:
                is_foreign = True
        self._seen = self._looked_at
        self._waits = self._waits if is_busy else 0
        if not is_outdated and len(marks) > 1:
            self._known_mark = history.mark_of(revision)
            is_outdated = not marks <= {"", self._known_mark}
        return "foreign" if is_foreign else "outdated" if is_outdated else "current", edits

    def is_touched(self) -> bool:
        """Return whether an editable view changed since the last look whose edits were applied."""
        return any(
            file.stamp() != self._stamps.get(file.view.name, _CHANGING) for file in self._editable
        ) or (bool(self._copies.stamps) and bool(self._copies.find_written()))

    def is_current(self, edit: EditedView) -> bool:
        """Return whether a view still has the content of an edit that was saved in it."""
        files = (file for file in self._files if file.view.name == edit.name)
        return not edit.is_saved or any(file.read().checksum == edit.checksum for file in files)

    def mark_seen(self) -> None:
        """Regard the edits that the last look found as applied, or as reported."""
        self._stamps |= self._seen

    def retry(self, edit: EditedView) -> None:
        """Find an edit again at the next look."""
        self._seen.pop(edit.name, None)
        self._stamps[edit.name] = _CHANGING

    def _load_manifest(self) -> Manifest:
        entries, self._manifest_written_at = manifest.load(self._directory, self._disk)
        for view in self._rare:
            if view.name in entries:
                self._add_rare(view)
        return entries

    def _add_rare(self, view: View) -> None:
        """From now on, look at a rare view like at any other."""
        self._rare = [other for other in self._rare if other is not view]
        self._files.append(ViewFile(self._directory, self._disk, view, self._copies, self._notices))

    def _read(self, file: ViewFile) -> FileContent:
        """Read a view and note its stamp, unless the file may still change under that stamp."""
        content = file.read()
        stamp = content.stamp
        if stamp is not None:
            latest = self._disk.now_ns() - _RECENT_NS - granularity(stamp)
            stamp = stamp if max(stamp[2:]) < latest else _CHANGING
        self._looked_at[file.view.name] = stamp
        return content

    def _read_when_quiet(self, file: ViewFile, content: FileContent) -> tuple[FileContent, bool]:
        """Wait once if a view is being written, and read it again; return whether it is quiet now.

        After many looks that waited in vain none waits any more, until the file is quiet.
        """
        left = self._time_to_quiet(file, content)
        if left and self._waits < _MAX_WAITS:
            self._waits += 1
            self._disk.sleep(left / SECOND_NS)
            content = self._read(file)
            left = self._time_to_quiet(file, content)
        if left:
            self._looked_at[file.view.name] = _CHANGING
            if self._waits == _MAX_WAITS:
                self._add_notice(("view_busy", {"name": file.view.name}))
        return content, not left

    def _time_to_quiet(self, file: ViewFile, content: FileContent) -> int:
        """Return after how many nanoseconds a file counts as whole; at once with its ending."""
        if content.stamp is None or content.checksum == UNREADABLE:
            return 0
        if content.checksum == BUSY:
            return QUIET_NS
        if file.view.is_complete(content.data) and file.view.is_sound(content.data):
            return 0
        return time_left(self._disk, content.stamp, QUIET_NS)

    def _has_recovered(self, file: ViewFile, entry: ManifestEntry) -> bool:
        """Return whether a file that was set aside as damaged is sound by now, to be put back.

        It is left where it is if a later save was applied.
        """
        for copy in self._copies.find_written(file.path):
            content = self._copies.read(copy)
            if content.stamp is None or time_left(self._disk, content.stamp, QUIET_NS):
                continue
            self._copies.watch(copy, content.stamp)
            is_readable = content.checksum not in (UNREADABLE, BUSY)
            is_newest = content.stamp[2] > entry.edited_at
            if is_readable and is_newest and file.view.is_sound(content.data):
                self._recovered[file.view.name] = copy
        return file.view.name in self._recovered

    def _is_taken_back(
        self, file: ViewFile, entry: ManifestEntry, content: FileContent, history: PlanHistory
    ) -> bool:
        """Return whether an edit was applied and then taken back: our text was saved again.

        A save that was applied after the last rendering had replaced it.
        """
        if content.stamp is None or not file.view.is_editable:
            return False
        since = max(entry.revision, self._answered.get(file.view.name, 0))
        return history.last_save(file.view.name) > since

    def _is_applied(self, file: ViewFile, content: FileContent) -> bool:
        """Return whether a content is a save that was applied, not its text saved once more."""
        applied = self._applied_edits.get(file.view.name)
        return applied is not None and applied[0].key == _save_key(file, content)

    def _find_edit(
        self, file: ViewFile, entry: ManifestEntry, content: FileContent, history: PlanHistory
    ) -> EditedView | None:
        """Return the edit that a content is, unless it was applied already, deleted or damaged."""
        if not file.view.is_editable or content.checksum == UNREADABLE:
            return None
        name = file.view.name
        if self._is_applied(file, content):
            return None
        if content.stamp is None or not file.view.is_sound(content.data):
            return None
        if _is_torn(file, content, history):
            return None
        from outlast.store.port import EditedView

        return EditedView(
            name,
            content.data.decode(),
            entry.revision,
            _save_key(file, content),
            content.checksum,
            bare=file.view.is_bare,
            mark=entry.mark,
        )

    # Writing

    def allow_overwrite(self, edit: EditedView, revision: int, *, keep_copy: bool) -> None:
        """Allow the next rendering to replace an edit, which the plan has at this revision.

        `keep_copy` sets the edited file aside.
        """
        if edit.is_saved:
            self._applied_edits[edit.name] = edit, keep_copy
        else:
            self._answered[edit.name] = revision

    def render(self, state: PlanState, history: PlanHistory, mode: int) -> float:
        """Render the plan into every view without a pending edit; set damaged views aside.

        Returns after how many seconds to do so again, for a view that was being written; else 0.
        The manifest is saved first, with the old and the new checksum of each view, so that a crash
        half way leaves no view that looks like an edit.
        """
        entries = self._load_manifest()
        mark = history.mark_of(state.revision)
        for view in self._rare:
            if view.render(state, mark):
                self._add_rare(view)
        names = self._disk.list_directory(self._directory)
        updates = []
        for file in self._files:
            entry = entries.get(file.view.name, NOT_RENDERED)
            may_exist = entry.checksum != ABSENT or file.view.name in names
            if file.backup_name in names:
                file.restore_backup((entry.checksum, entry.previous))
                may_exist = True
            old = file.read() if may_exist else NO_FILE
            updates.append(self._prepare_update(file, old, entry, state, history, mark=mark))
        self._known_mark = mark
        planned = {update.file.view.name: update.entry for update in updates}
        self._save_manifest(entries | planned, entries, mode)
        is_edit_replaced = False
        for update in updates:
            is_edit_replaced |= self._apply_update(update, mode)
        if is_edit_replaced:  # the same text saved again later is a new edit
            final = {
                update.file.view.name: replace(update.entry, previous=ABSENT) for update in updates
            }
            self._save_manifest(entries | final, {}, mode)
        return max(update.time_left for update in updates) / SECOND_NS

    def _prepare_update(  # noqa: PLR0913 - what a view was, and what it is to become
        self,
        file: ViewFile,
        old: FileContent,
        entry: ManifestEntry,
        state: PlanState,
        history: PlanHistory,
        *,
        mark: str,
    ) -> _FileUpdate:
        name = file.view.name
        if old.stamp is not None and self._is_applied(file, old):
            old = self._read_after_pause(file, old.stamp)
        if old.checksum == UNREADABLE:
            return _FileUpdate(file, entry, notice=("view_odd", {"name": name}))
        if name in self._recovered and self._put_back(file, entry, old):
            return _FileUpdate(file, entry, is_left=True)
        content = file.view.render(state, mark)
        new = replace(entry, revision=state.revision, mark=mark, previous=ABSENT)
        new = replace(new, checksum=checksum(content) if content else ABSENT)
        if old.checksum == new.checksum:
            return _FileUpdate(file, new)
        update = _FileUpdate(file, new, content)
        if self._is_applied(file, old):
            return self._prepare_applied_update(old, update)
        if entry.is_own(old, self._manifest_written_at):
            return self._prepare_own_update(old, update, entry, history)
        return self._prepare_foreign_update(old, update, entry, history)

    def _prepare_applied_update(self, old: FileContent, update: _FileUpdate) -> _FileUpdate:
        """Replace a save that was applied; set it aside if that was asked for."""
        file, new = update.file, update.entry
        _, keep_copy = self._applied_edits[file.view.name]
        written_at = old.stamp[2] if old.stamp is not None else 0
        new = replace(new, previous=old.checksum, edited_at=max(new.edited_at, written_at))
        update = replace(update, entry=new, replaceable=frozenset((old.checksum,)))
        if not keep_copy:
            return update
        copy, is_cut = self._copies.new_path(file.path, EDITED), not file.view.is_complete(old.data)
        notice = _notice("view_set_aside", file, copy)
        return replace(update, keep_as=copy, notice=notice, is_watched=is_cut)

    def _prepare_own_update(
        self, old: FileContent, update: _FileUpdate, entry: ManifestEntry, history: PlanHistory
    ) -> _FileUpdate:
        """Replace our own content, but not for the time and revision alone, in one history."""
        file, new, content = update.file, update.entry, update.content or b""
        if self._is_taken_back(file, entry, old, history):
            return _FileUpdate(file, entry, is_left=True)
        replaceable = frozenset((entry.checksum, entry.previous))
        is_same = is_same_content(content, old.data)
        if (
            old.checksum == entry.checksum
            and is_same
            and (not entry.mark or entry.mark == history.mark_of(entry.revision))
        ):
            return _FileUpdate(file, replace(entry, revision=new.revision, mark=new.mark))
        update = replace(update, entry=replace(new, previous=old.checksum), replaceable=replaceable)
        if is_same or old.checksum == ABSENT or not self._is_lost(entry, new, history):
            return update
        copy = self._copies.new_path(file.path, EDITED)
        return replace(update, keep_as=copy, notice=_notice("view_of_lost_history", file, copy))

    def _is_lost(self, entry: ManifestEntry, new: ManifestEntry, history: PlanHistory) -> bool:
        """Return whether a view shows a commit that the journal has not got any more.

        A commit whose line cannot be read counts as there.
        """
        if entry.mark in ("", LOST, self._known_mark):
            return False
        is_later = entry.revision > new.revision
        return is_later or history.mark_of(entry.revision) not in ("", entry.mark)

    def _read_after_pause(self, file: ViewFile, stamp: Stamp) -> FileContent:
        """Read a view again whose edit was applied, perhaps before its writer was done."""
        if left := time_left(self._disk, stamp, _RECENT_NS):
            self._disk.sleep(left / SECOND_NS)
        return file.read()

    def _put_back(self, file: ViewFile, entry: ManifestEntry, old: FileContent) -> bool:
        """Put a file back that was set aside too early: in place of our own, as an edit.

        Another process may have applied a later save since it was found.
        """
        copy, replaceable = self._recovered.pop(file.view.name), (entry.checksum, entry.previous)
        stamp = self._copies.read(copy).stamp
        is_newest = stamp is not None and stamp[2] > entry.edited_at
        is_own = entry.is_own(old, self._manifest_written_at)
        is_done = is_newest and is_own and file.put_back(copy, replaceable)
        if is_done:
            self._add_notice(_notice("view_put_back", file, copy))
        return is_done

    def _prepare_foreign_update(
        self, old: FileContent, update: _FileUpdate, entry: ManifestEntry, history: PlanHistory
    ) -> _FileUpdate:
        """Leave an edit for `look`, and what is being written; set everything else aside."""
        file = update.file
        is_sound = file.view.is_sound(old.data) and not _is_torn(file, old, history)
        if is_sound and file.view.is_editable:
            return _FileUpdate(file, entry, is_left=True)
        if left := self._time_to_quiet(file, old):
            return _FileUpdate(file, entry, is_left=True, time_left=left)
        text, what = ("view_set_aside", EDITED) if is_sound else ("view_damaged", DAMAGED)
        copy = self._copies.new_path(file.path, what)
        replaceable = frozenset((old.checksum,))
        notice = _notice(text, file, copy)
        return replace(
            update, replaceable=replaceable, keep_as=copy, notice=notice, is_watched=not is_sound
        )

    def _apply_update(self, update: _FileUpdate, mode: int) -> bool:
        """Write one view; return whether that replaced an applied edit."""
        file, is_done = update.file, True
        if update.content is not None:
            self._stamps[file.view.name] = _CHANGING
            is_done = file.replace(update.content, update.replaceable, mode, update.keep_as)
            if is_done and update.is_watched:
                self._copies.watch(update.keep_as)
        if update.notice is not None and is_done:
            self._add_notice(update.notice)
        if update.is_left or not is_done:
            self._stamps[file.view.name] = _CHANGING  # `look` has not seen it
            return False
        return self._applied_edits.pop(file.view.name, None) is not None

    def _add_notice(self, notice: Notice) -> None:
        if notice not in self._notices:
            self._notices.append(notice)

    def _save_manifest(self, entries: Manifest, saved: Manifest, mode: int) -> None:
        if entries != saved:
            manifest.save(self._directory, self._disk, entries, mode)


def _save_key(file: ViewFile, content: FileContent) -> str:
    stamp = content.stamp or _CHANGING
    return f"{file.view.name}:{content.checksum:x}:{stamp[0]:x}:{stamp[2]:x}"


def _notice(text: str, file: ViewFile, copy: str) -> Notice:
    return text, {"name": file.view.name, "kept": copy}


def _is_torn(file: ViewFile, content: FileContent, history: PlanHistory) -> bool:
    """Return whether a view is the beginning of one we wrote, truncated by a power loss."""
    if content.stamp is None or content.stamp[2] > boot_time_ns() or not file.view.is_editable:
        return False
    if file.view.is_complete(content.data):
        return False
    begin = _TORN_MARK.sub(rb"\1", content.data)
    states = history.recent_states()
    return any(file.view.render(state, "").startswith(begin) for state in states)
