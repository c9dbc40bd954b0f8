"""Inspect what a plan depends on: the machine, its files, its proofs (for `doctor`)."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR, S_IWGRP, S_IWOTH
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.application.proof.labels import Label
from outlast.domain.model import PERSON, Check
from outlast.errors import OutlastError, StoreError
from outlast.ports.store import Notice
from outlast.system.disk import Disk
from outlast.system.files import TEMPORARY
from outlast.system.state_home import state_home
from outlast.wiring.plans import find_plan, open_plan
from outlast.wiring.workspaces import database_at, find_workspace, is_url

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan

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
    if other users can write to it.
    """

    where: str
    is_database: bool
    file_system: str
    state_home: str
    is_state_writable: bool
    is_state_exposed: bool
    sqlite: str


class Health(Struct, frozen=True):
    """The notices of opening a plan, and what a person should attend to."""

    notices: tuple[Notice, ...] = ()
    unapproved: dict[int, tuple[Check, ...]] = {}
    doubtful: dict[int, Label] = {}
    leftovers: tuple[str, ...] = ()
    problem: OutlastError | None = None


def inspect_machine(start: str) -> Machine:
    """Inspect the storage of a workspace, or of the database of a URL."""
    from sqlite3 import sqlite_version

    where, root = _storage_of(start)
    kind, own = Disk().file_system(root), state_home()
    writable, exposed = _is_writable(own), _is_writable_by_others(own)
    return Machine(where, is_url(start), kind, own, writable, exposed, sqlite_version)


def _storage_of(start: str) -> tuple[str, str]:
    """Return where plans are stored, and the directory of that."""
    if is_url(start):
        database = database_at(start)
        return database.path, database.root
    if not Disk().is_directory(start):
        raise StoreError("no_directory", where=start)
    workspace = find_workspace(start)
    root = workspace.root if workspace else os.path.realpath(start)
    return root, root


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
    try:
        open_one = open_plan if is_url(start) else find_plan
        with open_one(start, key, actor=PERSON) as plan:
            return _inspect(plan, _leftovers_of(start, key))
    except OutlastError as error:
        return Health(problem=error)


def _inspect(plan: Plan, leftovers: tuple[str, ...]) -> Health:
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


def _leftovers_of(start: str, key: str) -> tuple[str, ...]:
    """Return unfinished temporary files; opening the plan already removes those of dead writers."""
    workspace = None if is_url(start) else find_workspace(start)
    names = Disk().list_directory(workspace.plan_directory(key)) if workspace else []
    return tuple(name for name in names if name.endswith(TEMPORARY))
