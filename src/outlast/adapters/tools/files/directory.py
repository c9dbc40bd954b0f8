"""Files below one directory: no way out of it, and nothing that is not a plain file.

Where a person has a say (`outside`), a path may lead elsewhere; its links are resolved first.
Within the directory no link is ever followed.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.adapters.tools.files.walk import PLANS
from outlast.domain.limits import check_text
from outlast.errors import InvalidArgument, ToolFailed
from outlast.ports.tool import Concern
from outlast.system.files import NEW, read_from, write_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.system.disk import Disk

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY
_THROUGH: Final = "/proc/self/fd"
_PERMISSIONS: Final = 0o777  # new content must not run in the name of who owned the old
_NOT_THERE: Final = (FileNotFoundError, NotADirectoryError)


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

    def __init__(self, root: str, disk: Disk, *, outside: bool = False) -> None:
        """Take a directory that exists."""
        self.root = disk.real(root)
        self._disk, self._outside = disk, outside
        self._through = disk.is_directory(_THROUGH)

    def concern(self, path: object) -> Concern | None:
        """Say that a path leads out of the directory, if it may at all."""
        try:
            start, parts = self._allowed(check_text(path, "path"))
        except (ToolFailed, InvalidArgument):
            return None  # it is refused without asking
        where = os.path.join(start, *parts)
        return None if start == self.root else Concern("outside", where, (f"path:{where}",))

    @contextmanager
    def at(self, path: object, *, make: bool = False) -> Iterator[Place]:
        """Go to a file, making the directories on the way if wanted.

        Each directory is opened from within the one before, so that none can be exchanged for
        a link meanwhile.
        """
        shown = check_text(path, "path")
        start, parts = self._allowed(shown)
        if not parts:
            raise ToolFailed("path_outside", path=shown)
        with _told(shown):
            fd, directory = self._enter(start)
            try:
                for parent in parts[:-1]:
                    before = fd
                    fd, directory = self._enter(os.path.join(directory, parent), make=make)
                    self._disk.close(before)
                yield Place(fd, directory, parts[-1])
            finally:
                self._disk.close(fd)

    @contextmanager
    def opened(self, path: object) -> Iterator[int]:
        """Open a plain file, or a directory such as this one itself, to look into it."""
        shown = check_text(path, "path")
        start, parts = self._allowed(shown)
        if not parts:
            with _told(shown):
                fd, _ = self._enter(start)
                yield from self._lent(fd)
            return
        with self.at(shown) as place:
            _check_kind(self._disk.mode(place.path), shown)
            yield from self._lent(self._disk.open(place.path, os.O_RDONLY, 0))

    def read(self, place: Place, limit: int) -> bytes:
        """Return what a file holds, if that is not too much."""
        _check_plain(self._disk.mode(place.path), place.name)  # to open a device may do something
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
            self._put(place, data)

    def change(self, place: Place, limit: int, edit: Callable[[bytes], bytes]) -> None:
        """Replace what a file holds by what is made of it, while none of our tools writes it."""
        with self._alone(place):
            self._put(place, edit(self.read(place, limit)))

    def sweep(self, place: Place) -> None:
        """Take away what a process that died was writing here."""
        with self._alone(place):
            pass

    def _put(self, place: Place, data: bytes) -> None:
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

    def _lent(self, fd: int) -> Iterator[int]:
        try:
            yield fd
        finally:
            self._disk.close(fd)

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
        return stat.S_IMODE(found) & _PERMISSIONS

    def _allowed(self, path: str) -> tuple[str, list[str]]:
        """Return where a path begins and the names on its way; refuse what leads elsewhere."""
        if "\0" in path or not path:
            raise ToolFailed("path_outside", path=path)
        start, parts = self._way(path)
        if start != self.root and not self._outside:
            raise ToolFailed("path_outside", path=path)
        if any(part.casefold() in PLANS for part in parts):
            raise ToolFailed("path_of_plans", path=path)
        return start, parts

    def _way(self, path: str) -> tuple[str, list[str]]:
        """Return the directory or the root of all, and the names from there on."""
        parts = self._below(path)
        if parts[:1] != [os.pardir]:
            return self.root, parts
        real = self._disk.real(os.path.join(self.root, path))
        parts = self._below(real)
        if parts[:1] != [os.pardir]:
            return self.root, parts
        return os.sep, [part for part in real.split(os.sep) if part]

    def _below(self, path: str) -> list[str]:
        inside = os.path.relpath(path, self.root) if os.path.isabs(path) else path
        return [part for part in os.path.normpath(inside).split(os.sep) if part != os.curdir]


def unseen(error: Exception) -> bool:
    """Tell whether a file is not known to be missing, but could not be looked at."""
    cause = error.__cause__
    return isinstance(cause, OSError) and not isinstance(cause, _NOT_THERE)


def _check_plain(mode: int, name: str) -> None:
    if not stat.S_ISREG(mode):
        raise ToolFailed("not_a_file", path=name)


def _check_kind(mode: int, name: str) -> None:
    if not stat.S_ISDIR(mode):
        _check_plain(mode, name)


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = os.strerror(error.errno or 0)
        raise ToolFailed("file_failed", path=path, problem=problem) from error
