"""Making a database, so that it is there complete or not at all, for its owner alone."""

from __future__ import annotations

import os
import re
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from outlast.adapters.stores.sqlite.checks import LOG, has_log
from outlast.adapters.stores.sqlite.connection import GATE, connect
from outlast.adapters.stores.sqlite.queries import QUERIES, schema
from outlast.errors import StoreError
from outlast.system.files import NEW, PRIVATE, SHARED
from outlast.system.filesystems import lock

if TYPE_CHECKING:
    from outlast.system.disk import Disk


def make_database(path: str, disk: Disk, *, shared: bool) -> None:
    """Make a database without plans, unless something has its name already."""
    directory, name = os.path.split(path)
    fd = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        lock(disk.lock, fd, directory)
        if name not in disk.names(directory):
            _refuse_log(path, disk)
            try:
                _sweep(directory, name, disk)
                _place(path, disk, SHARED if shared else PRIVATE)
            except BaseException:
                with suppress(OSError):
                    _sweep(directory, name, disk)
                raise
    finally:
        disk.close(fd)


def _refuse_log(path: str, disk: Disk) -> None:
    """Refuse a place with the log of a database that is gone: a new one would take it in."""
    for end in (LOG, "-journal"):
        if has_log(path, disk, end):
            raise StoreError("log_without_database", where=path + end)


def _sweep(directory: str, name: str, disk: Disk) -> None:
    """Remove what was begun and never finished: with the lock nobody else is at it here."""
    begun = re.compile(rf"{re.escape(name)}\.\d+\.0{re.escape(NEW)}(-wal|-shm|-journal)?")
    for left in filter(begun.fullmatch, disk.names(directory)):
        disk.remove(os.path.join(directory, left))


def _place(path: str, disk: Disk, mode: int) -> None:
    new = f"{path}.{disk.process()}.0{NEW}"
    _build(new, disk, mode)
    disk.rename(new, path)
    disk.sync_directory(os.path.dirname(path))


def _build(path: str, disk: Disk, mode: int) -> None:
    """Build a database. SQLite gives what it makes beside a file the permissions of the file."""
    disk.close(disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    with GATE, closing(connect(path, "mode=rw")) as connection:
        for statement in (
            *(QUERIES[name] for name in ("sync_always", "log_ahead", "begin")),
            *schema(),
            QUERIES["commit"],
        ):
            connection.execute(statement).fetchall()
