"""Text of people and tools inside a file of ours, written so that it is read back unchanged.

A line that would be misread gets a backslash in front, one more than it has; a line break or a
blank where none may stand becomes a character reference such as `&#13;`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_REFERENCE: Final = re.compile(r"&((?:amp;)*)#([0-9]{1,5});")
_FENCE: Final = r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)"
_OPENS: Final = re.compile(_FENCE)


class Escape:
    """How lines are escaped in a file whose own lines look like `structure`."""

    def __init__(self, structure: str) -> None:
        """Take an expression for the beginning of the lines that have a meaning there."""
        escaped = rf"\\+(?:\s*\Z|{_FENCE}|{structure})"
        self._escaped = re.compile(escaped)
        self._odd = re.compile(rf"{structure}|{escaped}")

    def write(self, content: str) -> list[str]:
        """Return the lines that stand for a text, neither the first nor the last of them blank."""
        if not content:
            return []
        lines = _spell(content, "\r".__eq__).split("\n")
        filled = [number for number, line in enumerate(lines) if line.strip()] or [len(lines)]
        fences = _open_fences(lines)
        return [
            f"\\{line}"
            if not filled[0] <= number <= filled[-1] or number in fences or self._odd.match(line)
            else line
            for number, line in enumerate(lines)
        ]

    def read(self, lines: Iterable[str]) -> str:
        """Return the text that lines stand for; blank ones around it do not count."""
        kept = trimmed(lines)
        return _unspell("\n".join(x[1:] if self._escaped.match(x) else x for x in kept))


def inline(value: str) -> str:
    """Return a text for the middle of a line: without line breaks, or blanks at its ends."""
    start = len(value) - len(value.lstrip())
    end = len(value.rstrip())
    ends = _spell(value[:start], str.isspace), _spell(value[max(start, end) :], str.isspace)
    return _spell(value[start:end], "\r\n".__contains__).join(ends)


def plain(value: str) -> str:
    """Return the text that `inline` was given."""
    return _unspell(value.strip())


def lines_of(text: str) -> list[str]:
    """Return the lines of a file, whatever editor has written it."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def trimmed(lines: Iterable[str]) -> list[str]:
    """Return lines without the blank ones around them."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    start = next((number for number, line in enumerate(kept) if line.strip()), 0)
    return kept[start:]


def _open_fences(lines: list[str]) -> set[int]:
    """Return where a fence begins that nothing closes: it would swallow what comes after it."""
    found: set[int] = set()
    hopeless: dict[str, int] = {}  # by kind, the shortest that nothing closes: looked for once
    number = 0
    while number < len(lines):
        fence = _OPENS.match(lines[number])
        if fence and not (fence["mark"][0] == "`" and "`" in fence["info"]):
            mark = fence["mark"]
            is_open = len(mark) >= hopeless.get(mark[0], len(lines[number]) + 1)
            end = -1 if is_open else _closing(lines, number + 1, mark)
            if end < 0:
                found.add(number)
                hopeless[mark[0]] = min(len(mark), hopeless.get(mark[0], len(mark)))
            number = max(number, end)
        number += 1
    return found


def _closing(lines: list[str], start: int, mark: str) -> int:
    for number in range(start, len(lines)):
        fence = _OPENS.match(lines[number])
        if fence and fence["mark"].startswith(mark) and not fence["info"].strip():
            return number
    return -1


def _spell(value: str, chosen: Callable[[str], bool]) -> str:
    doubled = _REFERENCE.sub(_double, value)
    return "".join(f"&#{ord(c)};" if chosen(c) else c for c in doubled)


def _unspell(value: str) -> str:
    return _REFERENCE.sub(_single, value)


def _double(match: re.Match[str]) -> str:
    return f"&amp;{match[0][1:]}" if _is_ours(match) else match[0]


def _single(match: re.Match[str]) -> str:
    if not _is_ours(match):
        return match[0]
    return f"&{match[0][5:]}" if match[1] else chr(int(match[2]))


def _is_ours(match: re.Match[str]) -> bool:
    return chr(int(match[2])).isspace()
