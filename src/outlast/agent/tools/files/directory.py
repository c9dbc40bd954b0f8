"""Read and write plain files below one directory, without a way out of it.

With `allow_outside` a path may lead elsewhere, after its links are resolved. Inside the directory
no link is ever followed. Of the files of plans only the views can be opened, and only to read.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.agent.tools.files.walk import PLAN_DIRECTORIES, VIEWS, Walk
from outlast.context.tool import PermissionRequest
from outlast.errors import InvalidArgument, ToolFailed
from outlast.model.limits import check_text
from outlast.system.disk import TEMPORARY, descend, describe_error, read_from, take_lock, write_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.system.disk import Disk

_QUOTES: Final = ('""', "''", "``", "\u201c\u201d")
_URL: Final = re.compile(r"file:(?://(?:localhost(?=/))?)?", re.IGNORECASE)
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
_START_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_ENTRIES: Final = 5_000  # searched for a name like a missing one
_ARCHIVE: Final = "/archive/"
_MAX_NEAREST: Final = 3
_SIMILARITY: Final = 0.75
_DIRECTORY_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY
_PROC_FDS: Final = "/proc/self/fd"
_PERMISSIONS: Final = 0o777  # drop setuid and setgid: the new content must not inherit them
_MISSING: Final = (FileNotFoundError, NotADirectoryError)
_ALIAS: Final = "workspace"  # `/workspace`, where many models believe to be


def clean_path(path: str) -> str:
    """Return a path without quotes, backslashes and `file://`; `~` becomes the home directory."""
    cleaned = path.strip()
    if len(cleaned) > 1 and cleaned[0] + cleaned[-1] in _QUOTES:
        cleaned = cleaned[1:-1]
    url = _URL.match(cleaned)
    if url is not None:
        from urllib.parse import unquote

        cleaned = unquote(cleaned[url.end() :])
    if "/" not in cleaned:
        cleaned = cleaned.replace("\\", "/")
    return os.path.expanduser(cleaned)


def has_drive(path: str) -> bool:
    """Return whether a path begins with a drive of Windows."""
    return _DRIVE.match(path) is not None


def nearest_paths(root: str, missing: str) -> list[str]:
    """Return a few files and directories below a root that are named like a missing one."""
    name = os.path.basename(missing.rstrip("/")).casefold()
    paths: dict[str, list[str]] = {}
    for path in map("/".join, _all_paths(root, with_plans=name in VIEWS)):
        if path.isprintable():
            paths.setdefault(os.path.basename(path).casefold(), []).append(path)
    if name not in paths:
        from difflib import get_close_matches

        close = get_close_matches(name, paths, 1, _SIMILARITY)
        name = close[0] if close else name
    archived_last = sorted(paths.get(name, ()), key=lambda path: _ARCHIVE in path)
    return archived_last[:_MAX_NEAREST]


def _all_paths(root: str, *, with_plans: bool) -> Iterator[tuple[str, ...]]:
    yield from _walk(root, ())
    for directory in PLAN_DIRECTORIES if with_plans else ():
        yield from _walk(root, (directory,))


def _walk(root: str, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    try:
        fd = os.open(os.path.join(root, *names), _START_FLAGS)
    except OSError:
        return
    try:
        for entry in Walk(fd, _MAX_ENTRIES, in_plans=bool(names)):
            yield *names, *entry.path
    finally:
        os.close(fd)


class FileRef(Struct, frozen=True):
    """A file that may exist: its open parent directory and its name."""

    fd: int
    directory: str
    name: str

    @property
    def path(self) -> str:
        """The path of the file."""
        return os.path.join(self.directory, self.name)

    @property
    def temporary(self) -> str:
        """The path of the temporary file; the same after a crash, so that it can be removed."""
        return os.path.join(
            self.directory, f".{sha256(self.name.encode()).hexdigest()[:16]}{TEMPORARY}"
        )


class Directory:
    """The workspace directory of the file tools."""

    def __init__(self, root: str, disk: Disk, *, allow_outside: bool = False) -> None:
        """Take an existing directory."""
        self.root = disk.real_path(root)
        self._disk, self._allow_outside = disk, allow_outside
        self._has_proc = disk.is_directory(_PROC_FDS)

    def permission_request(self, path: object, *, views: bool = False) -> PermissionRequest | None:
        """Return a request if the path is outside and may be allowed."""
        try:
            start, parts = self._resolve(check_text(path, "path"), views=views)
        except (ToolFailed, InvalidArgument):
            return None  # `run` refuses it anyway
        if start == self.root:
            return None
        resolved = os.path.join(start, *parts)
        return PermissionRequest("outside", resolved, (f"path:{resolved}",))

    def clean(self, path: object) -> str:
        """Return a path as it is meant, unless there is a file of exactly this name."""
        given = check_text(path, "path")
        if "\0" in given:
            raise ToolFailed("path_outside", path=given)
        cleaned = clean_path(given)
        is_literal = cleaned != given and self._disk.exists(os.path.join(self.root, given))
        return given if is_literal else cleaned

    def locate(self, path: object) -> str:
        """Return the absolute path of a file or directory that is not one of a plan."""
        start, parts = self._resolve(check_text(path, "path"))
        return os.path.join(start, *parts)

    def is_of_plans(self, path: object) -> bool:
        """Return whether a path leads into the directory of plans."""
        return _has_plans(self._split_path(self.clean(path))[1])

    @contextmanager
    def open_parent(
        self, path: object, *, create: bool = False, views: bool = False, suggest: bool = True
    ) -> Iterator[FileRef]:
        """Open the parent directory of a file.

        `create` makes missing directories, `views` allows the views of plans, `suggest` searches
        for the files that a missing one may mean.
        """
        given = check_text(path, "path")
        start, parts = self._resolve(given, views=views)
        if _has_plans(parts) and parts[-1] not in VIEWS:
            raise ToolFailed("path_closed", path=given, views=list(VIEWS))
        with self._open_parent(given, start, parts, create=create, suggest=suggest) as file:
            yield file

    @contextmanager
    def _open_parent(
        self,
        given: str,
        start: str,
        parts: list[str],
        *,
        create: bool = False,
        suggest: bool = True,
    ) -> Iterator[FileRef]:
        if not parts:
            raise ToolFailed("path_outside", path=given)

        def open_inner(parent: tuple[int, str], name: str) -> tuple[int, str]:
            return self._open_directory(os.path.join(parent[1], name), create=create)

        with self._translate_errors(given, suggest=suggest and start == self.root):
            opened = self._open_directory(start)
            fd, directory = descend(opened, parts[:-1], open_inner, self._close_directory)
            try:
                yield FileRef(fd, directory, parts[-1])
            finally:
                self._disk.close(fd)

    @contextmanager
    def open_to_read(self, path: object, *, views: bool = False) -> Iterator[int]:
        """Open a plain file or a directory for reading; `views` allows those of plans."""
        given = check_text(path, "path")
        start, parts = self._resolve(given, views=views)
        if not parts:
            with self._translate_errors(given, suggest=False):
                fd, _ = self._open_directory(start)
                yield from self._yield_and_close(fd)
            return
        with self._open_parent(given, start, parts) as file:
            mode = self._disk.mode(file.path)
            if _has_plans(parts) and not stat.S_ISDIR(mode) and parts[-1] not in VIEWS:
                raise ToolFailed("path_closed", path=given, views=list(VIEWS))
            if not stat.S_ISDIR(mode):
                _require_plain_file(mode, given)
            yield from self._yield_and_close(self._disk.open(file.path, os.O_RDONLY, 0))

    def read(self, file: FileRef, limit: int) -> bytes:
        """Return the content of a file; raise `ToolFailed` above the limit."""
        _require_plain_file(
            self._disk.mode(file.path), file.name
        )  # to open a device may do something
        fd = self._disk.open(file.path, os.O_RDONLY, 0)
        try:
            _require_plain_file(self._disk.mode(fd), file.name)
            _, size = self._disk.stat(fd)
            if size <= limit:
                data = read_from(self._disk, fd, 0, limit + 1)
                if len(data) <= limit:
                    return data
            raise ToolFailed("file_too_large", path=file.name, limit=limit)
        finally:
            self._disk.close(fd)

    def write(self, file: FileRef, data: bytes) -> None:
        """Write a file atomically and durably."""
        with self._lock(file):
            self._replace(file, data)

    def update(self, file: FileRef, limit: int, edit: Callable[[bytes], bytes]) -> None:
        """Replace the content of a file by its edited content, under the lock."""
        with self._lock(file):
            self._replace(file, edit(self.read(file, limit)))

    def remove_leftovers(self, file: FileRef) -> None:
        """Remove the temporary file of a crashed process."""
        with self._lock(file):
            pass

    def _replace(self, file: FileRef, data: bytes) -> None:
        mode = self._mode_for_write(file)
        try:
            fd = self._disk.open(file.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            try:
                write_all(self._disk, fd, data)
                self._disk.sync(fd)
            finally:
                self._disk.close(fd)
            self._disk.rename(file.temporary, file.path)
        except OSError:
            with suppress(OSError):
                self._disk.remove(file.temporary)
            raise
        self._disk.sync_directory(file.directory)

    def _yield_and_close(self, fd: int) -> Iterator[int]:
        try:
            yield fd
        finally:
            self._disk.close(fd)

    @contextmanager
    def _lock(self, file: FileRef) -> Iterator[None]:
        """Lock the directory against other writers and remove their leftovers."""
        take_lock(self._disk, file.fd, self._disk.real_path(file.directory))
        try:
            with suppress(FileNotFoundError):
                self._disk.remove(file.temporary)
            yield
        finally:
            self._disk.unlock(file.fd)

    def _open_directory(self, path: str, *, create: bool = False) -> tuple[int, str]:
        """Open a directory; return it and a path through its descriptor, safe from renames."""
        try:
            fd = self._disk.open(path, _DIRECTORY_FLAGS, 0)
        except FileNotFoundError:
            if not create:
                raise
            with suppress(FileExistsError):
                self._disk.make_directory(path, 0o777)
            self._disk.sync_directory(os.path.dirname(path))
            fd = self._disk.open(path, _DIRECTORY_FLAGS, 0)
        return fd, f"{_PROC_FDS}/{fd}" if self._has_proc else path

    def _close_directory(self, opened: tuple[int, str]) -> None:
        self._disk.close(opened[0])

    def _mode_for_write(self, file: FileRef) -> int:
        """Return the mode of the existing plain file, else that of a new one."""
        try:
            mode = self._disk.mode(file.path)
        except FileNotFoundError:
            return 0o666
        _require_plain_file(mode, file.name)
        return stat.S_IMODE(mode) & _PERMISSIONS

    def _resolve(self, given: str, *, views: bool = False) -> tuple[str, list[str]]:
        """Return the start and the names of a path; refuse what is not allowed."""
        path = self.clean(given)
        if not path:
            raise ToolFailed("path_missing")
        if has_drive(path):
            raise ToolFailed("path_outside", path=given)
        start, parts = self._split_path(path)
        if start != self.root and not self._allow_outside:
            raise ToolFailed("path_outside", path=given)
        if _has_plans(parts) and not views:
            raise ToolFailed("path_of_plans", path=given)
        return start, parts

    def _split_path(self, path: str) -> tuple[str, list[str]]:
        """Return the workspace or the file system root, and the names from there."""
        parts = self._relative_parts(path)
        if parts[:1] != [os.pardir]:
            return self.root, parts
        real = self._disk.real_path(os.path.join(self.root, path))
        parts = self._relative_parts(real)
        if parts[:1] != [os.pardir]:
            return self.root, parts
        names = [part for part in real.split(os.sep) if part]
        climbs = os.pardir in path.split(os.sep) or not os.path.isabs(path)
        if names and not climbs and not self._disk.exists(os.sep + names[0]):
            return self.root, self._from_workspace(names)
        return os.sep, names

    def _from_workspace(self, names: list[str]) -> list[str]:
        """Return the names of an absolute path that only makes sense inside the workspace."""
        is_alias = names[0] == _ALIAS and not self._disk.exists(os.path.join(self.root, _ALIAS))
        return names[1:] if is_alias else names

    def _relative_parts(self, path: str) -> list[str]:
        inside = os.path.relpath(path, self.root) if os.path.isabs(path) else path
        return [part for part in os.path.normpath(inside).split(os.sep) if part != os.curdir]

    @contextmanager
    def _translate_errors(self, path: str, *, suggest: bool) -> Iterator[None]:
        """Turn an error of the system into one of ours."""
        try:
            yield
        except OSError as error:
            is_missing = suggest and isinstance(error, _MISSING)
            nearest = nearest_paths(self.root, self.clean(path)) if is_missing else []
            if nearest:
                raise ToolFailed("file_missing", path=path, nearest=nearest) from error
            raise ToolFailed("file_failed", path=path, problem=describe_error(error)) from error


def _has_plans(parts: list[str]) -> bool:
    return any(part.casefold() in PLAN_DIRECTORIES for part in parts)


def is_unreadable(error: Exception) -> bool:
    """Return whether an error means that a file may exist but could not be read."""
    cause = error.__cause__
    return isinstance(cause, OSError) and not isinstance(cause, _MISSING)


def _require_plain_file(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise ToolFailed("path_is_directory", path=name)
    if not stat.S_ISREG(mode):
        raise ToolFailed("not_a_file", path=name)
