"""The search of `grep`, run as a separate process that can be killed at a timeout.

A regular expression may take forever and cannot be interrupted. The query is the JSON argument, the
result is printed as JSON. Only the standard library and `walk` are imported.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from outlast.agent.tools.files.walk import Entry, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE: Final = 4_000  # characters of a line that are searched
MAX_SHOWN: Final = 300  # characters of a line that are shown
MAX_BEFORE: Final = 100  # characters shown before the match
MAX_FILE_BYTES: Final = 4 * 1024 * 1024
MAX_OUTPUT: Final = 48_000  # bytes printed: fewer than are kept of a program's output
_SNIFFED: Final = 8_192  # bytes in which a NUL marks a binary file

Json = dict[str, Any]


class Search:
    """One search below an open directory, or in an open file."""

    def __init__(self, query: Json) -> None:
        """Take the query; an invalid pattern raises `re.error`."""
        flags = re.IGNORECASE if query["ignore_case"] else 0
        self._expression = re.compile(query["pattern"], flags)
        self._fd, self._names, self._limit = query["fd"], query["names"], query["limit"]
        self._in_plans = query["in_plans"]
        self.matches: list[tuple[str, int, str]] = []
        self.is_truncated = False
        self.skipped = 0
        self._bytes_left = MAX_OUTPUT

    def run(self) -> Json:
        """Return the matches, sorted by path and line."""
        if stat.S_ISDIR(os.fstat(self._fd).st_mode):
            walk = Walk(self._fd, in_plans=self._in_plans)
            for entry in walk:
                if self.is_truncated:
                    break
                self._search_entry(entry)
            self.is_truncated = self.is_truncated or walk.is_truncated
        else:
            self._search_file(self._fd, "")
        return {"matches": self.matches, "cut": self.is_truncated, "skipped": self.skipped}

    def _search_entry(self, entry: Entry) -> None:
        if entry.kind != "file" or not fnmatchcase(entry.path[-1], self._names):
            return
        try:
            fd = entry.open()
        except OSError:
            self.skipped += 1
            return
        try:
            self._search_file(fd, "/".join(entry.path))
        finally:
            os.close(fd)

    def _search_file(self, fd: int, path: str) -> None:
        text = _read_text(fd)
        if text is None:
            self.skipped += 1
            return
        for number, line in enumerate(text.splitlines(), 1):
            match = self._expression.search(line[:MAX_LINE])
            if match and not self._add_match(path, number, _excerpt(line, match.start())):
                return

    def _add_match(self, path: str, number: int, line: str) -> bool:
        match = (path, number, line)
        self._bytes_left -= len(json.dumps(match)) + 2
        if len(self.matches) == self._limit or self._bytes_left < 0:
            self.is_truncated = True
            return False
        self.matches.append(match)
        return True


def _excerpt(line: str, start: int) -> str:
    start_at = max(start - MAX_BEFORE, 0) if len(line) > MAX_SHOWN else 0
    return line[start_at : start_at + MAX_SHOWN]


def _read_text(fd: int) -> str | None:
    """Return the text of a file; None if it is no plain file, too large or binary."""
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        data = b"".join(_read_pieces(fd))
    except OSError:
        return None
    return None if b"\0" in data[:_SNIFFED] else data.decode("utf-8", "replace")


def _read_pieces(fd: int) -> Iterator[bytes]:
    offset = 0
    while offset <= MAX_FILE_BYTES and (piece := os.pread(fd, MAX_FILE_BYTES, offset)):
        offset += len(piece)
        yield piece


def main() -> None:
    """Run the query in the first argument and print the result."""
    try:
        answer = Search(json.loads(sys.argv[1])).run()
    except (re.error, OverflowError, RecursionError) as error:
        answer = {"wrong": str(error)}
    sys.stdout.write(json.dumps(answer))
