"""The file `transcript.jsonl` beside a journal: what was said, one JSON object a line.

It is only ever added to, and nothing depends on it. It is not synced. What a process that died left
of a line is ended before the next.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from outlast.formats.redact.engine import redact_value
from outlast.system.files import PRIVATE, write_all
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from outlast.system.disk import Disk

NAME: Final = "transcript.jsonl"
_CHARACTERS: Final = 20_000  # of one text
_HEAD: Final = ("at", "kind", "attempt", "task")
_BYTES: Final = 1_000_000  # of one entry


class TranscriptFile:
    """Adds entries to a file that only its owner may read."""

    def __init__(self, path: str, disk: Disk) -> None:
        """Keep a transcript under a path; the file is made with its first entry."""
        self._path, self._disk = path, disk
        self._failed = False

    @classmethod
    def beside(cls, file: str, disk: Disk) -> TranscriptFile:
        """Keep the transcript of a plan beside another file of it."""
        return cls(os.path.join(os.path.dirname(file), NAME), disk)

    def add(self, entry: dict[str, Any]) -> None:
        """Add an entry, without secrets and cut; a file that takes none is given up."""
        if self._failed:
            return
        try:
            self._append(_line(entry))
        except OSError as error:
            self._failed = True
            LOG.warning("no transcript is kept: %s", error)

    def _append(self, line: bytes) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        fd = self._disk.open(self._path, flags, PRIVATE)
        try:
            _, size = self._disk.look(fd)
            is_torn = size and self._disk.read(fd, size - 1, 1) != b"\n"
            write_all(self._disk, fd, b"\n" + line if is_torn else line)
        finally:
            self._disk.close(fd)


def _line(entry: dict[str, Any]) -> bytes:
    safe = _cut(redact_value(entry))
    line = json.encode(safe)
    if len(line) > _BYTES:
        plain = {key: value for key, value in entry.items() if key in _HEAD}
        line = json.encode({**plain, "cut": len(line)})
    return line + b"\n"


def _cut(value: object) -> object:
    """Return a value whose long texts are cut."""
    if isinstance(value, str):
        return value if len(value) <= _CHARACTERS else f"{value[:_CHARACTERS]}…"
    if isinstance(value, dict):
        return {key: _cut(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(one) for one in value]
    return value
