"""Plans that come from a document, and documents that plans are written to."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.domain.enact import receipt
from outlast.domain.note_commands import KeepProse
from outlast.errors import InvalidDocument, OutlastError, PlanNotFound, StoreError, Unconfirmed
from outlast.formats import plan_document
from outlast.formats.json.text import LARGEST_BYTES
from outlast.formats.plan_document import MANAGER, PLAN_JSON
from outlast.system.clock import new_plan_id, now
from outlast.system.disk import Disk
from outlast.system.files import PRIVATE, put_in_place, write_beside
from outlast.system.workspace_root import find_home, new_home
from outlast.wiring.plans import keep_plan
from outlast.wiring.workspaces import project_of, workspace_at

if TYPE_CHECKING:
    from outlast.adapters.stores.workspace import Workspace
    from outlast.application.plan.plan import Plan
    from outlast.domain.commands import CreatePlan
    from outlast.formats.plan_document import Found

STANDARD: Final = "-"  # the standard streams
_PIECE: Final = 1 << 20


def import_plan(
    start: str, command: CreatePlan, key: str | None = None, *, actor: str = "human"
) -> Plan:
    """Begin a plan from elsewhere in the project that a directory belongs to.

    Its key is the one given, else its own, else one is made from its goal. Its id stays unless a
    plan of the project has it: what was allowed to one plan is not allowed to another. Nothing that
    it brings with it has been approved by anybody.
    """
    where = find_home(start) or new_home(start)
    if command.id in _ids(workspace_at(where)):
        command = replace(command, id=new_plan_id())
    return keep_plan(where, command, command.key or None if key is None else key, actor=actor)


def _ids(workspace: Workspace) -> set[str]:
    """Return the ids of the plans that can be read."""
    found = set()
    for key in workspace.known():
        try:
            store = workspace.look(key, now())
        except OutlastError:
            continue
        found.add(store.read(lambda state: state.id))
        store.close()
    return found


def import_document(
    start: str, path: str, form: str | None, key: str | None = None, *, actor: str = "human"
) -> tuple[Plan, Found]:
    """Begin a plan from a file, or from what is read from `-`, the standard input."""
    found = plan_document.read(read_document(path), form, new_plan_id(), now())
    plan = import_plan(start, _named(found, path), key, actor=actor)
    if found.prose:
        plan.commit((KeepProse(found.prose),), receipt)
    return plan, found


def _named(found: Found, path: str) -> CreatePlan:
    """Return the plan in a document; a list without a heading is called like its file."""
    plan = found.plan
    if found.form in (PLAN_JSON, MANAGER) or plan.goal.strip():
        return plan
    if not plan.tasks:
        raise InvalidDocument("document_no_plan", where=path)
    name = "plan" if path == STANDARD else Path(path).name.partition(".")[0]
    return replace(plan, goal=name or "plan")


def read_document(path: str) -> bytes:
    """Return what is in a plain file; one that is too large is refused unread."""
    if path == STANDARD:
        return _bounded(sys.stdin.fileno(), path) if sys.stdin else b""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise _failed(path, error) from error
    try:
        found = os.fstat(fd)
        if not S_ISREG(found.st_mode):
            raise InvalidDocument("document_no_file", where=path)
        if found.st_size > LARGEST_BYTES:
            raise InvalidDocument("document_too_large", where=path, limit=LARGEST_BYTES)
        return _bounded(fd, path)
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        os.close(fd)


def _bounded(fd: int, path: str) -> bytes:
    pieces, left = [], LARGEST_BYTES + 1
    while left and (piece := os.read(fd, min(_PIECE, left))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise InvalidDocument("document_too_large", where=path, limit=LARGEST_BYTES)
    return b"".join(pieces)


def write_document(path: str, data: bytes, *, replace_it: bool = False) -> str | None:
    """Write a file that is not there yet.

    With `replace_it` one that is there is kept under another name, which is returned.
    """
    disk, real = Disk(), os.path.realpath(path)
    try:
        if disk.has(real) and not S_ISREG(disk.mode(real)):
            raise InvalidDocument("document_no_file", where=path)
        new = write_beside(disk, real, data, sync=True, mode=PRIVATE)
        try:
            return _placed(disk, new, real, replace_it=replace_it)
        except BaseException:
            disk.remove(new)
            raise
    except FileExistsError as error:
        raise Unconfirmed("file_exists", path=path) from error
    except OSError as error:
        raise _failed(path, error) from error


def back_up(start: str, plan: Plan) -> str:
    """Write a plan of a project as it is now beside its journal; return the path."""
    key, revision = plan.key, plan.revision
    workspace = project_of(start)
    if workspace is None:
        raise PlanNotFound("no_plan_yet", where=start, candidates=[])
    path = f"{workspace.directory(key)}{os.sep}backup-r{revision}-{_stamp()}.json"
    write_document(path, plan.read(lambda state: plan_document.write(state, PLAN_JSON)))
    return path


def _stamp() -> str:
    return f"{now():%Y%m%dT%H%M%S.%f}"


def _placed(disk: Disk, new: str, path: str, *, replace_it: bool) -> str | None:
    kept = None
    if replace_it and disk.has(path):
        kept = f"{path}.{_stamp()}.bak"
        disk.rename(path, kept)
    put_in_place(disk, new, path)
    return kept


def _failed(path: str, error: OSError) -> StoreError:
    return StoreError("file_failed", path=path, problem=os.strerror(error.errno or 0))
