"""The file `journal.jsonl`: read new lines, append, and truncate a torn tail."""

from __future__ import annotations

import errno
import os
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from outlast.errors import DamagedJournal, PlanExists, PlanNotFound, UnsuitableFileSystem
from outlast.store import journal
from outlast.store.journal import MARK, TAIL_BYTES, Header
from outlast.store.log import HistoryReplaced, Page
from outlast.system.disk import (
    Disk,
    LockHeld,
    read_from,
    refuse_without_locks,
    take_lock,
    write_all,
    write_atomically,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.changes import Commit

NAME: Final = "journal.jsonl"
_HEADER_BYTES: Final = 1 << 14
_LINE_BYTES: Final = 1 << 16
_PAGE_BYTES: Final = 1 << 18  # that are read at once
_BATCH_LINES: Final = 256  # the ends that are remembered while new lines are read


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


def create_journal(directory: str, disk: Disk, lines: bytes, mode: int) -> None:
    """Create a journal in a directory that has none; with all its lines or not at all."""
    fd = disk.open(directory, os.O_RDONLY | os.O_DIRECTORY, 0)
    try:
        take_lock(disk, fd, directory)
        if NAME in disk.list_directory(directory):
            raise PlanExists("plan_exists_already", where=directory)
        write_atomically(disk, os.path.join(directory, NAME), lines, sync=True, mode=mode)
        disk.sync_directory(directory)
    finally:
        disk.close(fd)


class JournalFile:
    """An open journal, and how far it was read.

    `offset` is the end of the last line that was read, or written and synced. `mark` is how that
    line ends, to recognize it later. `settled` has the offset, mark and revision before the last
    batch, which its writer may still truncate if a write or sync fails. `last_change` has the
    newest revision, or 0, and the line that led to it. `identity` tells the file from any other
    that gets its name. `is_torn`: bytes follow
    that are no good line. `damage`: the offset of a bad line with good ones after it.
    `is_write_unknown`: a write failed and could not be undone, so its lines may be there.
    """

    def __init__(self, directory: str, disk: Disk) -> None:
        self.path = os.path.join(directory, NAME)
        self._disk = disk
        self.shared = False
        self.is_locked = False
        self.fd = self._open()
        self.seek(0, b"")

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
        """Close the file and open the one that has its name now; keep the lock if it is held."""
        locked = self.is_locked
        self.close()
        self.fd = self._open()
        if locked:
            self.lock()

    def close(self) -> None:
        """Close the file, which releases its lock."""
        fd, self.fd = self.fd, -1
        self.is_locked = False
        if fd >= 0:
            self._disk.close(fd)

    def __del__(self) -> None:
        with suppress(BaseException):
            self.close()

    def lock(self) -> None:
        """Take the exclusive file lock; raise `LockHeld` if another process holds it."""
        try:
            self._disk.lock(self.fd)
        except BlockingIOError as error:
            raise LockHeld(self.path) from error
        except OSError as error:
            refuse_without_locks(error, self.path)
            raise
        self.is_locked = True

    def unlock(self) -> None:
        """Release the file lock."""
        self._disk.unlock(self.fd)
        self.is_locked = False

    # Reading

    def seek(self, offset: int, mark: bytes, revision: int = 0) -> None:
        """Go to the end of a line that ended in `mark`; `read_new` verifies that it does."""
        self.offset = offset
        self.mark = mark
        self.settled = offset, mark, revision
        self.last_change: tuple[int, bytes] = 0, b""
        self.damage: int | None = None
        self.is_torn = False
        self.is_write_unknown = False

    def check_header(self) -> None:
        """Read the header; raise `DamagedJournal` or `NewerFormat` if it is not one of ours."""
        data = self._disk.read(self.fd, 0, _HEADER_BYTES)
        line, end, _ = data.partition(b"\n")
        header = journal.read_header(line) if end else None
        if header is None:
            text = "journal_without_header" if data else "journal_empty"
            raise DamagedJournal(text, path=self.path)
        self.shared = header.shared
        self.identity = self._disk.identity(self.fd)
        self.begin = begin = len(line) + 1  # of the first commit
        if not self.offset:
            self.seek(begin, data[begin - TAIL_BYTES : begin])

    def is_in_place(self) -> bool:
        """Return whether the open file still has the journal's name."""
        try:
            return self._disk.stat_path(self.path)[0] == self.identity
        except FileNotFoundError:
            return False

    def is_current(self) -> bool:
        """Return whether the file with the journal's name was read to its end."""
        try:
            identity_and_size = self._disk.stat_path(self.path)
        except FileNotFoundError:
            return False
        offset = self.offset
        return (
            identity_and_size == (self.identity, offset)
            and self._disk.read(self.fd, offset - TAIL_BYTES, TAIL_BYTES) == self.mark
        )

    def mark_at(self, offset: int) -> bytes:
        """Return the checksum of the line that ends at an offset."""
        return self._disk.read(self.fd, offset - TAIL_BYTES, TAIL_BYTES)[MARK]

    def read_new(self, revision: int) -> Iterator[tuple[int, Commit]]:
        """Yield the commits after the offset with their own, and advance the offset.

        An incomplete or bad last line counts as not written. A bad line with good ones after it,
        or a commit that does not follow `revision`, sets `damage` and ends the reading.
        """
        links, size = self._disk.stat(self.fd)
        base = self.offset - TAIL_BYTES
        if not links or size < self.offset:
            raise HistoryReplaced
        data = read_from(self._disk, self.fd, base, min(size - base, _PAGE_BYTES))
        if data[:TAIL_BYTES] != self.mark:
            raise HistoryReplaced
        ends = deque([(self.offset, self.mark, revision)], maxlen=_BATCH_LINES)
        newest = changed = b""
        for begin, line in self._read_lines(self.offset, size, data[TAIL_BYTES:]):
            commit = journal.read_commit(line)
            if commit is None or commit.revision != revision + bool(commit.changes):
                if commit or journal.is_damage(self._read_lines(begin, size)):
                    self.damage = self.offset
                break
            revision, newest = commit.revision, line
            if commit.changes:
                changed = line
            self.offset, self.mark = begin + len(line) + 1, line[1 - TAIL_BYTES :] + b"\n"
            ends.append((self.offset, self.mark, revision))
            yield begin, commit
        self.is_torn = self.offset < size
        if changed:
            self.last_change = revision, changed
        if newest:
            batch = self.offset - len(newest) - 1 - journal.bytes_back(newest)
            self.settled = max([end for end in ends if end[0] <= batch], default=self.settled)

    def read_torn_tail(self) -> bytes:
        """Return the bytes after the last good line."""
        _, size = self._disk.stat(self.fd)
        return read_from(self._disk, self.fd, self.offset, size - self.offset)

    def commit_at(self, offset: int) -> Commit:
        """Return the commit whose line begins at an offset."""
        line = b""
        while b"\n" not in line:
            more = self._disk.read(self.fd, offset + len(line), _LINE_BYTES)
            if not more:
                break
            line += more
        return self._parse_sound(line.partition(b"\n")[0], offset)

    def _read_lines(self, begin: int, end: int, data: bytes = b"") -> Iterator[tuple[int, bytes]]:
        """Yield the complete lines between two offsets, each with its own; read them in pieces.

        `data` is what was read from `begin` on already.
        """
        while True:
            start = 0
            while (stop := data.find(b"\n", start)) >= 0:
                yield begin + start, data[start:stop]
                start = stop + 1
            begin, data = begin + start, data[start:]
            left = end - begin - len(data)
            more = min(left, max(_PAGE_BYTES, len(data)))  # twice as much of a long line
            piece = read_from(self._disk, self.fd, begin + len(data), more) if left > 0 else b""
            if not piece:
                return
            data += piece

    def all_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the complete lines of the file with their offsets, the header included."""
        _, size = self._disk.stat(self.fd)
        return self._read_lines(0, size)

    # Lines that were read before

    def read_page(self, begin: int) -> Page:
        """Return the commits in one piece of the file, and the offset after them."""
        size = _PAGE_BYTES
        while begin < self.offset:
            data = read_from(self._disk, self.fd, begin, min(size, self.offset - begin))
            end = data.rfind(b"\n") + 1
            if end or len(data) < size:
                lines = journal.split_lines(data)
                return [self._parse_sound(line, begin + at) for at, line in lines], begin + end
            size *= 2
        return [], begin

    def read_page_back(self, end: int) -> Page:
        """Return the commits in the piece of the file before an offset, newest first."""
        size = _PAGE_BYTES
        while end > self.begin:
            begin = max(end - size, self.begin)
            data = read_from(self._disk, self.fd, begin, end - begin)
            first = data.find(b"\n", 0, -1) + 1 if begin > self.begin else 0
            if first or begin == self.begin:
                lines = reversed([*journal.split_lines(data, first)])
                return [self._parse_sound(line, begin + at) for at, line in lines], begin + first
            size *= 2
        return [], end

    def _read_lines_back(self, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield the lines before an offset, each with its own, newest first."""
        data = b""  # from `end` to the end of the next line to yield
        while end > self.begin:
            begin = max(self.begin, end - max(_PAGE_BYTES, len(data)))  # twice as much, if long
            data = read_from(self._disk, self.fd, begin, end - begin) + data
            end = begin
            while data:
                start = data.rfind(b"\n", 0, -1) + 1
                if not start and begin > self.begin:
                    break
                yield begin + start, data[start:-1]
                data = data[:start]

    def find_before(self, revision: int) -> int:
        """Return the offset of a line that is not far before the first commit after a revision."""
        low, high = self.begin, self.offset
        while high - low > _PAGE_BYTES:
            middle = (low + high) // 2
            lines = self._read_lines(middle, high)
            next(lines, None)  # its beginning is missing
            offset, line = next(lines, (high, b""))
            commit = journal.read_commit(line) if offset < high else None
            if commit is not None and commit.revision <= revision:
                low = offset
            else:
                high = middle
        return low

    def line_of(self, revision: int) -> bytes:
        """Return the line of the commit that led to a revision; empty if there is none."""
        begin = self.find_before(revision - 1)
        is_near = self.offset - begin <= _PAGE_BYTES  # the newest commit is asked for most
        for offset, line in (
            self._read_lines_back(self.offset) if is_near else self._read_lines(begin, self.offset)
        ):
            commit = self._parse_sound(line, offset)
            if commit.changes and commit.revision == revision:
                return line
            if (commit.revision < revision) == is_near:
                break
        return b""

    def _parse_sound(self, line: bytes, offset: int) -> Commit:
        commit = journal.read_commit(line)
        if commit is None:
            raise DamagedJournal("line_damaged", path=self.path, offset=offset)
        return commit

    # Writing, with the lock held

    def append(self, lines: list[bytes]) -> None:
        """Write lines. If that fails, truncate: none of them stays."""
        disk, fd = self._disk, self.fd
        data = lines[0] if len(lines) == 1 else b"".join(lines)
        try:
            written = disk.write(fd, data)
            if written < len(data):
                write_all(disk, fd, data[written:])
            self.mark = data[-TAIL_BYTES:]
            self.offset += len(data)
        except BaseException:
            self._truncate(self.offset)
            raise

    def _truncate(self, offset: int) -> None:
        self.is_write_unknown = True
        with suppress(OSError):
            self._disk.truncate(self.fd, offset)
            self.is_write_unknown = False

    # Syncing, with the lock or without it

    def sync(self) -> None:
        """Sync what this and other processes have written."""
        self._disk.sync(self.fd)

    def sync_appended(self, begin: int) -> None:
        """Sync the lines that were appended from an offset on; other processes may append more.

        If that fails, the lines are truncated, unless other processes have built on them.
        """
        try:
            self._disk.sync(self.fd)
        except OSError:
            self.is_write_unknown = True
            with suppress(OSError, UnsuitableFileSystem, LockHeld):
                self.lock()
                if self.is_current():
                    self._truncate(begin)
                self.unlock()
            raise

    def truncate_torn_tail(self) -> None:
        """Truncate the file after the last good line, and sync."""
        self._disk.truncate(self.fd, self.offset)
        self._disk.sync(self.fd)
        self.is_torn = False
