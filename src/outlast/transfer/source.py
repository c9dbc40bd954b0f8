"""Read what is imported: a file, standard input, or the files of a directory.

Sizes are checked before anything is read. Links among the files of a directory are not followed:
the directory may come from a stranger.
"""

from __future__ import annotations

import os
import re
import sys
from errno import ELOOP
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Final, NamedTuple

from outlast.console.document_file import STANDARD, file_error
from outlast.documents.json.reader import LARGEST_BYTES
from outlast.documents.markdown.document import UnparsedLine
from outlast.errors import InvalidDocument, UnknownForm
from outlast.transfer.imports.document import ImportSource
from outlast.transfer.imports.planning_with_files import COMPANIONS, PLANNING_WITH_FILES
from outlast.transfer.plan_document import CLAUDE_TASKS, FORMS, recognize

if TYPE_CHECKING:
    from collections.abc import Iterable

_PIECE: Final = 1 << 20
_MOST_FILES: Final = 10_000
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_PLANS: Final = ("task_plan.md", "tasks.md", "tasks.json")
_NAMED_AFTER_DIRECTORY: Final = ("task_plan.md", "tasks.md")


class ImportInput(NamedTuple):
    """What is at a path, its form if it is known, and the files that were not read."""

    source: ImportSource
    form: str | None
    unread: tuple[UnparsedLine, ...] = ()


def read_import_input(path: str, form: str | None) -> ImportInput:
    """Read what is at a path."""
    if path == STANDARD:
        return ImportInput(ImportSource("document", {"document": read_document(path)}), form)
    fd = _open(path)
    try:
        status = os.fstat(fd)
        if not S_ISDIR(status.st_mode):
            source = ImportSource(path, {Path(path).name: _read_file(fd, path)}, _directory(path))
            return _add_companions(source, form, Path(path).parent)
        return _read_directory(fd, path, form)
    except OSError as error:
        raise file_error(path, error) from error
    finally:
        os.close(fd)


def read_document(path: str) -> bytes:
    """Read a regular file; refuse one that is too large before reading it."""
    if path == STANDARD:
        return _read_bounded(sys.stdin.fileno(), path) if sys.stdin else b""
    fd = _open(path)
    try:
        return _read_file(fd, path)
    except OSError as error:
        raise file_error(path, error) from error
    finally:
        os.close(fd)


def _open(path: str) -> int:
    try:
        return os.open(path, _FLAGS)
    except OSError as error:
        raise file_error(path, error) from error


def _read_file(fd: int, path: str, room: int = LARGEST_BYTES) -> bytes:
    status = os.fstat(fd)
    if not S_ISREG(status.st_mode):
        raise InvalidDocument("document_no_file", where=path)
    if status.st_size > room:
        raise InvalidDocument("document_too_large", where=path, limit=LARGEST_BYTES)
    return _read_bounded(fd, path, room)


def _read_bounded(fd: int, path: str, room: int = LARGEST_BYTES) -> bytes:
    pieces, left = [], room + 1
    while left and (piece := os.read(fd, min(_PIECE, left))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise InvalidDocument("document_too_large", where=path, limit=LARGEST_BYTES)
    return b"".join(pieces)


def _directory(path: str) -> str:
    """Return the name of the directory of a file that is named like many others."""
    name = Path(path).name
    return Path(path).absolute().parent.name if name in _NAMED_AFTER_DIRECTORY else ""


def _add_companions(source: ImportSource, form: str | None, directory: Path) -> ImportInput:
    """Add the files that belong to a plan of planning-with-files, beside it."""
    if (form or _recognize(source)) != PLANNING_WITH_FILES:
        return ImportInput(source, form)
    fd = _open(str(directory))
    try:
        names = os.listdir(fd)  # noqa: PTH208 - of a descriptor
        present = [name for name in COMPANIONS if name in names]
        files, unread = _read_files(fd, present, source.where, len(source.main))
    finally:
        os.close(fd)
    return ImportInput(source.add(files), PLANNING_WITH_FILES, unread)


def _recognize(source: ImportSource) -> str:
    try:
        return recognize(source)
    except UnknownForm:
        return ""


def _read_directory(fd: int, path: str, form: str | None) -> ImportInput:
    """Read the plan in a directory, else the tasks of Claude Code, else all files for a package."""
    names: list[str] = []
    with os.scandir(fd) as entries:
        for entry in entries:
            if len(names) == _MOST_FILES:
                raise InvalidDocument("document_too_many_files", where=path, limit=_MOST_FILES)
            if not entry.name.startswith("."):
                names.append(entry.name)
    names.sort(key=_natural)
    directory = Path(path).absolute().name
    plan = next((name for name in _PLANS if name in names and form != CLAUDE_TASKS), None)
    if plan is not None and (form is None or form in FORMS):
        files, unread = _read_files(fd, [plan], path, 0)
        where = f"{path.removesuffix(os.sep)}{os.sep}{plan}"
        if plan not in files:
            raise InvalidDocument("document_no_file", where=where)
        named = directory if plan in _NAMED_AFTER_DIRECTORY else ""
        return _add_companions(ImportSource(where, files, named), form, Path(path))
    wanted = [name for name in names if name.endswith(".json")]
    if not wanted or form not in (None, CLAUDE_TASKS):
        wanted = names
    files, unread = _read_files(fd, wanted, path, 0)
    others = [UnparsedLine(0, name, "import_file") for name in names if name not in wanted]
    source = ImportSource(path, files, directory, is_directory=True)
    return ImportInput(source, form, (*unread, *others))


def _natural(name: str) -> tuple[int, str]:
    number = re.match(r"[0-9]{1,15}", name)
    return (int(number[0]) if number else sys.maxsize, name)


def _read_files(
    fd: int, names: Iterable[str], path: str, used: int
) -> tuple[dict[str, bytes], tuple[UnparsedLine, ...]]:
    """Read regular files of a directory, without following links, up to the limit of all."""
    files: dict[str, bytes] = {}
    unread = []
    for name in names:
        try:
            file = os.open(name, _FLAGS | os.O_NOFOLLOW, dir_fd=fd)
        except OSError as error:
            if error.errno != ELOOP:
                raise
            unread.append(UnparsedLine(0, name, "import_link", name))
            continue
        try:
            if not S_ISREG(os.fstat(file).st_mode):
                unread.append(UnparsedLine(0, name, "import_file", name))
                continue
            files[name] = _read_file(file, f"{path}{os.sep}{name}", LARGEST_BYTES - used)
            used += len(files[name])
        finally:
            os.close(file)
    return files, tuple(unread)
