"""`errors.md`: what tools did wrong and how often, the newest first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import DecodeError, Struct
from msgspec.json import format as format_json

from outlast.formats import times
from outlast.formats.markdown.notes.entry import Entry
from outlast.formats.markdown.notes.escape import Escape, inline, lines_of, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.model import ErrorRecord
    from outlast.domain.state import PlanState

NAME: Final = "errors.md"
_TITLE: Final = "# Error Log"
_INTRODUCTION: Final = "> This file tracks errors to avoid repeating the same mistakes."
_HEADING: Final = re.compile(r"##(?:\s(.*))?\Z")
_PART: Final = re.compile(r"\*\*(Count|Message|Params):\*\*(.*)")
_TIMES: Final = re.compile(r"\s*([0-9]{1,16})(?:\s+times?)?\s*\Z")
_RULE: Final = "---"
_FENCE: Final = "```"
_JSON: Final = "```json"
_FENCES: Final = (_FENCE, _JSON)
_STRUCTURE: Final = r"##(?:\s|\Z)|---\s*\Z|\*\*(?:Count|Message|Params):\*\*"
_BODY: Final = Escape(_STRUCTURE)
_CODE: Final = Escape(rf"{_STRUCTURE}|```")

Line = tuple[int, str]


class Said(Struct, frozen=True):
    """An error as the file has it; `at` is its time as written there, and 0 times is not said."""

    tool: str
    message: str
    params: str = ""
    count: int = 0
    at: str = ""


class Document(Struct, frozen=True):
    """What the file says: its errors, and the numbers of the lines that belong to none."""

    entries: tuple[Entry[Said], ...] = ()
    strays: tuple[int, ...] = ()


def said(error: ErrorRecord) -> Said:
    """Return what the file has of an error."""
    at = times.write_milliseconds(error.at)
    return Said(error.tool, error.message, compact(error.params), error.count, at)


def compact(params: str) -> str:
    """Return parameters as they are compared: JSON without blanks, anything else as it is."""
    return _formatted(params, -1) or params


def render(state: PlanState) -> str:
    """Write the errors; nothing if there are none."""
    errors = sorted(state.notes.errors.values(), key=lambda error: error.at, reverse=True)
    if not errors:
        return ""
    written = (_error(said(error)) for error in errors)
    return "".join((f"{_TITLE}\n\n{_INTRODUCTION}\n\n", *written))


def parse(text: str) -> Document:
    """Read the file, be it as people have left it."""
    reading = _Reading()
    for number, line in enumerate(lines_of(text), 1):
        reading.take(number, line)
    reading.close()
    return Document(tuple(reading.entries), tuple(sorted(reading.strays)))


def _error(error: Said) -> str:
    message = "\n".join(_BODY.write(error.message))
    return (
        f"## {inline(error.tool)} - {error.at}\n\n"
        f"**Count:** {error.count} times\n\n"
        f"**Message:** {message}\n\n"
        f"{_written(error.params)}"
        f"{_RULE}\n\n"
    )


def _written(params: str) -> str:
    if not params:
        return ""
    pretty = _formatted(params, 2)
    lines = [_JSON, pretty] if pretty else [_FENCE, *_CODE.write(params)]
    return "\n".join(("**Params:**", *lines, _FENCE, "", ""))


def _formatted(params: str, indent: int) -> str:
    """Return JSON formatted anew; nothing for what is no JSON."""
    try:
        return format_json(params, indent=indent)
    except (DecodeError, RecursionError):
        return ""


class _Reading:
    """How far the file has been read."""

    def __init__(self) -> None:
        self.entries: list[Entry[Said]] = []
        self.strays: list[int] = []
        self._line = 0
        self._heading = ""
        self._body: list[Line] = []

    def take(self, number: int, line: str) -> None:
        heading = _HEADING.match(line)
        if heading:
            self.close()
            self._line, self._heading = number, heading[1] or ""
        elif line.rstrip() == _RULE:
            self.close()
        elif self._line:
            self._body.append((number, line))
        elif line.strip() and line.rstrip() not in (_TITLE, _INTRODUCTION):
            self.strays.append(number)

    def close(self) -> None:
        """End the entry under way."""
        if self._line:
            parts = _parts(self._body)
            tool, at = _tool(self._heading)
            message = _BODY.read(line for _, line in parts["Message"])
            count, params = self._count(parts["Count"]), self._params(parts["Params"])
            self.entries.append(Entry(self._line, Said(tool, message, params, count, at)))
            self._stray(parts[""])
        self._line, self._body = 0, []

    def _count(self, lines: list[Line]) -> int:
        found = _TIMES.match(lines[0][1]) if lines else None
        self._stray(lines[1:] if found else lines)
        return int(found[1]) if found else 0

    def _params(self, lines: list[Line]) -> str:
        """Return what stands between the fences."""
        marks = [number for number, (_, line) in enumerate(lines) if line.rstrip() in _FENCES]
        if not marks:
            self._stray(lines)
            return ""
        end = marks[1] if marks[1:] else len(lines)
        self._stray((*lines[: marks[0]], *lines[end + 1 :]))
        inside = [line for _, line in lines[marks[0] + 1 : end]]
        is_json = lines[marks[0]][1].rstrip() == _JSON
        return (_formatted("\n".join(inside), -1) if is_json else "") or _CODE.read(inside)

    def _stray(self, lines: Iterable[Line]) -> None:
        self.strays += (number for number, line in lines if line.strip())


def _tool(heading: str) -> tuple[str, str]:
    """Return the tool and the time of a heading; people may leave the time out."""
    tool, _, at = heading.rpartition(" - ")
    at = at.strip()
    return (plain(tool), at) if tool and times.read(at) else (plain(heading), "")


def _parts(body: Iterable[Line]) -> dict[str, list[Line]]:
    """Return the lines of an entry by what they belong to; those before all of it, to nothing."""
    parts: dict[str, list[Line]] = {"": [], "Count": [], "Message": [], "Params": []}
    name = ""
    for number, line in body:
        mark = _PART.match(line)
        if mark and not parts[mark[1]]:
            name = mark[1]
            parts[name].append((number, mark[2].removeprefix(" ")))
        else:
            parts[name].append((number, line))
    return parts
