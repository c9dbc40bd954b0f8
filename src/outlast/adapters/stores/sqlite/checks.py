"""What is looked at before a file is opened as a database of plans."""

from __future__ import annotations

import os
import sqlite3
import stat
from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.stores.sqlite.errors import code_of
from outlast.adapters.stores.sqlite.queries import APPLICATION, QUERIES, VERSION
from outlast.errors import NewerFormat, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.system.disk import Disk

LOG: Final = "-wal"
_BESIDE: Final = (LOG, "-shm", "-journal")


def check_files(path: str, disk: Disk) -> None:
    """Refuse what is no plain file: a link that leads elsewhere, a pipe, a directory."""
    for name in (path, *(path + end for end in _BESIDE)):
        try:
            mode = disk.mode(name)
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            raise StoreError("no_plain_file", where=name)


def has_log(path: str, disk: Disk, end: str = LOG) -> bool:
    """Tell whether there is something beside the database that belongs to it."""
    try:
        return disk.find(path + end)[1] > 0
    except FileNotFoundError:
        return False


def check_owner(path: str, connection: sqlite3.Connection) -> None:
    """Refuse a file that is no database, or that of another program."""
    try:
        [(application,)] = connection.execute(QUERIES["application"]).fetchall()
    except sqlite3.DatabaseError as error:
        if code_of(error) == sqlite3.SQLITE_CORRUPT:
            return  # somebody may just be writing; it is looked at again with the lock
        raise
    if application != APPLICATION:
        raise StoreError("not_a_database", where=path)


def check_schema(path: str, ask: Callable[[str], list[Any]]) -> None:
    """Refuse another file than was meant, a newer form, and a database that does things itself."""
    [(_, _, opened), *_] = ask("files")
    [(application,)] = ask("application")
    if opened != os.fsencode(path).decode(errors="replace") or application != APPLICATION:
        raise StoreError("not_a_database", where=path)
    [(version,)] = ask("version")
    if version > VERSION:
        raise NewerFormat("newer_format", found=version, known=VERSION)
    [(programs,)] = ask("programs")
    if programs:
        raise StoreError("not_a_database", where=path)
