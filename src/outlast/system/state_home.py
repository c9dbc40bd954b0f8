"""What Outlast keeps for one user of this machine, outside of every project.

A project directory may come from anybody. What is kept here is the user's own, so that nothing in a
project can say for them what they have allowed, or pass for what Outlast has seen itself.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from errno import ENOENT
from stat import S_IWGRP, S_IWOTH
from typing import TYPE_CHECKING, Final

from outlast.errors import StoreError
from outlast.system.disk import Disk
from outlast.system.files import PRIVATE, read_from, write_all, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OWN: Final = "outlast"
_SECRET_BYTES: Final = 32
_VALUE_BYTES: Final = 200


def state_home(environment: Mapping[str, str] = os.environ) -> str:
    """Return the user's directory for state: `$XDG_STATE_HOME`, else `~/.local/state`."""
    told = environment.get("XDG_STATE_HOME", "")
    return told if os.path.isabs(told) else os.path.expanduser("~/.local/state")


class StateHome:
    """Marks and secrets of the user. What cannot be kept or read raises `StoreError`."""

    def __init__(self, path: str, disk: Disk | None = None) -> None:
        """Use a directory, which is made when something is first kept.

        It has to be absolute: else a project that we are in could bring it along.
        """
        self._path = os.path.join(path, _OWN)
        self._disk = disk or Disk()

    def has_mark(self, kind: str, name: str) -> bool:
        """Tell whether a mark was made."""
        with self._told():
            return self._is_private(kind) and self._disk.has(self._at(kind, name))

    def mark(self, kind: str, name: str) -> bool:
        """Make a mark; tell whether it is new."""
        with self._told():
            self._make(kind)
            try:
                made = self._disk.open(
                    self._at(kind, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE
                )
            except FileExistsError:
                return False
            self._disk.close(made)
            self._disk.sync_directory(self._at(kind))
            return True

    def keep(self, kind: str, name: str, value: str) -> None:
        """Keep a value under a name, in place of the one before."""
        with self._told():
            self._make(kind)
            write_whole(self._disk, self._at(kind, name), value.encode(), sync=True)
            self._disk.sync_directory(self._at(kind))

    def kept(self, kind: str, name: str) -> str:
        """Return the value that is kept under a name; nothing if there is none."""
        with self._told():
            if not self._is_private(kind):
                return ""
            return self._read(self._at(kind, name), _VALUE_BYTES).decode(errors="replace")

    def secret(self, name: str, *, make: bool = True) -> bytes:
        """Return a secret that only this user knows, made on first use; else nothing.

        One that others may have put there is none.
        """
        with self._told():
            found = self._read(self._at(name), _SECRET_BYTES)
            if found and not self._is_private(name):
                raise StoreError("state_home_open", where=self._path)
            if len(found) == _SECRET_BYTES:  # one cut short was never used
                return found
            return self._made(name) if make else b""

    def _read(self, path: str, size: int) -> bytes:
        try:
            fd = self._disk.open(path, os.O_RDONLY, PRIVATE)
        except FileNotFoundError:
            return b""
        try:
            return read_from(self._disk, fd, 0, size)
        finally:
            self._disk.close(fd)

    def _made(self, name: str) -> bytes:
        self._make()
        fd = self._disk.open(self._at(name), os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            return self._written(fd)
        finally:
            self._disk.close(fd)

    def _written(self, fd: int) -> bytes:
        """Write a secret while nobody else does."""
        self._disk.lock(fd)
        try:
            found = read_from(self._disk, fd, 0, _SECRET_BYTES)
            if len(found) != _SECRET_BYTES:
                found = os.urandom(_SECRET_BYTES)
                self._disk.truncate(fd, 0)
                write_all(self._disk, fd, found)
                self._disk.sync(fd)
        finally:
            self._disk.unlock(fd)
        self._disk.sync_directory(self._path)
        return found

    def _make(self, *names: str) -> None:
        if not os.path.isabs(self._path):
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT))
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        for directory in (self._path, self._at(*names)):
            with suppress(FileExistsError):
                self._disk.make_directory(directory, 0o700)
        if not self._is_private(*names):
            raise StoreError("state_home_open", where=self._path)

    def _is_private(self, *names: str) -> bool:
        """Tell whether nobody else can have put anything there."""
        if not os.path.isabs(self._path):
            return False
        try:
            modes = [self._disk.mode(self._path), self._disk.mode(self._at(*names))]
        except FileNotFoundError:
            return False
        return not any(mode & (S_IWGRP | S_IWOTH) for mode in modes)

    def _at(self, *names: str) -> str:
        return os.path.join(self._path, *names)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            problem = os.strerror(error.errno or 0)
            raise StoreError("state_home_failed", where=self._path, problem=problem) from error
