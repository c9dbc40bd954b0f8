"""The file `journal.jsonl`: read what is new, append, take back, cut a torn end."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from outlast.errors import DamagedJournal, PlanExists, PlanNotFound
from outlast.formats import journal
from outlast.formats.checksum import MARK
from outlast.system.files import read_from, write_all, write_whole
from outlast.system.filesystems import lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.domain.changes import Commit
    from outlast.formats.journal import Header
    from outlast.system.disk import Disk

NAME: Final = "journal.jsonl"
_HEADER_BYTES: Final = 1 << 14
_LINE_BYTES: Final = 1 << 16


class Moved(Exception):
    """What was read before is not what stands there now."""


def read_header(directory: str, disk: Disk) -> Header | None:
    """Return the header of the journal in a directory, or None if there is no readable one."""
    try:
        fd = disk.open(os.path.join(directory, NAME), os.O_RDONLY, 0)
    except OSError:
        return None
    try:
        line, _, _ = disk.read(fd, 0, _HEADER_BYTES).partition(b"\n")
        return journal.read_header(line)
    except OSError:
        return None
    finally:
        disk.close(fd)


def place(directory: str, disk: Disk, lines: bytes, mode: int) -> None:
    """Put the first lines of a journal into a directory that has none; all of them or nothing."""
    fd = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        lock(disk.lock, fd, directory)
        if NAME in disk.names(directory):
            raise PlanExists("plan_exists_already", where=directory)
        write_whole(disk, os.path.join(directory, NAME), lines, sync=True, mode=mode)
        disk.sync_directory(directory)
    finally:
        disk.close(fd)


class JournalFile:
    """An open journal, and how far it has been read.

    `offset` is the end of the last line that was read, or written and acknowledged; `mark` is how
    that line ends, which shows whether it is still the same one. `is_torn` is that something stands
    behind it that is no good line; `damage`, where a line is bad and later ones are good; `doubt`,
    that what failed to be written may be there all the same.
    """

    def __init__(self, directory: str, disk: Disk) -> None:
        """Open the journal of a plan's directory."""
        self.path = os.path.join(directory, NAME)
        self._disk = disk
        self.shared = False
        self._locked = False
        self.fd = self._open()
        self.go_to(0, b"")

    def _open(self) -> int:
        self.writable = True
        try:
            return self._disk.open(self.path, os.O_RDWR | os.O_APPEND, 0)
        except FileNotFoundError as error:
            where = os.path.dirname(self.path)
            raise PlanNotFound("no_plan_there", where=where, candidates=[]) from error
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            self.writable = False
            return self._disk.open(self.path, os.O_RDONLY, 0)

    def reopen(self) -> None:
        """Let go of the file and open it anew; whoever has locked it has the new one locked."""
        locked = self._locked
        self.close()
        self.fd = self._open()
        if locked:
            self.lock()

    def close(self) -> None:
        """Let go of the file, with whatever lock is on it."""
        fd, self.fd = self.fd, -1
        self._locked = False
        if fd >= 0:
            self._disk.close(fd)

    def __del__(self) -> None:
        """Let go of a file that nobody has closed; there is nobody left to be told of trouble."""
        with suppress(BaseException):
            self.close()

    def lock(self) -> None:
        """Wait until nobody else has the file locked."""
        lock(self._disk.lock, self.fd, self.path)
        self._locked = True

    def unlock(self) -> None:
        """Let the next one have the file."""
        self._disk.unlock(self.fd)
        self._locked = False

    # Reading

    def go_to(self, offset: int, mark: bytes) -> None:
        """Read on from the end of a line that ended in `mark`; `news` looks whether it does."""
        self.offset = offset
        self.mark = mark
        self.damage: int | None = None
        self.is_torn = False
        self.doubt = False

    def check_header(self) -> None:
        """Refuse a file that is no journal, or one of a newer form."""
        data = self._disk.read(self.fd, 0, _HEADER_BYTES)
        line, end, _ = data.partition(b"\n")
        header = journal.read_header(line) if end else None
        if header is None:
            raise DamagedJournal("journal_without_header", path=self.path)
        self.shared = header.shared
        self._identity = self._disk.identity(self.fd)
        if not self.offset:
            begin = len(line) + 1
            self.go_to(begin, data[begin - MARK : begin])

    def is_in_place(self) -> bool:
        """Tell whether the file that is open is the one that has the journal's name."""
        try:
            return self._disk.find(self.path)[0] == self._identity
        except FileNotFoundError:
            return False

    def is_current(self) -> bool:
        """Tell whether all that has happened to the journal, by its name, has been read."""
        try:
            found = self._disk.find(self.path)
        except FileNotFoundError:
            return False
        return found == (self._identity, self.offset) and self._ends_as_read()

    def is_read(self) -> bool:
        """Tell whether the file has its name, and ends in the line that was read last."""
        links, size = self._disk.look(self.fd)
        return size == self.offset and links > 0 and self._ends_as_read()

    def _ends_as_read(self) -> bool:
        return self._disk.read(self.fd, self.offset - MARK, MARK) == self.mark

    def news(self, revision: int) -> Iterator[tuple[int, Commit]]:
        """Yield the commits behind the offset, with the place of each, and move the offset on.

        A line that is not complete, or bad and the last, is not there yet. A bad line with good
        ones behind it, or one that does not follow on `revision`, stops the reading for good.
        """
        links, size = self._disk.look(self.fd)
        base = self.offset - MARK
        if not links or size < self.offset:
            raise Moved
        data = read_from(self._disk, self.fd, base, size - base)
        if data[:MARK] != self.mark:
            raise Moved
        for begin, line in journal.split(data, MARK):
            commit = journal.read_commit(line)
            if commit is None or commit.revision != revision + bool(commit.changes):
                if commit or journal.is_damage([*journal.split(data, begin)]):
                    self.damage = self.offset
                self.is_torn = True
                return
            revision = commit.revision
            end = begin + len(line) + 1
            self.offset, self.mark = base + end, data[end - MARK : end]
            yield base + begin, commit
        self.is_torn = self.offset < size

    def torn(self) -> bytes:
        """Return what stands behind the last good line."""
        _, size = self._disk.look(self.fd)
        return read_from(self._disk, self.fd, self.offset, size - self.offset)

    def at(self, place: int) -> Commit:
        """Return the commit whose line begins at a place."""
        line = b""
        while b"\n" not in line:
            more = self._disk.read(self.fd, place + len(line), _LINE_BYTES)
            if not more:
                break
            line += more
        commit = journal.read_commit(line.partition(b"\n")[0])
        if commit is None:
            raise DamagedJournal("journal_damaged", path=self.path, offset=place)
        return commit

    def past(self, begin: int, end: int) -> Iterator[Commit]:
        """Yield the commits between two places that were read before; the first line is none."""
        data = read_from(self._disk, self.fd, begin, end - begin)
        for place, line in journal.split(data):
            if begin + place:
                commit = journal.read_commit(line)
                if commit is None:
                    raise DamagedJournal("journal_damaged", path=self.path, offset=begin + place)
                yield commit

    # Writing, only with the lock

    def append(self, lines: list[bytes]) -> None:
        """Write lines and wait until they are safe; if that fails there is none of them."""
        data = lines[0] if len(lines) == 1 else b"".join(lines)
        try:
            write_all(self._disk, self.fd, data)
            self._disk.sync(self.fd)
            self.mark = data[-MARK:]
            self.offset += len(data)
        except BaseException:
            self._take_back()
            raise

    def _take_back(self) -> None:
        try:
            self._disk.truncate(self.fd, self.offset)
        except OSError:
            self.doubt = True

    def sync(self) -> None:
        """Wait until what others have written is safe too."""
        self._disk.sync(self.fd)

    def cut(self) -> None:
        """Cut off what stands behind the last good line."""
        self._disk.truncate(self.fd, self.offset)
        self._disk.sync(self.fd)
        self.is_torn = False
