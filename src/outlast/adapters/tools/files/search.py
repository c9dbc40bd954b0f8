"""The search itself, in a process of its own: an expression can take for ever and not be stopped.

It is told by its argument what to look for and prints what it found. Only the standard library and
the walk are imported.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from outlast.adapters.tools.files.walk import Found, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE: Final = 4_000  # characters of a line that are searched
SHOWN: Final = 300  # characters of a line that are shown
BEFORE: Final = 100  # of them, at most so many before the match
FILE_BYTES: Final = 4 * 1024 * 1024
OUTPUT: Final = 48_000  # bytes of what is printed: less than is kept of a program's output
_BEGINNING: Final = 8_192  # bytes in which a NUL tells a file that is no text

Json = dict[str, Any]


class Search:
    """One search below an open directory, or in an open file."""

    def __init__(self, wanted: Json) -> None:
        """Read what is wanted; an expression that is none raises `re.error`."""
        flags = re.IGNORECASE if wanted["ignore_case"] else 0
        self._expression = re.compile(wanted["pattern"], flags)
        self._fd, self._names, self._limit = wanted["fd"], wanted["names"], wanted["limit"]
        self.matches: list[tuple[str, int, str]] = []
        self.cut = False
        self.skipped = 0
        self._room = OUTPUT

    def run(self) -> Json:
        """Return what was found, in order."""
        if stat.S_ISDIR(os.fstat(self._fd).st_mode):
            walk = Walk(self._fd)
            for found in walk:
                if self.cut:
                    break
                self._look_at(found)
            self.cut = self.cut or walk.cut
        else:
            self._look_into(self._fd, "")
        return {"matches": self.matches, "cut": self.cut, "skipped": self.skipped}

    def _look_at(self, found: Found) -> None:
        if found.kind != "file" or not fnmatchcase(found.path[-1], self._names):
            return
        try:
            fd = found.open()
        except OSError:
            self.skipped += 1
            return
        try:
            self._look_into(fd, "/".join(found.path))
        finally:
            os.close(fd)

    def _look_into(self, fd: int, path: str) -> None:
        text = _text(fd)
        if text is None:
            self.skipped += 1
            return
        for number, line in enumerate(text.splitlines(), 1):
            match = self._expression.search(line[:LINE])
            if match and not self._take(path, number, _around(line, match.start())):
                return

    def _take(self, path: str, number: int, line: str) -> bool:
        match = (path, number, line)
        self._room -= len(json.dumps(match)) + 2
        if len(self.matches) == self._limit or self._room < 0:
            self.cut = True
            return False
        self.matches.append(match)
        return True


def _around(line: str, start: int) -> str:
    begin = max(start - BEFORE, 0) if len(line) > SHOWN else 0
    return line[begin : begin + SHOWN]


def _text(fd: int) -> str | None:
    """Return what a file says; None if it is no plain file, too large, or no text."""
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > FILE_BYTES:
            return None
        data = b"".join(_pieces(fd))
    except OSError:
        return None
    return None if b"\0" in data[:_BEGINNING] else data.decode("utf-8", "replace")


def _pieces(fd: int) -> Iterator[bytes]:
    place = 0
    while place <= FILE_BYTES and (piece := os.pread(fd, FILE_BYTES, place)):
        place += len(piece)
        yield piece


def main() -> None:
    """Search for what the argument says, and print what was found."""
    try:
        answer = Search(json.loads(sys.argv[1])).run()
    except (re.error, OverflowError, RecursionError) as error:
        answer = {"wrong": str(error)}
    sys.stdout.write(json.dumps(answer))
