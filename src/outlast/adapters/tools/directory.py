"""Files below one directory: no way out of it, and nothing that is not a plain file."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.domain.limits import check_text
from outlast.errors import ToolFailed
from outlast.system.files import NEW, read_from, write_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.system.disk import Disk

_PLANS: Final = (".outlast", ".code-agent", ".sessions")  # changed by commands, not as files
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY
_THROUGH: Final = "/proc/self/fd"


class Place(Struct, frozen=True):
    """A file that may be there: its directory, which is open, and its name in it."""

    fd: int
    directory: str
    name: str

    @property
    def path(self) -> str:
        """Where it is found."""
        return os.path.join(self.directory, self.name)

    @property
    def new(self) -> str:
        """Where it is written before it is moved to its place; the same after a crash."""
        return os.path.join(self.directory, f".{sha256(self.name.encode()).hexdigest()[:16]}{NEW}")


class Directory:
    """The directory that tools work in."""

    def __init__(self, root: str, disk: Disk) -> None:
        """Take a directory that exists."""
        self._root = disk.real(root)
        self._disk = disk
        self._through = disk.is_directory(_THROUGH)

    @contextmanager
    def at(self, path: object, *, make: bool = False) -> Iterator[Place]:
        """Go to a file, making the directories on the way if wanted.

        Each directory is opened from within the one before, so that none can be exchanged for
        a link meanwhile.
        """
        shown = check_text(path, "path")
        *parents, name = self._parts(shown)
        with _told(shown):
            fd, directory = self._enter(self._root)
            try:
                for parent in parents:
                    before = fd
                    fd, directory = self._enter(os.path.join(directory, parent), make=make)
                    self._disk.close(before)
                yield Place(fd, directory, name)
            finally:
                self._disk.close(fd)

    def read(self, place: Place, limit: int) -> bytes:
        """Return what a file holds, if that is not too much."""
        fd = self._disk.open(place.path, os.O_RDONLY, 0)
        try:
            _check_plain(self._disk.mode(fd), place.name)
            _, size = self._disk.look(fd)
            if size <= limit:
                data = read_from(self._disk, fd, 0, limit + 1)
                if len(data) <= limit:
                    return data
            raise ToolFailed("file_too_large", path=place.name, limit=limit)
        finally:
            self._disk.close(fd)

    def write(self, place: Place, data: bytes) -> None:
        """Make a file hold this, all or nothing, and wait until that would survive a power cut."""
        with self._alone(place):
            mode = self._mode(place)
            try:
                fd = self._disk.open(place.new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
                try:
                    write_all(self._disk, fd, data)
                    self._disk.sync(fd)
                finally:
                    self._disk.close(fd)
                self._disk.rename(place.new, place.path)
            except OSError:
                with suppress(OSError):
                    self._disk.remove(place.new)
                raise
            self._disk.sync_directory(place.directory)

    def sweep(self, place: Place) -> None:
        """Take away what a process that died was writing here."""
        with self._alone(place):
            pass

    @contextmanager
    def _alone(self, place: Place) -> Iterator[None]:
        """Keep others from writing in this directory, and take away what they left unfinished."""
        self._disk.lock(place.fd)
        try:
            with suppress(FileNotFoundError):
                self._disk.remove(place.new)
            yield
        finally:
            self._disk.unlock(place.fd)

    def _enter(self, path: str, *, make: bool = False) -> tuple[int, str]:
        """Open a directory; return it and a path that leads through it, whatever it is called."""
        try:
            fd = self._disk.open(path, _DIRECTORY, 0)
        except FileNotFoundError:
            if not make:
                raise
            with suppress(FileExistsError):
                self._disk.make_directory(path, 0o777)
            self._disk.sync_directory(os.path.dirname(path))
            fd = self._disk.open(path, _DIRECTORY, 0)
        return fd, f"{_THROUGH}/{fd}" if self._through else path

    def _mode(self, place: Place) -> int:
        """Return the mode of what is there, if it may be replaced, else that of a new file."""
        try:
            found = self._disk.mode(place.path)
        except FileNotFoundError:
            return 0o666
        _check_plain(found, place.name)
        return stat.S_IMODE(found)

    def _parts(self, path: str) -> list[str]:
        """Return the names on the way to a file; refuse what leads elsewhere."""
        inside = os.path.relpath(path, self._root) if os.path.isabs(path) else path
        parts = os.path.normpath(inside).split(os.sep)
        if "\0" in path or parts[0] in ("..", ".", ""):
            raise ToolFailed("path_outside", path=path)
        if any(part.casefold() in _PLANS for part in parts):
            raise ToolFailed("path_of_plans", path=path)
        return parts


def _check_plain(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        raise ToolFailed("not_a_file", path=name)


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = os.strerror(error.errno or 0)
        raise ToolFailed("file_failed", path=path, problem=problem) from error
