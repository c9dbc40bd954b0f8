"""The transcript of a run: `transcript.jsonl` beside the journal, one JSON object a line.

It is append-only and not synced. A conversation that is resumed gets its last exchange from here;
without it, it starts from the plan alone. A torn last line of a process that died is ended before
the next entry.
"""

from __future__ import annotations

import os
from typing import Any, Final

from msgspec import DecodeError, json

from outlast.redact.values import redact_value
from outlast.system.disk import PRIVATE, Disk, read_from, write_all
from outlast.system.logs import LOG

NAME: Final = "transcript.jsonl"
_TEXT_CHARACTERS: Final = 20_000  # of one text
_HEAD_FIELDS: Final = ("at", "kind", "run", "lane", "attempt", "task")
_ENTRY_BYTES: Final = 1_000_000  # of one entry
_TAIL_BYTES: Final = 4 * _ENTRY_BYTES  # that are read back


class TranscriptFile:
    """Appends entries to a file that only its owner may read."""

    def __init__(self, path: str, disk: Disk) -> None:
        self._path, self._disk = path, disk
        self._failed = False

    @classmethod
    def beside(cls, file: str, disk: Disk) -> TranscriptFile:
        """Return the transcript beside another file of a plan."""
        return cls(os.path.join(os.path.dirname(file), NAME), disk)

    def add(self, entry: dict[str, Any]) -> None:
        """Append an entry, redacted and truncated. After a failed write no more are tried."""
        if self._failed:
            return
        try:
            self._append(_line(entry))
        except OSError as error:
            self._failed = True
            LOG.warning("no transcript is kept: %s", error)

    def tail(self) -> list[dict[str, Any]]:
        """Return the last entries, oldest first, without damaged ones; none without a file."""
        try:
            data = self._read_tail()
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                LOG.warning("the transcript cannot be read: %s", error)
            return []
        return [entry for entry in map(_decode, data.split(b"\n")) if entry]

    def _read_tail(self) -> bytes:
        fd = self._disk.open(self._path, os.O_RDONLY, PRIVATE)
        try:
            _, size = self._disk.stat(fd)
            start = max(size - _TAIL_BYTES, 0)
            return read_from(self._disk, fd, start, size - start)
        finally:
            self._disk.close(fd)

    def _append(self, line: bytes) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        fd = self._disk.open(self._path, flags, PRIVATE)
        try:
            _, size = self._disk.stat(fd)
            is_torn = size and self._disk.read(fd, size - 1, 1) != b"\n"
            write_all(self._disk, fd, b"\n" + line if is_torn else line)
        finally:
            self._disk.close(fd)


def _decode(line: bytes) -> dict[str, Any]:
    """Return the entry of a line; empty if it is damaged."""
    try:
        entry = json.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _line(entry: dict[str, Any]) -> bytes:
    safe = _truncate(redact_value(entry))
    line = json.encode(safe)
    if len(line) > _ENTRY_BYTES:
        head = {key: value for key, value in entry.items() if key in _HEAD_FIELDS}
        line = json.encode({**head, "cut": len(line)})
    return line + b"\n"


def _truncate(value: object) -> object:
    """Return a value whose long texts are truncated."""
    if isinstance(value, str):
        return value if len(value) <= _TEXT_CHARACTERS else f"{value[:_TEXT_CHARACTERS]}…"
    if isinstance(value, dict):
        return {key: _truncate(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_truncate(item) for item in value]
    return value
