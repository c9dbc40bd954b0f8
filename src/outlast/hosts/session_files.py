"""Sessions of coding agents, each in a directory of its own in the user's state directory.

| file | what is in it |
|---|---|
| session.json | the record |
| paths | the plan's files, one a line; when one is newer than base, the plan has changed |
| base | its time is that of the newest of them at the last look at the plan |
| next, remind | an answer each; the shell renames it first, so that it is shown once |
| status | the status line |
| decide, failing | empty; the shell asks the full program around tools, after failures |
| views | a dot for each view |
| spool/ | the raw payloads of failures, until the next look |
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError
from msgspec.json import Decoder, Encoder

from outlast.hosts.session_record import SessionRecord
from outlast.hosts.wire.events import HOST_NAMES
from outlast.hosts.wire.payload import SESSION
from outlast.system.disk import take_lock
from outlast.system.files import PRIVATE, read_from, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.hosts.session_record import Offers
    from outlast.hosts.wire.events import HostName
    from outlast.system.disk import Disk
    from outlast.system.state_home import StateHome

KIND: Final = "hosts"
_RECORD: Final = "session.json"
_SPOOL: Final = "spool"
_LARGEST_RECORD: Final = 1 << 20
_LARGEST_PAYLOAD: Final = 16 << 20
_MOST_FAILURES: Final = 100  # of one look
_MOST_DAYS: Final = 30  # that an unused session is kept
_DAY_NS: Final = 24 * 3_600 * 10**9
_ENCODER: Final = Encoder(order="sorted")
_DECODER: Final = Decoder(SessionRecord)


class SessionFiles:
    """The sessions of this user. An I/O failure raises `OSError` or `StoreError`."""

    def __init__(self, home: StateHome, disk: Disk) -> None:
        """Keep them in a state directory."""
        self._home, self._disk = home, disk

    def directory(self, host: HostName, session: str) -> str:
        """Return the directory of a session, which need not exist."""
        return self._home.path_of(KIND, host, session)

    def read(self, host: HostName, session: str) -> SessionRecord | None:
        """Return the record of a session; None if it is not attached, or cannot be read."""
        if not SESSION.fullmatch(session):
            return None
        data = self._read_file(f"{self.directory(host, session)}/{_RECORD}", _LARGEST_RECORD)
        try:
            record = _DECODER.decode(data) if data else None
        except DecodeError:  # of another version
            return None
        return record if record and (record.host, record.session) == (host, session) else None

    def all(self) -> list[SessionRecord]:
        """Return the sessions that are attached."""
        return [
            record
            for host in HOST_NAMES
            for session in self._names(self._home.path_of(KIND, host))
            if (record := self.read(host, session)) is not None
        ]

    def write(self, record: SessionRecord) -> None:
        """Attach a session, or change what is remembered of it."""
        directory = self._make_directory(record)
        write_atomically(self._disk, f"{directory}/{_RECORD}", _ENCODER.encode(record))

    def remove(self, host: HostName, session: str) -> bool:
        """Detach a session; return whether it was attached."""
        directory = self.directory(host, session)
        was_attached = self.read(host, session) is not None
        for name in self._names(directory):
            if name != _SPOOL:
                with suppress(FileNotFoundError):
                    self._disk.remove(f"{directory}/{name}")
        for name in self._names(f"{directory}/{_SPOOL}"):
            with suppress(FileNotFoundError):
                self._disk.remove(f"{directory}/{_SPOOL}/{name}")
        for emptied in (f"{directory}/{_SPOOL}", directory):
            with suppress(OSError):  # another hook may just have written there
                self._disk.remove_directory(emptied)
        return was_attached

    def remove_unused(self) -> None:
        """Detach sessions that nothing has looked at for a month."""
        oldest = self._disk.now_ns() - _MOST_DAYS * _DAY_NS
        for record in self.all():
            directory = self.directory(record.host, record.session)
            with suppress(FileNotFoundError):
                if self._modified_ns(f"{directory}/{_RECORD}") < oldest:
                    self.remove(record.host, record.session)

    @contextmanager
    def hold(self, host: HostName, session: str) -> Iterator[SessionRecord | None]:
        """Hold a session, since hooks may run side by side; give its record as it is then.

        None, and nothing is held, if it is not attached.
        """
        fd = self._lock(host, session)
        if fd is None:
            yield None
            return
        try:
            yield self.read(host, session)
        finally:
            self._disk.close(fd)

    def _lock(self, host: HostName, session: str) -> int | None:
        """Wait for the lock of a session; None if it is not attached."""
        directory = self.directory(host, session)
        while self.read(host, session) is not None:
            try:
                fd = self._disk.open(f"{directory}/lock", os.O_RDWR | os.O_CREAT, PRIVATE)
            except FileNotFoundError:  # it was detached just now
                return None
            try:
                take_lock(self._disk, fd, directory)
                names, _ = self._disk.stat(fd)
            except BaseException:
                self._disk.close(fd)
                raise
            if names:
                return fd
            self._disk.close(fd)  # it was detached meanwhile, and the lock went with it
        return None

    def take_failures(self, record: SessionRecord) -> list[bytes]:
        """Return the failures that the shell has noted, the oldest first, and forget them."""
        spool = f"{self.directory(record.host, record.session)}/{_SPOOL}"
        names = [name for name in self._names(spool) if not name.startswith(".")]
        paths = sorted((f"{spool}/{name}" for name in names), key=self._modified_ns)
        paths = paths[:_MOST_FAILURES]
        payloads = [self._read_file(path, _LARGEST_PAYLOAD) for path in paths]
        for path in paths:
            self._disk.remove(path)
        return payloads

    def take_views(self, record: SessionRecord) -> int:
        """Return how often the shell has noted a view, and forget them."""
        path = f"{self.directory(record.host, record.session)}/views"
        views = len(self._read_file(path, _LARGEST_RECORD))
        if views:
            self._disk.remove(path)
        return views

    def withdraw_step(self, record: SessionRecord) -> bool:
        """Withdraw the step that the shell was to show; return whether it was still unshown."""
        try:
            self._disk.remove(f"{self.directory(record.host, record.session)}/next")
        except FileNotFoundError:
            return False
        return True

    def newest_ns(self, files: tuple[str, ...]) -> int:
        """Return the time of the last write to any of a plan's files."""
        return max(
            (self._modified_ns(path) for path in files if self._disk.exists(path)), default=0
        )

    def offer(
        self, record: SessionRecord, offers: Offers, files: tuple[str, ...], seen: int
    ) -> None:
        """Leave texts for the shell; they hold until one of the plan's files is newer.

        The first of the files is the journal, which was last written at `seen` when the texts were
        made. Unless it was written since, the others were written by this process.
        """
        newest = self.newest_ns(files) if self.newest_ns(files[:1]) == seen else seen
        directory = self.directory(record.host, record.session)
        texts = {
            "next": offers.before_tool,
            "remind": offers.reminder and f"{offers.views}\n{offers.reminder}",
            "status": f"{offers.status_line}\n",
            "decide": "y" if offers.decides_tools else "",
            "failing": "y" if offers.decides_failures else "",
            "paths": "".join(f"{path}\n" for path in files),
        }
        for name, text in texts.items():
            path = f"{directory}/{name}"
            if text is None:
                continue
            if text:
                write_atomically(self._disk, path, text.encode())
            else:
                with suppress(FileNotFoundError):
                    self._disk.remove(path)
        base = f"{directory}/base"
        write_atomically(self._disk, base, b"")
        self._disk.set_modified_ns(base, newest)

    def last_used_ns(self, record: SessionRecord) -> int:
        """Return when a session was attached, or a hook of it was answered; 0 if it is gone."""
        try:
            return self._modified_ns(f"{self.directory(record.host, record.session)}/{_RECORD}")
        except FileNotFoundError:
            return 0

    def _modified_ns(self, path: str) -> int:
        return self._disk.stamp(path)[2]

    def _make_directory(self, record: SessionRecord) -> str:
        directory = self.directory(record.host, record.session)
        if not self._disk.exists(f"{directory}/{_SPOOL}"):
            self._home.make_directories(KIND, record.host, record.session, _SPOOL)
        return directory

    def _names(self, directory: str) -> list[str]:
        try:
            return self._disk.list_directory(directory)
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _read_file(self, path: str, limit: int) -> bytes:
        """Return what is in a file; nothing if there is none, or too much in it."""
        try:
            fd = self._disk.open(path, os.O_RDONLY, PRIVATE)
        except FileNotFoundError:
            return b""
        try:
            data = read_from(self._disk, fd, 0, limit + 1)
        finally:
            self._disk.close(fd)
        return data if len(data) <= limit else b""
