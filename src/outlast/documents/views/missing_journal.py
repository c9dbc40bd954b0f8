"""A directory without a journal: a plan of another program is adopted, a lost journal repaired.

That is told by the traces of a journal. The repair knows what the last view shows.
"""

from __future__ import annotations

import os
import re
from stat import S_IMODE
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.documents.views import manifest
from outlast.documents.views.file import QUIET_NS, SECOND_NS, time_left
from outlast.documents.views.manifest import LOST, NOT_RENDERED, ManifestEntry
from outlast.documents.views.registry import UNMERGED, LayoutViews, View
from outlast.errors import InvalidDocument, Refused
from outlast.model.commands import CreatePlan, KeepProse
from outlast.model.execute import execute
from outlast.model.state import PlanState
from outlast.redact.structs import redact_commands
from outlast.store.files import snapshot_file
from outlast.store.files.journal_file import NAME
from outlast.store.files.log import create_files
from outlast.store.files.repair import LastView, ViewedPlan
from outlast.system.clock import new_plan_id
from outlast.system.disk import PRIVATE, Disk, read_whole, take_lock, write_atomically
from outlast.system.stable_read import checksum

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.model import Prose
    from outlast.store.port import Notice

_COPY: Final = rf"{re.escape(NAME)}\.(?:torn|damaged)-"  # that a recovery or a repair has kept
_CLOSING: Final = rb"<!-- outlast r(\d+)(?: ([0-9a-f]{8}))?"


def traces_of_journal(directory: str, disk: Disk, view: View) -> list[str]:
    """Return the names of the files which show that a directory has lost its journal.

    Without any, its first view is a file of another program, which can be adopted.
    """
    names = disk.list_directory(directory)
    traces = [name for name in names if name == snapshot_file.NAME or re.match(_COPY, name)]
    if manifest.NAME in names and not _is_adopting(directory, disk):
        traces.append(manifest.NAME)
    if view.name in names and _is_ours(disk, os.path.join(directory, view.name), view):
        traces.append(view.name)
    return traces


def _is_adopting(directory: str, disk: Disk) -> bool:
    """Return whether a manifest is that of a view from which no plan has been created yet."""
    entries = manifest.load(directory, disk)[0].values()
    return bool(entries) and all(entry.is_adopted for entry in entries)


def _is_ours(disk: Disk, path: str, view: View) -> bool:
    """Return whether a view closes with a line that no other program writes."""
    try:
        return not view.is_bare and view.is_complete(read_whole(disk, path))
    except (OSError, InvalidDocument):
        return False  # opening it says why


class LastViewFile(LastView):
    """The first view in a plan's directory, for the repair of its journal."""

    def __init__(
        self, layout: LayoutViews, directory: str, disk: Disk, key: str, now: datetime
    ) -> None:
        self._layout, self._view = layout, layout.views[0]
        self._directory = directory
        self._path = os.path.join(directory, self._view.name)
        self._disk = disk
        self._key = key
        self._now = now

    def read(self) -> ViewedPlan | None:
        """Return the plan that the view shows; None if there is none, or it is no plan."""
        try:
            data = read_whole(self._disk, self._path)
            plan = parse_view(self._layout, data, self._key, self._now)
            prose, numbers = self._read_text(data, plan)
            execute(PlanState(self._now), (plan,), self._now)
        except FileNotFoundError:
            return None
        except (InvalidDocument, Refused) as error:
            if error.text == UNMERGED:
                raise
            return None
        (revision, mark), is_full = self._commit_of(data), not self._view.is_bare
        return ViewedPlan(self._view.name, revision, is_full, plan, prose, mark, numbers)

    def _read_text(self, data: bytes, plan: CreatePlan) -> tuple[tuple[Prose, ...], frozenset[int]]:
        """Return what people wrote into the view, anchored to its tasks, and the numbers in it."""
        if not self._view.is_editable:
            return (), frozenset(task.id for task in plan.tasks)
        from outlast.documents.markdown.parse import parse
        from outlast.documents.markdown.to_plan import prose_of

        document = parse(data.decode(), bare=self._view.is_bare)
        (redacted,) = redact_commands((KeepProse(prose_of(document, plan)),))
        return redacted.prose, frozenset(item.id for item in document.items() if item.id)

    def _commit_of(self, data: bytes) -> tuple[int, str]:
        """Return revision and mark that a view shows; without a closing line, as rendered."""
        match = None if self._view.is_bare else re.search(_CLOSING, data)
        if match:
            return int(match[1]), (match[2] or b"").decode()
        entry = self._entry()
        if entry.checksum != checksum(data):
            return 0, ""
        return entry.revision, "" if entry.mark == LOST else entry.mark

    def _entry(self) -> ManifestEntry:
        entries, _ = manifest.load(self._directory, self._disk)
        return entries.get(self._view.name, NOT_RENDERED)

    def keep_copy(self) -> list[Notice]:
        """Copy the view under a name with the time of the repair; it need not be kept again."""
        if not self._disk.exists(self._path):
            return []
        kept = f"{self._path}.old-{self._now:%Y%m%dT%H%M%S}"
        data, mode = read_whole(self._disk, self._path), S_IMODE(self._disk.mode(self._path))
        write_atomically(self._disk, kept, data, sync=True, mode=mode)
        entries, _ = manifest.load(self._directory, self._disk)
        if self._view.name in entries:
            entries[self._view.name] = replace(entries[self._view.name], mark=LOST)
            manifest.save(self._directory, self._disk, entries, mode)
        return [("view_kept", {"name": self._view.name, "kept": kept})]

    def detach(self, *, is_source: bool, is_ahead: bool = False) -> None:
        """Save a manifest that knows this view at most."""
        if not self._disk.exists(self._path):
            return manifest.remove(self._directory, self._disk)
        content = checksum(read_whole(self._disk, self._path))
        is_edited = self._entry().checksum != content
        if not is_source and (is_ahead or is_edited):
            return manifest.remove(self._directory, self._disk)
        entries = {self._view.name: ManifestEntry(1, content, mark=LOST)}
        mode = S_IMODE(self._disk.mode(self._path))
        return manifest.save(self._directory, self._disk, entries, mode)


def adopt(layout: LayoutViews, directory: str, disk: Disk, key: str, now: datetime) -> None:
    """Create a plan from the first view.

    An editable view then counts as an edit of the new plan; any other is recorded as rendered, and
    so are the views beside it, which are not there yet.
    """
    view, *others = layout.views
    data = read_whole(disk, os.path.join(directory, view.name))
    command = parse_view(layout, data, key, now)
    if not view.is_editable:
        entries = {other.name: ManifestEntry(1) for other in others}
        entries[view.name] = ManifestEntry(1, checksum(data), checksum(data))
        manifest.create(directory, disk, entries, PRIVATE)
    create_files(directory, disk, command, author="import", now=now)


def parse_view(layout: LayoutViews, data: bytes, key: str, now: datetime) -> CreatePlan:
    """Return the plan that another program's view describes; its directory decides the key."""
    command = replace(layout.adopt(data, new_plan_id(), now), key=key)
    (redacted,) = redact_commands((command,))
    return redacted


def set_unreadable_aside(
    layout: LayoutViews, directory: str, disk: Disk, key: str, now: datetime
) -> list[Notice]:
    """Rename a first view that is no plan; return the notice about it.

    One that is being written is waited for.
    """
    path = os.path.join(directory, layout.name)
    disk.sleep(time_left(disk, disk.stamp(path), QUIET_NS) / SECOND_NS)
    fd = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        take_lock(disk, fd, directory)
        if disk.exists(os.path.join(directory, NAME)) or _is_plan(layout, disk, path, key, now):
            return []  # repaired or adopted meanwhile
        kept = f"{path}.bad-{now:%Y%m%dT%H%M%S.%f}"
        disk.rename(path, kept)
        disk.sync_directory(directory)
    finally:
        disk.close(fd)
    return [("plan_file_set_aside", {"path": path, "kept": kept})]


def _is_plan(layout: LayoutViews, disk: Disk, path: str, key: str, now: datetime) -> bool:
    try:
        execute(PlanState(now), (parse_view(layout, read_whole(disk, path), key, now),), now)
    except (InvalidDocument, Refused) as error:
        return error.text == UNMERGED  # a plan again, once the conflict is resolved
    return True
