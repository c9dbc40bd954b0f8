"""The views of one plan: compare them with the manifest, find edits, and render them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from outlast.adapters.stores.views import manifest
from outlast.adapters.stores.views.file import ABSENT, UNREADABLE, ViewFile, checksum
from outlast.adapters.stores.views.manifest import NOT_RENDERED, ManifestEntry
from outlast.adapters.stores.views.registry import is_same_content
from outlast.ports.store import Notice
from outlast.system.clock import boot_time_ns, now_ns, sleep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.adapters.stores.views.file import ViewContent
    from outlast.adapters.stores.views.manifest import Manifest
    from outlast.adapters.stores.views.registry import View
    from outlast.domain.state import PlanState
    from outlast.ports.edits import EditedView
    from outlast.system.disk import Disk, Stamp

    RecentStates = Callable[[], Iterator[PlanState]]

ViewState = Literal["current", "outdated", "foreign"]
_CHANGING: Final = (0, 0, 0, 0)  # the stamp of no file
_RECENT_NS: Final = 50_000_000  # within which a second write may leave the same stamp
_QUIET_NS: Final = 200_000_000  # after which a writer that saves in pieces is assumed done


class _FileUpdate(Struct, frozen=True):
    """What `write` does to one view: its new content, and what it may replace."""

    file: ViewFile
    entry: ManifestEntry
    content: bytes | None = None
    replaceable: frozenset[int] = frozenset()
    keep_as: str = ""
    notice: Notice | None = None
    is_edit: bool = False


class ViewSet:
    """All views of one plan. Only the holder of the plan's lock writes them."""

    def __init__(
        self, directory: str, disk: Disk, views: tuple[View, ...], notices: list[Notice]
    ) -> None:
        self._directory = directory
        self._disk = disk
        self._notices = notices
        self._files = [ViewFile(directory, disk, view, notices) for view in views]
        self._editable = [file for file in self._files if file.view.is_editable]
        self._stamps: dict[str, Stamp | None] = {}
        self._applied_edits: dict[str, tuple[int, bool]] = {}
        self._manifest_written_at = 0

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the views that exist."""
        return tuple(file.path for file in self._files if file.stamp() is not None)

    def look(self, revision: int, recent: RecentStates) -> tuple[ViewState, list[EditedView]]:
        """Compare the views with the manifest; return their state and the edits in them.

        `foreign` means that a view has content we did not write and that is no edit: damage, or a
        half-done replacement. `outdated` views show an older revision, or are missing.
        """
        entries = self._load_manifest()
        is_foreign = is_outdated = False
        edits = []
        for file in self._files:
            entry, content = entries.get(file.view.name, NOT_RENDERED), self._read(file)
            is_foreign |= file.has_backup()
            if entry.is_own(content, self._manifest_written_at):
                is_outdated |= entry.revision != revision or content.checksum != entry.checksum
                continue
            edit = self._find_edit(file, entry, content, recent)
            if edit is None:
                is_foreign = True
            else:
                edits.append(edit)
        return "foreign" if is_foreign else "outdated" if is_outdated else "current", edits

    def is_touched(self) -> bool:
        """Return whether the stamp of an editable view changed since it was read last."""
        return any(
            file.stamp() != self._stamps.get(file.view.name, _CHANGING) for file in self._editable
        )

    def render(self, state: PlanState, recent: RecentStates, mode: int) -> None:
        """Render the plan into every view without a pending edit; set damaged views aside.

        The manifest is saved first, with the old and the new checksum of each view, so that a crash
        half way leaves no view that looks like an edit.
        """
        entries = self._load_manifest()
        updates = [self._prepare_update(file, state, entries, recent) for file in self._files]
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

    def allow_overwrite(self, edit: EditedView, *, keep_copy: bool) -> None:
        """Allow the next rendering to replace this edit; `keep_copy` sets the edited file aside."""
        self._applied_edits[edit.name] = edit.checksum, keep_copy

    # Reading

    def _load_manifest(self) -> Manifest:
        self._manifest_written_at = manifest.written_at(self._directory, self._disk)
        return manifest.load(self._directory, self._disk)

    def _read(self, file: ViewFile) -> ViewContent:
        """Read a view and remember its stamp, unless the file may still change under that stamp."""
        content = file.read()
        stamp = content.stamp
        is_stable = stamp is None or max(stamp[2:]) < now_ns() - _RECENT_NS
        self._stamps[file.view.name] = stamp if is_stable else _CHANGING
        return content

    def _find_edit(
        self, file: ViewFile, entry: ManifestEntry, content: ViewContent, recent: RecentStates
    ) -> EditedView | None:
        """Return the edit that a content is, unless it was applied already, deleted or damaged."""
        if not file.view.is_editable or content.checksum == UNREADABLE:
            return None
        name = file.view.name
        if not file.view.is_complete(content.data):
            content = self._read_when_quiet(file, content)
        if content.checksum == self._applied_edits.get(name, (ABSENT,))[0]:
            return None
        if content.stamp is None or not file.view.is_sound(content.data):
            return None
        if _is_torn(file, content, recent):
            return None
        from outlast.ports.edits import EditedView

        key = f"{name}:{content.checksum:x}:{content.stamp[0]:x}:{content.stamp[2]:x}"
        return EditedView(
            name,
            content.data.decode(),
            entry.revision,
            key,
            content.checksum,
            bare=file.view.is_bare,
        )

    def _read_when_quiet(self, file: ViewFile, content: ViewContent) -> ViewContent:
        """Wait for a writer that may still be saving, then read again."""
        if content.stamp is None:
            return content
        age = now_ns() - content.stamp[2]
        if not 0 <= age < _QUIET_NS:
            return content
        sleep((_QUIET_NS - age) / 1e9)
        return self._read(file)

    # Writing

    def _prepare_update(
        self, file: ViewFile, state: PlanState, entries: Manifest, recent: RecentStates
    ) -> _FileUpdate:
        entry = entries.get(file.view.name, NOT_RENDERED)
        file.restore_backup((entry.checksum, entry.previous))
        old = self._read(file)
        if old.checksum == UNREADABLE:
            return _FileUpdate(file, entry, notice=("view_odd", {"name": file.view.name}))
        content = file.view.render(state)
        new = ManifestEntry(state.revision, checksum(content) if content else ABSENT)
        if old.checksum == new.checksum:
            return _FileUpdate(file, new)
        applied, keep_copy = self._applied_edits.get(file.view.name, (ABSENT, False))
        if old.checksum == applied:
            copy = file.copy_path("edited") if keep_copy else ""
            notice = _notice("view_set_aside", file, copy) if keep_copy else None
            replaceable = frozenset((applied,))
            new = replace(new, previous=applied)
            return _FileUpdate(file, new, content, replaceable, copy, notice)
        if entry.is_own(old, self._manifest_written_at):
            if old.checksum == entry.checksum and is_same_content(content, old.data):
                return _FileUpdate(file, replace(entry, revision=state.revision))
            replaceable = frozenset((entry.checksum, entry.previous))
            return _FileUpdate(file, replace(new, previous=old.checksum), content, replaceable)
        return self._prepare_foreign_update(
            file, old, _FileUpdate(file, new, content), entry, recent
        )

    def _prepare_foreign_update(
        self,
        file: ViewFile,
        old: ViewContent,
        update: _FileUpdate,
        entry: ManifestEntry,
        recent: RecentStates,
    ) -> _FileUpdate:
        """Leave an edit for `look`; set everything else aside."""
        is_sound = file.view.is_sound(old.data) and not _is_torn(file, old, recent)
        if is_sound and file.view.is_editable:
            return _FileUpdate(file, entry, is_edit=True)
        text, what = ("view_set_aside", "edited") if is_sound else ("view_damaged", "bad")
        copy = file.copy_path(what)
        replaceable = frozenset((old.checksum,))
        return replace(
            update, replaceable=replaceable, keep_as=copy, notice=_notice(text, file, copy)
        )

    def _apply_update(self, update: _FileUpdate, mode: int) -> bool:
        """Write one view; return whether that replaced an applied edit."""
        file, is_done = update.file, True
        if update.content is not None:
            is_done = file.replace(update.content, update.replaceable, mode, update.keep_as)
            self._stamps[file.view.name] = _CHANGING
        if update.notice is not None and is_done and update.notice not in self._notices:
            self._notices.append(update.notice)
        if update.is_edit or not is_done:
            self._stamps[file.view.name] = _CHANGING  # `look` has not seen it
            return False
        return self._applied_edits.pop(file.view.name, None) is not None

    def _save_manifest(self, entries: Manifest, saved: Manifest, mode: int) -> None:
        if entries != saved:
            manifest.save(self._directory, self._disk, entries, mode)


def _notice(text: str, file: ViewFile, copy: str) -> Notice:
    return text, {"name": file.view.name, "kept": copy}


def _is_torn(file: ViewFile, content: ViewContent, recent: RecentStates) -> bool:
    """Return whether a view is the beginning of one we wrote, truncated by a power loss."""
    if content.stamp is None or content.stamp[2] > boot_time_ns() or not file.view.is_editable:
        return False
    if file.view.is_complete(content.data):
        return False
    return any(file.view.render(state).startswith(content.data) for state in recent())
