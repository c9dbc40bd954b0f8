"""A plan that another program wrote, where there is no journal: adopt it, or set it aside."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.documents.views import manifest
from outlast.documents.views.file import QUIET_NS, SECOND_NS, checksum, read_whole, time_left
from outlast.documents.views.manifest import ManifestEntry
from outlast.documents.views.registry import UNMERGED
from outlast.errors import InvalidDocument, Refused
from outlast.model.execute import execute
from outlast.model.state import PlanState
from outlast.redact.structs import redact_commands
from outlast.store.files.journal_file import NAME
from outlast.store.files.log import create_files
from outlast.system.clock import new_plan_id
from outlast.system.disk import take_lock
from outlast.system.files import PRIVATE

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.documents.views.registry import LayoutViews
    from outlast.model.commands import CreatePlan
    from outlast.store.port import Notice
    from outlast.system.disk import Disk


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
