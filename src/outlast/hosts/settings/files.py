"""Files of coding agents that `init` changes: all of them or none, with what was there before.

What a file held before is stored in the user's state directory, in `init/`: the content under the
file's name and a digest of its path, with the ending `.before`, and a record beside it. While the
file is as we left it, removing our entries restores that content byte for byte.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EFBIG
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_ISREG, S_IWUSR
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, Struct, json

from outlast.errors import InvalidDocument, StoreError
from outlast.system.disk import PRIVATE, SHARED, Disk, describe_error, read_from, write_temporary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.system.state_home import StateHome

_KIND: Final = "init"
_LARGEST: Final = 64 * 1024 * 1024
_RECORD_BYTES: Final = 64 * 1024
_DIGITS: Final = 16
_UMASKED: Final = 0o777


class _Record(Struct):
    """What `init` did to a file; `directories` are those that it made, the outermost first."""

    path: str
    existed: bool
    written: str
    directories: tuple[str, ...] = ()


class HostFile(Struct, frozen=True):
    """A file as it is now; `text` is None if there is none.

    `path` is what people call it, `target` what it is when links are followed. `before` is what it
    held before `init`; whether `init` has changed it at all is `is_known`, and whether it is as
    `init` left it `is_untouched`.
    """

    path: str
    target: str
    text: str | None
    mode: int = PRIVATE
    before: str | None = None
    is_known: bool = False
    is_untouched: bool = False

    @property
    def where(self) -> str:
        """What to call it before it is changed: also what a link leads to."""
        return self.path if self.target == self.path else f"{self.path} → {self.target}"


class FileChange(Struct, frozen=True):
    """What a file is to hold; None removes it. `before` is what it is to hold without us."""

    file: HostFile
    after: str | None
    before: str | None = None
    is_private: bool = True

    @property
    def is_needed(self) -> bool:
        """Whether the file changes."""
        return self.after != self.file.text


class SettingsFiles:
    """The files of coding agents. Every failure raises `StoreError` or `InvalidDocument`."""

    def __init__(self, disk: Disk, state: StateHome) -> None:
        """Use a disk, and a state directory for what was there before."""
        self._disk, self._state = disk, state

    def read(self, path: str) -> HostFile:
        """Read a file; refuse what is no text in a regular file."""
        target = self._disk.real_path(path)
        text, mode = self._read(path, target)
        record = self._read_record(target)
        if record is None:
            return HostFile(path, target, text, mode)
        is_untouched = text is not None and _digest(text) == record.written
        before = self._read_before(record)
        return HostFile(path, target, text, mode, before, is_known=True, is_untouched=is_untouched)

    def read_text(self, path: str) -> str | None:
        """Return a file as it is now, whatever is known about it; None if there is none."""
        return self._read(path, self._disk.real_path(path))[0]

    def backup_path(self, file: HostFile) -> str:
        """Return where what a file held before is stored."""
        return self._state.path_of(_KIND, f"{_name(file.target)}.before")

    def apply(self, changes: Iterable[FileChange], *, remove: bool = False) -> None:
        """Make all changes, or none of them if one fails before the first file is replaced.

        To `remove` our entries also forgets what was there before, unless entries of ours for
        something else remain.
        """
        changes = list(changes)
        needed = [change for change in changes if change.is_needed]
        if not any(change.is_needed or (remove and change.file.is_known) for change in changes):
            return
        with self._state.lock(_KIND):
            prepared = list[tuple[FileChange, str]]()
            made = list[str]()
            try:
                for change in needed:
                    self._require_writable(change.file)
                    directories = self._make_directories(change)
                    made += directories
                    if not remove:
                        self._store_before(change, directories)
                    prepared.append((change, self._prepare(change)))
                self._replace(prepared)
            except BaseException:
                self._discard(prepared, made)
                raise
            if remove:
                self._forget(changes)

    def _read(self, path: str, target: str) -> tuple[str | None, int]:
        """Return the text of a file and its mode; None, and that of a new one, if there is none."""
        try:
            fd = self._disk.open(target, os.O_RDONLY, PRIVATE)
        except FileNotFoundError:
            return None, PRIVATE
        except OSError as error:
            raise _failure(path, error) from error
        try:
            mode = self._disk.mode(fd)
            if not S_ISREG(mode):
                raise InvalidDocument("document_no_file", where=path)
            _, size = self._disk.stat(fd)
            if size > _LARGEST:
                raise _failure(path, OSError(EFBIG, os.strerror(EFBIG)))
            data = read_from(self._disk, fd, 0, size)
        except OSError as error:
            raise _failure(path, error) from error
        finally:
            self._disk.close(fd)
        try:
            return data.decode(), S_IMODE(mode)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InvalidDocument("settings_no_text", where=path, line=line) from error

    # --- what was there before -----------------------------------------------------------------

    def _read_record(self, target: str) -> _Record | None:
        data = self._state.read_private(_KIND, f"{_name(target)}.json", _RECORD_BYTES)
        with suppress(DecodeError):
            record = json.decode(data, type=_Record)
            return record if record.path == target else None
        return None

    def _read_before(self, record: _Record) -> str | None:
        if not record.existed:
            return None
        name = f"{_name(record.path)}.before"
        return self._state.read_private(_KIND, name, _LARGEST).decode()

    def _store_before(self, change: FileChange, directories: Sequence[str]) -> None:
        target, name = change.file.target, _name(change.file.target)
        assert change.after is not None  # noqa: S101 - only a removal removes files
        known = self._read_record(target)
        if change.before is not None:
            self._state.write_value(_KIND, f"{name}.before", change.before)
        record = _Record(
            target,
            change.before is not None,
            _digest(change.after),
            (*(known.directories if known else ()), *directories),
        )
        self._write_record(record)

    def _write_record(self, record: _Record) -> None:
        name = f"{_name(record.path)}.json"
        self._state.write_value(_KIND, name, json.encode(record).decode())

    def _forget(self, changes: Iterable[FileChange]) -> None:
        """Remove what was stored about files, and the directories made for them, if empty."""
        done = list[_Record]()
        for change in changes:
            record = self._read_record(change.file.target)
            if record is None:
                continue
            if change.file.is_untouched and change.after not in (None, change.file.before):
                record.written = _digest(str(change.after))
                self._write_record(record)
                continue
            done.append(record)
        self._remove_directories(directory for record in done for directory in record.directories)
        for record in done:
            for ending in ("json", "before"):
                self._state.remove_value(_KIND, f"{_name(record.path)}.{ending}")

    # --- changes -------------------------------------------------------------------------------

    def _require_writable(self, file: HostFile) -> None:
        """Raise `StoreError` for a read-only file: its owner does not want it changed."""
        if not file.mode & S_IWUSR:
            raise StoreError("settings_read_only", where=file.path)

    def _make_directories(self, change: FileChange) -> list[str]:
        missing, directory = list[str](), Path(change.file.target).parent
        while not self._disk.exists(str(directory)):
            missing.append(str(directory))
            directory = directory.parent
        made = list[str]()
        try:
            for each in reversed(missing):
                self._disk.make_directory(each, _UMASKED)
                made.append(each)
        except OSError as error:
            self._remove_directories(made)
            raise _failure(change.file.path, error) from error
        return made

    def _prepare(self, change: FileChange) -> str:
        """Write the new content beside a file; return its name, empty if the file goes."""
        if change.after is None:
            return ""
        target, disk = change.file.target, self._disk
        is_new = change.file.text is None
        mode = SHARED if is_new and not change.is_private else change.file.mode
        try:
            new = write_temporary(disk, target, change.after.encode(), sync=True, mode=mode)
            try:
                if not is_new:
                    disk.set_mode(new, mode)
            except OSError:
                with suppress(OSError):
                    disk.remove(new)
                raise
        except OSError as error:
            raise _failure(change.file.path, error) from error
        return new

    def _replace(self, prepared: Sequence[tuple[FileChange, str]]) -> None:
        for change, _ in prepared:
            text, _ = self._read(change.file.path, change.file.target)
            if text != change.file.text:
                raise StoreError("settings_changed_meanwhile", where=change.file.path)
        done = list[FileChange]()
        for change, new in prepared:
            try:
                self._place(change, new)
            except OSError as error:
                where, left = change.file.path, self._put_back(done)
                if left:
                    problem = describe_error(error)
                    raise StoreError(
                        "settings_not_restored", where=where, problem=problem, files=left
                    ) from error
                raise _failure(where, error) from error
            done.append(change)

    def _put_back(self, done: Iterable[FileChange]) -> list[str]:
        """Restore files that were replaced before another one; return those that stay changed."""
        left = list[str]()
        for change in done:
            back = FileChange(change.file, change.file.text, is_private=change.is_private)
            try:
                self._place(back, self._prepare(back))
            except (OSError, StoreError):
                left.append(change.file.path)
        return left

    def _place(self, change: FileChange, new: str) -> None:
        """Move a prepared content to its file, or remove the file."""
        if new:
            self._disk.rename(new, change.file.target)
        else:
            self._disk.remove(change.file.target)

    def _discard(self, prepared: Iterable[tuple[FileChange, str]], made: Sequence[str]) -> None:
        for _, new in prepared:
            if new:
                with suppress(OSError):
                    self._disk.remove(new)
        self._remove_directories(made)

    def _remove_directories(self, made: Iterable[str]) -> None:
        """Remove directories that are empty, the innermost first."""
        for directory in sorted(set(made), key=len, reverse=True):
            with suppress(OSError):
                self._disk.remove_directory(directory)


def _name(target: str) -> str:
    digest = sha256(os.fsencode(target)).hexdigest()[:_DIGITS]
    return f"{Path(target).name.lstrip('.')}-{digest}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _failure(path: str, error: OSError) -> StoreError:
    return StoreError("settings_unusable", where=path, problem=describe_error(error))
