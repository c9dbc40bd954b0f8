"""Plans in directories, opened without views or with those of a layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outlast.documents.views.registry import OUTLAST
from outlast.documents.views.synced_views import SyncedViews
from outlast.store.files.log import FilesLog, create_files, open_files
from outlast.store.store import Store

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.documents.views.registry import LayoutViews
    from outlast.model.commands import CreatePlan
    from outlast.store.port import Views
    from outlast.system.disk import Disk


def new_files(
    directory: str, disk: Disk, command: CreatePlan, *, now: datetime, **options: Any
) -> Store:
    """Create a plan and open it."""
    create_files(directory, disk, command, now=now, **options)
    return open_files(directory, disk, now)


def new_views(  # noqa: PLR0913 - what a plan is
    directory: str,
    disk: Disk,
    command: CreatePlan,
    *,
    now: datetime,
    author: str = "ann",
    kind: type[SyncedViews] = SyncedViews,
    layout: LayoutViews = OUTLAST,
) -> Store:
    """Create a plan and open it with its views."""
    create_files(directory, disk, command, now=now, author=author)
    return open_views(directory, disk, now, kind, layout)


def open_views(
    directory: str,
    disk: Disk,
    now: datetime,
    kind: type[SyncedViews] = SyncedViews,
    layout: LayoutViews = OUTLAST,
) -> Store:
    """Open a plan with its views."""
    log = FilesLog(directory, disk, now)
    store = Store(log, now)
    kind(store, log, layout.views)
    return store


def views_of(store: Any) -> Views:
    """Return the views that are attached to a store."""
    views: Views | None = store.views
    assert views is not None
    return views
