"""Entries of `findings.md` and `errors.md`: escape their text so that it is read back unchanged.

A line that would be misread gets one more backslash in front. A line break or a blank where none is
allowed becomes a character reference such as `&#13;`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec import Struct

from outlast.documents.markdown.syntax import CONFLICT_LINE, REVISION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_REFERENCE: Final = re.compile(r"&((?:amp;)*)#([0-9]{1,5});")
_FENCE: Final = r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)"
_OPENS: Final = re.compile(_FENCE)


class Escape:
    """Escapes lines in a file in which lines that match `structure` have a meaning.

    The closing line and conflict markers have one in every file.
    """

    def __init__(self, structure: str) -> None:
        """Compile the expressions; `structure` matches the beginning of a line."""
        structure = rf"{structure}|{CONFLICT_LINE}|{REVISION.pattern}"
        escaped = rf"\\+(?:\s*\Z|{_FENCE}|{structure})"
        self._escaped = re.compile(escaped)
        self._odd = re.compile(rf"{structure}|{escaped}")

    def write(self, content: str) -> list[str]:
        """Return the escaped lines of a text; neither the first nor the last is blank."""
        if not content:
            return []
        lines = _escape_characters(content, "\r".__eq__).split("\n")
        filled = [number for number, line in enumerate(lines) if line.strip()] or [len(lines)]
        fences = _unclosed_fences(lines)
        return [
            f"\\{line}"
            if not filled[0] <= number <= filled[-1] or number in fences or self._odd.match(line)
            else line
            for number, line in enumerate(lines)
        ]

    def read(self, lines: Iterable[str]) -> str:
        """Return the text of escaped lines; blank lines around it are ignored."""
        kept = trim_blank(lines)
        return _unescape_characters("\n".join(x[1:] if self._escaped.match(x) else x for x in kept))


def escape_inline(value: str) -> str:
    """Escape a text for the middle of a line: line breaks, and blanks at both ends."""
    start = len(value) - len(value.lstrip())
    end = len(value.rstrip())
    ends = (
        _escape_characters(value[:start], str.isspace),
        _escape_characters(value[max(start, end) :], str.isspace),
    )
    return _escape_characters(value[start:end], "\r\n".__contains__).join(ends)


def unescape_inline(value: str) -> str:
    """Undo `escape_inline`."""
    return _unescape_characters(value.strip())


class NotesFile(Struct, frozen=True):
    """The lines of a file, and the revision that its closing line names; None without one.

    `is_ended` if its last line has an end. The closing line itself is left out, wherever it is.
    """

    lines: list[str]
    revision: int | None = None
    mark: str = ""
    is_ended: bool = True

    @property
    def last_line(self) -> str:
        """The last line that is not blank."""
        return next((line for line in reversed(self.lines) if line.strip()), "").strip()


def read_notes(text: str) -> NotesFile:
    """Read a file with or without a byte order mark and carriage returns."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    closing = [match for line in lines if (match := REVISION.match(line))]
    if not closing:
        return NotesFile(lines, is_ended=not lines[-1])
    kept = ["" if REVISION.match(line) else line for line in lines]
    revision, mark = max((int(match[1]), match[2] or "") for match in closing)
    return NotesFile(kept, revision, mark, not lines[-1])


def trim_blank(lines: Iterable[str]) -> list[str]:
    """Drop blank lines at both ends."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    start = next((number for number, line in enumerate(kept) if line.strip()), 0)
    return kept[start:]


def _unclosed_fences(lines: list[str]) -> set[int]:
    """Return the fences without an end: each would swallow all lines after it."""
    unclosed: set[int] = set()
    open_ended: dict[str, int] = {}  # by kind: the shortest fence known to have no end
    number = 0
    while number < len(lines):
        fence = _OPENS.match(lines[number])
        if fence and not (fence["mark"][0] == "`" and "`" in fence["info"]):
            mark = fence["mark"]
            is_open = len(mark) >= open_ended.get(mark[0], len(lines[number]) + 1)
            end = -1 if is_open else _find_close(lines, number + 1, mark)
            if end < 0:
                unclosed.add(number)
                open_ended[mark[0]] = min(len(mark), open_ended.get(mark[0], len(mark)))
            number = max(number, end)
        number += 1
    return unclosed


def _find_close(lines: list[str], start: int, mark: str) -> int:
    for number in range(start, len(lines)):
        fence = _OPENS.match(lines[number])
        if fence and fence["mark"].startswith(mark) and not fence["info"].strip():
            return number
    return -1


def _escape_characters(value: str, chosen: Callable[[str], bool]) -> str:
    doubled = _REFERENCE.sub(_protect, value)
    return "".join(f"&#{ord(c)};" if chosen(c) else c for c in doubled)


def _unescape_characters(value: str) -> str:
    return _REFERENCE.sub(_resolve, value)


def _protect(match: re.Match[str]) -> str:
    return f"&amp;{match[0][1:]}" if _is_ours(match) else match[0]


def _resolve(match: re.Match[str]) -> str:
    if not _is_ours(match):
        return match[0]
    return f"&{match[0][5:]}" if match[1] else chr(int(match[2]))


def _is_ours(match: re.Match[str]) -> bool:
    return chr(int(match[2])).isspace()


S = TypeVar("S")


class Entry(Struct, Generic[S], frozen=True):
    """The fields of an entry, and the number of its first line."""

    line: int
    fields: S
