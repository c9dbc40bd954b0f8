"""What a plan needs to be safe and proved: the machine it is on, and its own files."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR, S_IWGRP, S_IWOTH
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.application.proof.labels import Label
from outlast.domain.model import Check
from outlast.errors import OutlastError, StoreError
from outlast.ports.store import Notice
from outlast.system.disk import Disk
from outlast.system.files import NEW
from outlast.system.state_home import state_home
from outlast.wiring.databases import database_at, is_url
from outlast.wiring.plans import find_plan, open_plan
from outlast.wiring.workspaces import project_of

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan

_DOUBTED: Final[tuple[Label, ...]] = (
    "stale",
    "tampered",
    "forged",
    "fails now",
    "unproved, fails now",
)


class Machine(Struct, frozen=True):
    """Where plans are kept and on what kind of file system; where a user's own state is.

    `where` is a workspace or a database. State counts for nothing where it cannot be kept, or
    where others may write to it.
    """

    where: str
    is_database: bool
    file_system: str
    state_home: str
    is_state_kept: bool
    is_state_open: bool
    sqlite: str


class Health(Struct, frozen=True):
    """What was noticed when a plan was opened, and what there is to be done about it."""

    notices: tuple[Notice, ...] = ()
    unapproved: dict[int, tuple[Check, ...]] = {}
    doubted: dict[int, Label] = {}
    left_over: tuple[str, ...] = ()
    problem: OutlastError | None = None


def look_at_machine(start: str) -> Machine:
    """Look at what the plans of a project, or of the database that a URL names, stand on."""
    from sqlite3 import sqlite_version

    where, root = _stands_at(start)
    kind, own = Disk().file_system(root), state_home()
    kept, open_to_others = _can_be_kept(own), _is_open(own)
    return Machine(where, is_url(start), kind, own, kept, open_to_others, sqlite_version)


def _stands_at(start: str) -> tuple[str, str]:
    """Return where plans are kept, and the directory that this is in."""
    if is_url(start):
        database = database_at(start)
        return database.path, database.root
    if not Disk().is_directory(start):
        raise StoreError("no_directory", where=start)
    workspace = project_of(start)
    root = workspace.root if workspace else os.path.realpath(start)
    return root, root


def _can_be_kept(directory: str) -> bool:
    """Tell whether we may write there, or make the directory."""
    path = Path(directory)
    nearest = next(one for one in (path, *path.parents) if os.path.lexists(one))
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _is_open(directory: str) -> bool:
    """Tell whether others may write to what is kept for this user; it counts for nothing then."""
    try:
        mode = Path(directory, "outlast").stat().st_mode
    except OSError:  # it is not there, or out of reach
        return False
    return S_ISDIR(mode) and bool(mode & (S_IWGRP | S_IWOTH))


def look_at_plan(start: str, key: str) -> Health:
    """Open a plan as every command does, and look whether it is all in order."""
    try:
        with open_plan(start, key) if is_url(start) else find_plan(start, key) as plan:
            return _looked(plan, _left_over(start, key))
    except OutlastError as error:
        return Health(problem=error)


def _looked(plan: Plan, left_over: tuple[str, ...]) -> Health:
    done = {task.id for task in plan.tasks("completed")}
    labels = {task: one.label for task, one in plan.proofs().items()}
    doubted = {
        task: label
        for task, label in labels.items()
        if label == "tampered" or (task in done and label in _DOUBTED)
    }
    unapproved = {
        task: checks
        for task, checks in plan.unapproved().items()
        if plan.task(task).status != "skipped"
    }
    return Health(tuple(plan.notices), unapproved, doubted, left_over)


def _left_over(start: str, key: str) -> tuple[str, ...]:
    """Return files that were never finished; opening the plan takes away those of dead writers."""
    workspace = None if is_url(start) else project_of(start)
    names = Disk().names(workspace.directory(key)) if workspace else []
    return tuple(name for name in names if name.endswith(NEW))
