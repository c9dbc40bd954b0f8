"""Inspect what a plan depends on: the machine, its files, its proofs (for `doctor`)."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from stat import S_ISDIR, S_IWGRP, S_IWOTH
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.errors import OutlastError, StoreError
from outlast.model.model import PERSON, Check, Label
from outlast.plan.home.find import database_at, find_workspace, is_url, require_workspace
from outlast.plan.plans import Plans, open_plan
from outlast.store.port import Notice
from outlast.system.clock import now
from outlast.system.disk import Disk, describe_error
from outlast.system.files import TEMPORARY, write_temporary
from outlast.system.state_home import state_home

if TYPE_CHECKING:
    from outlast.plan.home.workspace import Workspace
    from outlast.plan.plan import Plan

_PROBE: Final = "probe"
_PROBE_BYTES: Final = 1 << 16  # room for a commit and the views of a plan
_DOUBTFUL: Final[tuple[Label, ...]] = (
    "stale",
    "tampered",
    "forged",
    "fails now",
    "unproved, fails now",
)


class Machine(Struct, frozen=True):
    """Where plans are stored, on what kind of file system, and the user's state directory.

    `where` is a workspace or a database. The state directory is ignored if it is not writable, or
    if other users can write to it. `problem` is why nothing can be stored: a disk that is full or
    read-only, or no permission. `nameless` are directories of plans whose key is lost.
    """

    where: str
    is_database: bool
    file_system: str
    state_home: str
    is_state_writable: bool
    is_state_exposed: bool
    sqlite: str
    problem: str = ""
    nameless: tuple[str, ...] = ()


class Health(Struct, frozen=True):
    """The notices of opening a plan, and what a person should attend to."""

    notices: tuple[Notice, ...] = ()
    unapproved: dict[int, tuple[Check, ...]] = {}
    doubtful: dict[int, Label] = {}
    leftovers: tuple[str, ...] = ()
    problem: OutlastError | None = None


def inspect_machine(start: str, disk: Disk | None = None) -> Machine:
    """Inspect the storage of a workspace, or of the database of a URL."""
    from sqlite3 import sqlite_version

    disk = disk or Disk()
    where, root, homes = _storage_of(start, disk)
    kind, own = disk.file_system(root), state_home()
    writable, exposed = _is_writable(own), _is_writable_by_others(own)
    problem = next(filter(None, (_try_to_write(home, disk) for home in homes)), "")
    workspace = None if is_url(start) else find_workspace(start)
    return Machine(
        where,
        is_url(start),
        kind,
        own,
        writable,
        exposed,
        sqlite_version,
        problem,
        tuple(workspace.nameless_directories()) if workspace else (),
    )


def _storage_of(start: str, disk: Disk) -> tuple[str, str, list[str]]:
    """Return where plans are stored, the directory of that, and those that hold plans."""
    from outlast.plan.home.layouts import HOMES

    if is_url(start):
        database = database_at(start)
        return database.path, database.root, [database.root]
    if not disk.is_directory(start):
        raise StoreError("no_directory", where=start)
    workspace = find_workspace(start)
    root = workspace.root if workspace else disk.real_path(start)
    homes = (f"{root}/{name}" for name in HOMES)
    return root, root, [home for home in homes if disk.is_directory(home)]


def _try_to_write(directory: str, disk: Disk) -> str:
    """Write a file and remove it; return what the system says if that fails."""
    try:
        new = write_temporary(disk, f"{directory}/{_PROBE}", bytes(_PROBE_BYTES), sync=True)
        disk.remove(new)
    except OSError as error:
        return describe_error(error)
    return ""


def _is_writable(directory: str) -> bool:
    """Return whether a directory can be written, or created."""
    path = Path(directory)
    nearest = next(entry for entry in (path, *path.parents) if os.path.lexists(entry))
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _is_writable_by_others(directory: str) -> bool:
    """Return whether other users can write to the state directory, which is ignored then."""
    try:
        mode = Path(directory, "outlast").stat().st_mode
    except OSError:  # missing or unreachable
        return False
    return S_ISDIR(mode) and bool(mode & (S_IWGRP | S_IWOTH))


def inspect_plan(start: str, key: str) -> Health:
    """Open a plan as every command does, and inspect it."""
    workspace = None if is_url(start) else require_workspace(start)
    try:
        if workspace is None:
            with open_plan(start, key, actor=PERSON) as plan:
                return _inspect(plan)
        if not workspace.has_journal(key):  # opening it would adopt it
            workspace.open_without_adopting(key, now()).close()
            return Health()
        with Plans(workspace, PERSON).open(key) as plan:
            health = _inspect(plan, _find_leftovers(workspace, key))
        return replace(health, notices=(*_check_identity(workspace, key), *health.notices))
    except OutlastError as error:
        return Health(problem=error)


def _check_identity(workspace: Workspace, key: str) -> list[Notice]:
    """Return the notice about a journal that was made for another plan; none if it is its own."""
    other = workspace.foreign_key(key)
    if not other:
        return []
    if not workspace.has_plan(other):
        text = "plan_renamed"
    else:
        text = "plan_swapped" if workspace.foreign_key(other) == key else "plan_copied"
    return [(text, {"key": quote(key), "other": other})]


def _inspect(plan: Plan, leftovers: tuple[str, ...] = ()) -> Health:
    done = {task.id for task in plan.tasks("completed")}
    labels = {task: status.label for task, status in plan.checks.proofs().items()}
    doubtful = {
        task: label
        for task, label in labels.items()
        if label == "tampered" or (task in done and label in _DOUBTFUL)
    }
    unapproved = {
        task: checks
        for task, checks in plan.checks.unapproved().items()
        if plan.task(task).status != "skipped"
    }
    return Health(tuple(plan.notices), unapproved, doubtful, leftovers)


def _find_leftovers(workspace: Workspace, key: str) -> tuple[str, ...]:
    """Return unfinished temporary files; opening the plan already removes those of dead writers."""
    names = Disk().list_directory(workspace.plan_directory(key))
    return tuple(name for name in names if name.endswith(TEMPORARY))
