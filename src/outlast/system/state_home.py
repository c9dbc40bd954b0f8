"""The user's own state on this machine, outside of every project.

A project directory may come from anybody. What is stored here is the user's own, so that no project
can forge an approval, or a proof that Outlast made.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from errno import EFBIG, ENOENT
from stat import S_IWGRP, S_IWOTH
from typing import TYPE_CHECKING, Final

from outlast.errors import StoreError
from outlast.system.disk import (
    PRIVATE,
    Disk,
    describe_error,
    read_beginning,
    read_from,
    take_lock,
    write_all,
    write_atomically,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OWN: Final = "outlast"
_SECRET_BYTES: Final = 32
_VALUE_BYTES: Final = 200


def state_home(environment: Mapping[str, str] | None = None) -> str:
    """Return the user's state directory: `$XDG_STATE_HOME`, else `~/.local/state`."""
    return _user_directory("XDG_STATE_HOME", "~/.local/state", environment)


def data_home(environment: Mapping[str, str] | None = None) -> str:
    """Return the user's data directory: `$XDG_DATA_HOME`, else `~/.local/share`."""
    return _user_directory("XDG_DATA_HOME", "~/.local/share", environment)


def _user_directory(variable: str, default: str, environment: Mapping[str, str] | None) -> str:
    environment = os.environ if environment is None else environment
    configured = environment.get(variable, "")
    return configured if os.path.isabs(configured) else os.path.expanduser(default)


class StateHome:
    """Marks, values and secrets of the user. Every failure raises `StoreError`."""

    def __init__(self, path: str, disk: Disk | None = None) -> None:
        """Use a directory, which is created on the first write.

        It must be absolute: a relative one could come with a project.
        """
        self._path = os.path.join(path, _OWN)
        self._disk = disk or Disk()

    def has_mark(self, kind: str, name: str) -> bool:
        """Return whether a mark exists."""
        with self.wrap_errors():
            return self._is_private(kind) and self._disk.exists(self.path_of(kind, name))

    def add_mark(self, kind: str, name: str) -> bool:
        """Add a mark; return whether it is new."""
        with self.wrap_errors():
            self.make_directories(kind)
            try:
                fd = self._disk.open(
                    self.path_of(kind, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE
                )
            except FileExistsError:
                return False
            self._disk.close(fd)
            self._disk.sync_directory(self.path_of(kind))
            return True

    def write_value(self, kind: str, name: str, value: str) -> None:
        """Write a value under a name, replacing the one before."""
        with self.wrap_errors():
            self.make_directories(kind)
            write_atomically(self._disk, self.path_of(kind, name), value.encode(), sync=True)
            self._disk.sync_directory(self.path_of(kind))

    def append_value(self, kind: str, name: str, value: str) -> None:
        """Append to the value under a name; other processes may do so at the same time."""
        with self.wrap_errors():
            self.make_directories(kind)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            fd = self._disk.open(self.path_of(kind, name), flags, PRIVATE)
            try:
                write_all(self._disk, fd, value.encode())
            finally:
                self._disk.close(fd)

    def read_value(self, kind: str, name: str) -> str:
        """Return the value under a name; empty if there is none."""
        with self.wrap_errors():
            if not self._is_private(kind):
                return ""
            return self._read_file(self.path_of(kind, name), _VALUE_BYTES).decode(errors="replace")

    def read_private(self, kind: str, name: str, limit: int) -> bytes:
        """Return the file under a name, empty if there is none.

        Raises `StoreError` for one that others could have written, or that is too large.
        """
        with self.wrap_errors():
            data = self._read_file(self.path_of(kind, name), limit + 1)
            if data and not (self._is_private(kind) and self._is_private(kind, name)):
                raise StoreError("state_home_open", where=self._path)
            if len(data) > limit:
                raise OSError(EFBIG, os.strerror(EFBIG))
            return data

    def remove_value(self, kind: str, name: str) -> bool:
        """Remove the value under a name; return whether there was one."""
        with self.wrap_errors():
            try:
                self._disk.remove(self.path_of(kind, name))
            except FileNotFoundError:
                return False
            self._disk.sync_directory(self.path_of(kind))
            return True

    @contextmanager
    def lock(self, kind: str) -> Iterator[None]:
        """Hold the lock on the values of a kind, for a change that depends on the value before."""
        with self.wrap_errors():
            self.make_directories(kind)
            path = self.path_of(f"{kind}.lock")
            fd = self._disk.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
            try:
                take_lock(self._disk, fd, path)
                yield
            finally:
                self._disk.close(fd)

    def secret(self, name: str, *, make: bool = True) -> bytes:
        """Return a secret of this user, created on first use; empty without `make`.

        Raises `StoreError` for one that others could have written.
        """
        with self.wrap_errors():
            secret = self._read_file(self.path_of(name), _SECRET_BYTES)
            if secret and not self._is_private(name):
                raise StoreError("state_home_open", where=self._path)
            if len(secret) == _SECRET_BYTES:  # a truncated one was never used
                return secret
            return self._create_secret(name) if make else b""

    def _read_file(self, path: str, size: int) -> bytes:
        try:
            return read_beginning(self._disk, path, size)
        except FileNotFoundError:
            return b""

    def _create_secret(self, name: str) -> bytes:
        self.make_directories()
        path = self.path_of(name)
        fd = self._disk.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            take_lock(self._disk, fd, path)
            return self._write_secret(fd)
        finally:
            self._disk.close(fd)

    def _write_secret(self, fd: int) -> bytes:
        """Write a secret under the file's lock, unless another process just has."""
        try:
            secret = read_from(self._disk, fd, 0, _SECRET_BYTES)
            if len(secret) != _SECRET_BYTES:
                secret = os.urandom(_SECRET_BYTES)
                self._disk.truncate(fd, 0)
                write_all(self._disk, fd, secret)
                self._disk.sync(fd)
        finally:
            self._disk.unlock(fd)
        self._disk.sync_directory(self._path)
        return secret

    def make_directories(self, *names: str) -> None:
        """Make directories one inside the other; raise `StoreError` if others could write there."""
        if not os.path.isabs(self._path):
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT))
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        for depth in range(len(names) + 1):
            directory = self.path_of(*names[:depth])
            with suppress(FileExistsError):
                self._disk.make_directory(directory, 0o700)
        if not self._is_private(*names):
            raise StoreError("state_home_open", where=self._path)

    def _is_private(self, *names: str) -> bool:
        """Return whether only the user can write there."""
        if not os.path.isabs(self._path):
            return False
        try:
            modes = [self._disk.mode(self._path), self._disk.mode(self.path_of(*names))]
        except FileNotFoundError:
            return False
        return not any(mode & (S_IWGRP | S_IWOTH) for mode in modes)

    def path_of(self, *names: str) -> str:
        """Return the path of a file or a directory in it."""
        return os.path.join(self._path, *names)

    @contextmanager
    def wrap_errors(self) -> Iterator[None]:
        """Raise `StoreError` for a failure of the file system."""
        try:
            yield
        except OSError as error:
            problem = describe_error(error)
            raise StoreError("state_home_failed", where=self._path, problem=problem) from error
